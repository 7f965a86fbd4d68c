"""The tutorial, as its reader follows it: files written, commands run, and what they print held to what is shown."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from plugin_project import outer_environment

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A file's block follows a sentence that ends with its name: "Its tests, `tests/test_revenue.py`:"
NAMED = re.compile(r"`([\w./]+\.\w+)`[^`]*\Z")
FILES = ("python", "sql", "yaml")
COUNTS = re.compile(r"  tests notice \d+ of |\w+: \d+ fixtures of \d+ rows; ")


def read_steps():
    """What the reader does, in order: ("file", path, text) or ("command", line, shown output)."""
    for block in BLOCK.finditer(PAGE):
        kind, text = block.groups()
        if kind in FILES:
            yield "file", NAMED.search(PAGE[: block.start()])[1], text
        elif kind == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                yield "command", command, shown


def follow(folder, steps):
    """Do the steps; yield each command with what was shown and what it printed."""
    binaries = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = outer_environment() | {
        "PATH": binaries,
        "COLUMNS": "100",
        "PYTEST_ADDOPTS": "-p no:randomly",
    }
    for kind, name, text in steps:
        if kind == "file":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
            continue
        ran = subprocess.run(
            ["bash", "-c", name], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        yield name, text, ran.stdout


def plain(text):
    """Lines without what differs from run to run: times, and how wide pytest draws its rules.

    How many alternatives and variants there are differs from version to version, and is nothing the page is about.
    """
    text = re.sub(r"\b\d+(\.\d+)?s\b|\b\d+ s\b|\(\d:\d\d:\d\d\)", "TIME", text)
    lines = [re.sub(r"={3,}|-{3,}", "---", line).rstrip() for line in text.splitlines()]
    return [re.sub(r"\d+", "N", line) if COUNTS.match(line) else line for line in lines]


def differs(shown, printed):
    """Say which line of what the page shows is not printed, in order; `...` stands for any lines, "" for no."""
    wanted, lines = plain(shown), plain(printed)
    free = False
    for line in wanted:
        if line == "...":
            free = True
            continue
        if free and line in lines:
            lines = lines[lines.index(line) :]
        if not lines or lines.pop(0) != line:
            return f"not printed there: {line}"
        free = False
    return "" if free or not lines else f"not shown: {lines[0]}"


def test_the_tutorial_is_true(tmp_path):
    for command, shown, printed in follow(tmp_path, read_steps()):
        assert differs(shown, printed) == "", f"{command}\n{printed}"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "witness" in page.lower()


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("...\n", "", True),
        ("in 3 s\n== 2 passed in 1.5s ==\n", "in 45 s\n==== 2 passed in 61.05s (0:01:01) ===\n", False),
        ("in 3 s\n== x in 1.5s ===\n", "in 45 s\n==== x in 61.05s ===\n", False),
        ("in 3 s\n=== x in 1.5s ===\n", "in 45 s\n==== x in 61.05s ===\n", True),
        ("  tests notice 1 of 2 alternatives\n", "  tests notice 3 of 4 alternatives\n", True),
        ("a\n", "a\nb\n", False),
        ("a\nb\n", "a\n", False),
        ("a\n...\nd\n", "a\nb\n", False),
        ("b\na\n", "a\nb\n", False),
    ],
)
def test_a_page_that_shows_something_else_is_caught(shown, printed, same):
    assert (differs(shown, printed) == "") is same
