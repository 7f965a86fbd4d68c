"""Texts that ship with the package: conftest templates, the workflow, the references' page."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from pytest_lockin.adopt.base import AdoptError

PACKAGE = Path(__file__).parent
TEMPLATES = {
    "session": "a session, and programs that take it with all their tables: solve(spark, tables)",
    "functions": "plain functions that take one table a parameter: build(orders, customers)",
    "connect": "a session on a Spark Connect server",
}


def read_template(name: str) -> str:
    """Read a conftest template, from a wheel or a source tree.

    Raises:
        AdoptError: the installation lacks it.
    """
    places = (PACKAGE.parent / "_shipped", PACKAGE.parent.parent)
    files = [place / "conftest_templates" / f"{name}.py" for place in places]
    found = next((file for file in files if file.is_file()), None)
    if found is None:
        raise AdoptError(
            expected=f"the template {name}.py at {files[0].parent}",
            found="no such file",
            hint="reinstall: pip install --force-reinstall pytest-lockin",
        )
    return found.read_text(encoding="utf-8")


def read_text(name: str) -> str:
    """Read one of this package's own texts."""
    return (PACKAGE / "texts" / name).read_text(encoding="utf-8")


def write_workflow(suites: tuple[str, ...]) -> str:
    """Give the workflow, for this version and these suites (paths from the root folder)."""
    named = " ".join(f"'{each}'" for each in suites)
    return read_text("workflow.yml").replace("@VERSION@", version("pytest-lockin")).replace("@SUITES@", named)
