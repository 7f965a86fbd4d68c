"""What `lockin doctor` says about an installation. Nothing is started but a `java -version`."""

import stat
import subprocess
import sys

import pytest

from pytest_lockin.engines.preflight import (
    check_environment,
    check_interpreter,
    check_java,
    check_pandas,
    check_pysail,
    check_pyspark,
    check_sandbox,
    java_home,
)
from pytest_lockin.workers.sandbox.bwrap import look_for_bubblewrap


def make_java(folder, says, status=0):
    """Write a `java` that says a version."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit {status}\n")
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    return folder


@pytest.mark.parametrize(
    ("says", "slug"),
    [
        ('openjdk version "17.0.15" 2025-04-15', "java"),
        ('openjdk version "21" 2023-09-19', "java"),
        ('openjdk version "11.0.2" 2019-01-15', "java-old"),
        ('java version "1.8.0_392"', "java-old"),
        ("no such thing", "java-broken"),
    ],
)
def test_the_java_version_decides(tmp_path, says, slug):
    home = make_java(tmp_path / "jdk", says)
    finding = check_java(str(home), "")
    assert finding.slug == slug
    assert finding.ok is (slug == "java")
    assert finding.ok or finding.hint


def test_a_folder_with_blanks_is_no_problem(tmp_path):
    home = make_java(tmp_path / "my java home", 'openjdk version "17.0.1"')
    assert check_java(str(home), "").ok


def test_a_java_that_does_not_run_is_told_apart_from_an_old_one(tmp_path):
    home = make_java(tmp_path / "jdk", "cannot execute", status=127)
    finding = check_java(str(home), "")
    assert finding.slug == "java-broken"
    assert "cannot execute" in finding.text


def test_a_wrong_java_home_is_named_even_where_path_has_a_java(tmp_path):
    good = make_java(tmp_path / "jdk", 'openjdk version "17.0.1"')
    finding = check_java("/nope", str(good / "bin" / "java"))
    assert finding.slug == "java-home"
    assert "JAVA_HOME=/nope" in finding.text
    assert "\n" not in finding.text


def test_java_on_path_is_found_through_links(tmp_path):
    home = make_java(tmp_path / "jdk", 'openjdk version "17.0.1"')
    link = tmp_path / "java"
    link.symlink_to(home / "bin" / "java")
    finding = check_java("", str(link))
    assert finding.ok
    assert str(home) in finding.text


def test_no_java_at_all():
    assert check_java("", "").slug == "java-missing"


def test_java_home_is_none_where_spark_could_not_start(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(make_java(tmp_path / "jdk", 'openjdk version "11.0.2"')))
    assert java_home() is None
    good = make_java(tmp_path / "new", 'openjdk version "17.0.2"')
    monkeypatch.setenv("JAVA_HOME", str(good))
    assert java_home() == good


@pytest.mark.parametrize(
    ("version", "databricks", "slug"),
    [
        ("4.0.0", "", "pyspark"),
        ("4.2.1", "", "pyspark"),
        ("4.3.0", "", "pyspark-new"),
        ("5.0.0.dev1", "", "pyspark-new"),
        ("3.5.1", "", "pyspark-old"),
        ("", "", "pyspark"),
        ("4.2.1", "17.0.0", "databricks-connect"),
    ],
)
def test_pyspark_versions(version, databricks, slug):
    finding = check_pyspark(version, databricks)
    assert finding.slug == slug
    assert finding.ok is (version in {"4.0.0", "4.2.1"} and not databricks)


@pytest.mark.parametrize(
    ("pandas", "pyspark", "ok"),
    [("2.2.3", "4.2.1", True), ("3.0.0", "4.2.1", False), ("3.0.0", "4.3.0", True), ("", "4.2.1", False)],
)
def test_pandas_3_is_named_beside_a_pyspark_it_breaks(pandas, pyspark, ok):
    assert check_pandas(pandas, pyspark).ok is ok


def test_pysail_missing_says_what_to_do():
    assert "spark" in check_pysail("").hint
    assert check_pysail("0.7.2").ok


def test_the_interpreter_is_this_one():
    assert sys.executable in check_interpreter().text


def test_the_checks_import_neither_pyspark_nor_pysail():
    script = (
        "import sys; from pytest_lockin.engines.preflight import check_environment; check_environment();"
        "print([name for name in ('pyspark', 'pysail', 'pyarrow', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_here_everything_but_java_is_as_it_should_be():
    findings = {finding.slug: finding for finding in check_environment()}
    assert all(findings[slug].ok for slug in ("interpreter", "pyspark", "pysail", "pandas"))


def test_the_sandbox_is_there_works_and_lacks_nothing():
    found = check_sandbox("/usr/bin/bwrap", "0.8.0", "", "")
    assert (found.ok, found.text) == (True, "sandbox: bubblewrap 0.8.0 at /usr/bin/bwrap")


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (("", "", "", ""), "not installed"),
        (
            ("/usr/bin/bwrap", "", "No permissions to create new namespace", ""),
            "makes none here (No permissions",
        ),
        (("/usr/bin/bwrap", "0.8.0", "", "nothing limits processes"), "but nothing limits processes"),
    ],
)
def test_a_sandbox_that_is_missing_or_weak_is_a_finding_with_a_cure(seen, told):
    found = check_sandbox(*seen)
    assert not found.ok
    assert told in found.text
    assert found.hint


def test_the_sandbox_of_this_machine_is_looked_at_by_making_one():
    executable, version, trouble, _ = look_for_bubblewrap()
    assert bool(version) == bool(executable and not trouble)
