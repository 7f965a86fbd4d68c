"""The 103 TPC-DS statements, read at run time from an installed package; no statement text is ours to ship.

99 templates, four of which hold two statements each (`q14a`, `q14b`). Ids are zero-padded: `q02`.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pytest_lockin.errors import BuildError

TEMPLATES = range(1, 100)
# The templates of two statements; known from the specification, and checked when they are read.
PAIRS = (14, 23, 24, 39)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement: Spark SQL text without a final semicolon, licence comment in front."""

    id: str
    text: str

    @property
    def sha256(self) -> str:
        """Hash of the text, as the lock records it."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def list_statement_ids() -> tuple[str, ...]:
    """List the 103 ids in order."""
    return tuple(
        f"q{number:02}{part}" for number in TEMPLATES for part in (("a", "b") if number in PAIRS else ("",))
    )


def read_statement(statement_id: str) -> Statement:
    """Read one statement from the installed package.

    Raises:
        BuildError: no such statement, or the package that holds the texts is not what was expected.
    """
    if statement_id not in list_statement_ids():
        raise _unknown(statement_id)
    number = int(statement_id[1:3])
    texts = _read_template(number)
    expected = 2 if number in PAIRS else 1
    if len(texts) != expected:
        raise BuildError(
            expected=f"{expected} statement{'s' if expected > 1 else ''} in TPC-DS template {number}",
            found=f"{len(texts)} in the installed pysail package",
            hint="install the version of pysail named in pyproject.toml",
        )
    return Statement(id=statement_id, text=texts["ab".index(statement_id[3:] or "a")])


def suggest_id(wrong: str) -> str:
    """Give the statement id somebody meant by `Q2`, `2` or `q14`; "" where nothing comes near."""
    ids = list_statement_ids()
    shape = re.fullmatch(r"[a-z]*[-_ ]?0*(\d{1,2})([ab]?)", wrong.strip().lower())
    if shape:
        number = f"q{int(shape[1]):02}"
        near = [known for known in (number + shape[2], number, number + "a") if known in ids]
        if near:
            return near[0]
    return next(iter(difflib.get_close_matches(wrong.lower(), ids, n=1)), "")


def _unknown(statement_id: str) -> BuildError:
    meant = suggest_id(statement_id)
    return BuildError(
        expected="a TPC-DS statement id, q01 to q99 (q14, q23, q24 and q39 with a or b)",
        found=f"`{statement_id}`",
        hint=f"did you mean {meant}?" if meant else "`lockin tasks list --all` prints the ids",
    )


def _read_template(number: int) -> tuple[str, ...]:
    file = _folder() / f"q{number}.sql"
    try:
        return _split(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BuildError(
            expected=f"TPC-DS template {number} in the installed pysail package",
            found=error.strerror or type(error).__name__,
            hint="install the version of pysail named in pyproject.toml",
        ) from None


@cache
def _folder() -> Path:
    """Find the texts without importing pysail, which would start its runtime's set-up."""
    spec = importlib.util.find_spec("pysail")
    if spec is None or not spec.submodule_search_locations:
        raise BuildError(
            expected="the package pysail, whose data holds the TPC-DS statements",
            found="it is not installed",
            hint="pip install pytest-lockin",
        )
    return Path(next(iter(spec.submodule_search_locations))) / "data" / "tpcds" / "queries"


def _split(text: str) -> tuple[str, ...]:
    """Split at semicolons outside strings and comments; each part keeps the file's licence comment."""
    from sqlglot.dialects.spark import Spark
    from sqlglot.tokens import TokenType

    licence = "".join(line for line in _leading_comments(text))
    tokens = Spark().tokenize(text)
    cuts = [token.start for token in tokens if token.token_type is TokenType.SEMICOLON]
    parts = [
        text[start:end] for start, end in zip([0, *(cut + 1 for cut in cuts)], [*cuts, None], strict=True)
    ]
    bodies = [part.strip() for part in parts if Spark().tokenize(part)]
    return tuple(body if body.startswith("--") or not licence else licence + body for body in bodies)


def _leading_comments(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    end = next((index for index, line in enumerate(lines) if not line.startswith("--")), len(lines))
    return lines[:end]
