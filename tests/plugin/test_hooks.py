"""Another plugin brings an engine, an operator, a reporter and lines of the section."""

from __future__ import annotations

import json

PLUGIN = """
    import json
    from pathlib import Path

    from pytest_lockin.alternatives.base import PythonEdit

    class Lonely:
        name = "lonely"

        def python(self, program):
            return ()

        def sql(self, query):
            return ()

        def examples(self):
            return ()

    def pytest_lockin_engines():
        return {"borrowed": "other_engine:BorrowedEngine"}

    def pytest_lockin_operators():
        return [Lonely()]

    def pytest_lockin_report(report):
        Path("seen.json").write_text(json.dumps([task.engine for task in report.tasks]))

    def pytest_lockin_terminal_lines(report):
        return [f"another plugin saw {len(report.tasks)} suite"]
"""
ENGINE = """
    from pytest_lockin.engines.sail import SailEngine

    class BorrowedEngine(SailEngine):
        name = "borrowed"

        def version(self):
            return "Borrowed 1.0"
"""


def test_hooks_of_another_plugin_are_asked_and_heard(project):
    project.write("other_plugin.py", PLUGIN)
    project.write("other_engine.py", ENGINE)
    project.suite("big")
    project.task("big")
    ran = project.run(
        "suites", "-p", "other_plugin", engine="borrowed", env={"PYTHONPATH": str(project.root)}
    )
    assert ran.status == 0, ran.out + ran.err
    ran.match("*another plugin saw 1 suite*")
    assert ran.task("big")["engine_version"] == "Borrowed 1.0"
    assert json.loads((project.root / "seen.json").read_text()) == ["borrowed"]


def test_an_engine_nobody_brings_is_refused_by_name(project):
    project.suite("big")
    ran = project.run("suites", engine="lent")
    assert ran.status == 4
    assert "--lockin-engine lent" in ran.err
    assert "Traceback" not in ran.err
