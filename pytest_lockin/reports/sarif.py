"""A report as SARIF 2.1.0: findings at exact places, for code scanning.

A rule stands for a verdict, a mechanism or an operator family, and its help says what that is. Columns count
from 1 in code points; paths are from pytest's root folder (`%SRCROOT%`), never absolute. Fingerprints stay
the same when lines move. What is waived is a suppressed result.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_lockin.model.finding import Mechanism
from pytest_lockin.model.meanings import read_meanings
from pytest_lockin.model.report import VerdictKind
from pytest_lockin.reports.jsontext import write_json_text
from pytest_lockin.reports.remarks import VIOLATED, Level, make_remarks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.model.alternative import OperatorText, Site
    from pytest_lockin.reports.document import Document
    from pytest_lockin.reports.remarks import Remark

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
# Raise the number when what makes a fingerprint changes: code scanning then sees new findings.
_FINGERPRINT = "lockin/v1"
_MEANING = "A mechanism: why a broken or unchecked obligation goes unnoticed."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    id: str
    tag: str
    title: str
    help: str
    level: Level


def render_sarif(document: Document) -> str:
    """The whole file."""
    return write_json_text(_log(document))


def _log(document: Document) -> dict[str, Any]:
    remarks = make_remarks(document)
    rules = _rules(document, remarks)
    places = {rule.id: index for index, rule in enumerate(rules)}
    driver = {
        "name": "pytest-lockin",
        "version": document.version,
        "rules": [_rule(each) for each in rules],
    }
    run = {
        "tool": {"driver": {name: value for name, value in driver.items() if value}},
        "invocations": [_invocation(document)],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "pytest's root folder"}}},
        "results": [_result(each, places[each.rule]) for each in remarks],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _invocation(document: Document) -> dict[str, Any]:
    """The gate's word; the run itself came to its end, else there would be no report."""
    reasons = document.gate.reasons
    return {
        "executionSuccessful": True,
        "toolExecutionNotifications": [
            {"level": "error", "message": {"text": f"gate: {reason}"}} for reason in reasons
        ],
    }


# Rules


def _rules(document: Document, remarks: tuple[Remark, ...]) -> tuple[_Rule, ...]:
    """Every verdict and mechanism, and the families of this report; what a plugin does not explain last."""
    told = [*_verdicts(), *_mechanisms(), *(_family(each) for each in document.operators)]
    known = {each.id for each in told}
    named = dict.fromkeys(each.rule for each in remarks if each.rule not in known)
    return (*told, *(_unexplained(name) for name in named))


def _verdicts() -> Iterator[_Rule]:
    for name, meaning in read_meanings(VerdictKind).items():
        if name != VerdictKind.TRUE_PASS:
            level = Level.ERROR if name == VerdictKind.FALSE_PASS else Level.WARNING
            yield _Rule(id=name, tag="verdict", title=_say(name), help=meaning, level=level)
    text = "The program does not meet an obligation of its task."
    yield _Rule(id=VIOLATED, tag="obligation", title="Violated obligation", help=text, level=Level.ERROR)


def _mechanisms() -> Iterator[_Rule]:
    for name, meaning in read_meanings(Mechanism).items():
        text = f"{meaning}\n\n{_MEANING}"
        yield _Rule(id=name, tag="mechanism", title=_say(name), help=text, level=Level.WARNING)


def _family(told: OperatorText) -> _Rule:
    text = f"{told.title}\n\n{told.text}".strip()
    return _Rule(id=told.name, tag="operator", title=told.title or told.name, help=text, level=Level.WARNING)


def _unexplained(name: str) -> _Rule:
    text = f"Alternatives of the family {name}, of another plugin or another version."
    return _Rule(id=name, tag="operator", title=name, help=text, level=Level.WARNING)


def _say(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _rule(rule: _Rule) -> dict[str, Any]:
    text = rule.help or rule.title
    return {
        "id": rule.id,
        "name": "".join(part.capitalize() for part in re.split(r"[^A-Za-z0-9]+", rule.id)) or "Rule",
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": text.partition("\n\n")[0]},
        "help": {"text": text},
        "defaultConfiguration": {"level": str(rule.level)},
        "properties": {"tags": ["lockin", rule.tag]},
    }


# Results


def _result(remark: Remark, rule: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ruleId": remark.rule,
        "ruleIndex": rule,
        "level": str(remark.level),
        # A plain message may hold links, `[text](target)`; what a program says is none.
        "message": {"text": remark.text.replace("](", "] (")},
        "locations": [_location(remark)] if remark.path else [],
        "partialFingerprints": {_FINGERPRINT: _fingerprint(remark.key)},
        # All results of a run have the property, or none has.
        "suppressions": [_suppression(remark.waived)] if remark.waived else [],
        "properties": {"suite": remark.suite},
    }
    return found


def _location(remark: Remark) -> dict[str, Any]:
    # Paths are bytes to a file system; those that are no text stay what they are.
    uri = quote(os.fsencode(remark.path))
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri, "uriBaseId": _ROOT},
            "region": _region(remark.site) if remark.site is not None else {"startLine": 1},
        }
    }


def _region(site: Site) -> dict[str, int]:
    return {
        "startLine": site.line,
        "startColumn": site.column + 1,
        "endLine": site.end_line,
        "endColumn": site.end_column + 1,
    }


def _fingerprint(key: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(key).encode(errors="surrogateescape")).hexdigest()


def _suppression(reason: str) -> dict[str, str]:
    return {"kind": "external", "status": "accepted", "justification": reason}
