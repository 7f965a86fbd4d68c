"""Not asked for, the plugin changes nothing and brings in nothing."""

HEAVY = ("pyspark", "pyarrow", "sqlglot", "pysail", "pandas", "duckdb", "msgspec", "yaml", "coverage")


def test_not_asked_for_it_imports_no_library(project):
    project.write(
        "test_modules.py",
        f"""
        import sys

        def test_modules():
            loaded = set(sys.modules)
            ours = {{name for name in loaded if name.startswith("pytest_lockin")}}
            assert ours == {{"pytest_lockin", "pytest_lockin.plugin", "pytest_lockin.hookspecs"}}
            assert not loaded & set({HEAVY!r})
        """,
    )
    ran = project.run("-p", "no:cov", "-p", "no:pytest_cov", lockin="off")
    assert (ran.status, ran.counts) == (0, {"passed": 1}), ran.out


def test_not_asked_for_a_suite_is_an_ordinary_test_file(project):
    project.suite("one", "def test_it():\n    import solution\n")
    project.task("one")
    ran = project.run("suites", lockin="off")
    assert (ran.status, ran.counts) == (0, {"passed": 1})
    ran.no_match("*lockin:*", "*lockin gate*")
