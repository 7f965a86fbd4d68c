"""A report on GitHub: annotations as workflow commands, and the step's summary.

The runner takes a line that begins with `::name`, and one that holds `##[name]` anywhere, for a command. Ours
begin with one and are escaped as its documentation says, so that what a program says stays inside the
message.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.reports.markdown import render_markdown
from pytest_lockin.reports.remarks import Level, make_remarks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_lockin.model.alternative import Site
    from pytest_lockin.reports.document import Document
    from pytest_lockin.reports.remarks import Remark

# GitHub shows no more of each in one step.
MOST_SHOWN = 10
# Above this GitHub drops a step's summary whole.
SUMMARY_LIMIT = 1024 * 1024
_CUT = "\n*Cut: GitHub shows no more. The whole is in the report's other formats.*\n"


def tell_github(document: Document, root: Path, variables: Mapping[str, str]) -> tuple[str, ...]:
    """Add to the step's summary, where there is one, and give the lines to print.

    `root` is pytest's root folder; `variables` are those that GitHub Actions sets. A summary that cannot be
    written is a line of its own: the annotations are what matters.
    """
    summary = variables.get("GITHUB_STEP_SUMMARY", "")
    trouble: tuple[str, ...] = ()
    if summary:
        try:
            append_summary(document, Path(summary))
        except OSError as error:
            trouble = (f"lockin: no summary written: {error.strerror or error}",)
    return (*list_annotations(document, find_base(root, variables)), *trouble)


def find_base(root: Path, variables: Mapping[str, str]) -> str:
    """The root folder as seen from the repository's; "" where they are the same or it lies elsewhere."""
    top = variables.get("GITHUB_WORKSPACE", "")
    if not top or not root.resolve().is_relative_to(Path(top).resolve()):
        return ""
    base = root.resolve().relative_to(Path(top).resolve()).as_posix()
    return "" if base == "." else base


def list_annotations(document: Document, base: str = "") -> tuple[str, ...]:
    """Workflow commands for the worst of what there is to say, the gate's failure first; no waived ones.

    Of errors and of warnings at most as many as GitHub shows; a last line, which is no command, says how many
    there are where some are left out. `base` is pytest's root folder as seen from the repository's.
    """
    remarks = [each for each in make_remarks(document) if not each.waived]
    errors = [_annotate(each, base) for each in remarks if each.level is Level.ERROR]
    warnings = [_annotate(each, base) for each in remarks if each.level is Level.WARNING]
    if not document.gate.passed:
        errors.insert(0, say_failure("; ".join(document.gate.reasons)))
    shown = (*errors[:MOST_SHOWN], *warnings[:MOST_SHOWN])
    left = len(errors) + len(warnings) - len(shown)
    more = f"lockin: {len(shown)} of {len(shown) + left} findings annotated, GitHub shows no more of a step"
    return (*shown, more) if left else shown


def say_failure(reason: str) -> str:
    """One error of the run as a whole."""
    return _command("error", {"title": "lockin gate failed"}, reason)


def _annotate(remark: Remark, base: str) -> str:
    place = _place(remark.site) if remark.site is not None else {"line": "1"}
    path = f"{base}/{remark.path}" if base else remark.path
    where = {"file": path, **place} if remark.path else {}
    return _command(str(remark.level), {**where, "title": f"lockin: {remark.rule}"}, remark.text)


def _place(site: Site) -> dict[str, str]:
    found = {"line": str(site.line), "endLine": str(site.end_line)}
    # Columns are for places within one line.
    if site.end_line == site.line:
        found |= {"col": str(site.column + 1), "endColumn": str(site.end_column + 1)}
    return found


def _command(name: str, properties: Mapping[str, str], message: str) -> str:
    told = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    return f"::{name} {told}::{_escape(message)}"


def _escape(text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    # What no log can show: other ends of lines, control characters, bytes that are no text.
    return "".join(char if char.isprintable() else " " if char.isspace() else "\ufffd" for char in escaped)


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


def keep_from_commands(text: str) -> str:
    """The text as a reader sees it, and no command to the runner: a zero-width joint parts what makes one."""
    joint = "\u200b"
    text = re.sub(r"((?:\A|[\r\n])\s*:)(?=:)", rf"\1{joint}", text)
    return text.replace("##[", f"##{joint}[")


def append_summary(document: Document, path: Path) -> None:
    """Add the report as Markdown to a step's summary, cut where the file would be too large.

    Raises:
        OSError: the file cannot be written.
    """
    there = path.stat().st_size if path.exists() else 0
    text = cut_summary(render_markdown(document), SUMMARY_LIMIT - there)
    with path.open("ab") as file:
        file.write(text.encode(errors="backslashreplace"))


def cut_summary(text: str, room: int) -> str:
    """As many whole lines as there is room for in bytes, and a word on the rest; "" where there is none."""
    if len(text.encode(errors="backslashreplace")) <= room:
        return text
    closing = "\n</details>\n"
    left = room - len((closing + _CUT).encode())
    kept = []
    for line in text.splitlines(keepends=True):
        left -= len(line.encode(errors="backslashreplace"))
        if left < 0:
            break
        kept.append(line)
    if not kept:
        return ""
    found = "".join(kept)
    is_open = found.count("<details>") > found.count("</details>")
    return found + (closing if is_open else "") + _CUT
