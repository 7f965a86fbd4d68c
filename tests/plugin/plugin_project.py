"""A small project to run pytest in: suites, references, a command line, and everything that came of it.

Every run is a process of its own, as a user's is: lockin is loaded by its entry point, and pytest-randomly is
off unless a test asks for it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

# Far above any honest run on a loaded machine: it only keeps a hang from hanging everything.
HANG = 300.0

BIG = """
    from pyspark.sql import functions as F

    def solve(spark, tables):
        return tables["orders"].where(F.col("amount") > 10).select("id", "amount")
"""
BIG_TESTS = """
    from pyspark.sql import SparkSession
    from solution import solve

    def test_big():
        spark = SparkSession.builder.getOrCreate()
        orders = spark.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")
        assert [row.id for row in solve(spark, {"orders": orders}).collect()] == [2]
"""
# No Spark in it: what pytest makes of such a suite can be compared with a run without lockin.
PLAIN = """
    def solve(spark, tables):
        return None
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One finished pytest run: exit status, output, lockin's JSON and pytest's JUnit file, when asked for."""

    status: int
    out: str
    err: str
    report: dict | None
    junit: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    def match(self, *patterns: str) -> None:
        """Assert that lines matching these patterns come in this order."""
        pytest.LineMatcher(self.lines).fnmatch_lines(list(patterns))

    def no_match(self, *patterns: str) -> None:
        for pattern in patterns:
            pytest.LineMatcher(self.lines).no_fnmatch_line(pattern)

    @property
    def counts(self) -> dict[str, int]:
        """pytest's last line as numbers: `{"passed": 3, "failed": 1}`."""
        last = [line for line in self.lines if re.search(r" in \d+\.\d+s", line)][-1]
        found = re.findall(r"(\d+) ([a-z]+)", last.partition(" in ")[0])
        singular = {"errors": "error", "warnings": "warning"}
        return {singular.get(word, word): int(number) for number, word in found}

    @property
    def lockin(self) -> list[str]:
        """The lines of the lockin section."""
        starts = [n for n, line in enumerate(self.lines) if re.fullmatch(r"=+ lockin =+", line)]
        assert len(starts) <= 1, "one section"
        if not starts:
            return []
        rest = self.lines[starts[0] + 1 :]
        end = next(
            (
                n
                for n, line in enumerate(rest)
                if line.startswith(("====", "!!!!", "---- ", "-----------")) and not re.fullmatch("-+", line)
            ),
            len(rest),
        )
        return rest[:end]

    def failure(self, name: str) -> str:
        """The text below the heading of this failed case."""
        after = re.split(rf"^_+ {re.escape(name)} _+$", self.out, flags=re.MULTILINE)
        assert len(after) == 2, f"{name}: {len(after) - 1} headings"
        return re.split(r"^(?:_+ .+ _+|=+ .+ =+)$", after[1], flags=re.MULTILINE)[0]

    def task(self, suite: str) -> dict:
        """The JSON entry of the suite in this folder."""
        assert self.report is not None, self.out + self.err
        (found,) = [task for task in self.report["tasks"] if Path(task["suite"]).parent.name == suite]
        return found

    @property
    def cases(self) -> list[tuple[str, str, str]]:
        """JUnit's test cases in order: class name, name, outcome."""
        found = []
        for case in ET.fromstring(self.junit).iter("testcase"):
            kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
            found.append((case.get("classname"), case.get("name"), kinds[0] if kinds else "passed"))
        return found


class Project:
    """A folder with `suites/<task>-<trait>/` and `refs/<task>/`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return file

    def suite(self, name: str, tests: str = BIG_TESTS, solution: str = BIG, **files: str) -> Path:
        """Write a suite; `files` are more files of its folder, by their name without `.py`."""
        self.write(f"suites/{name}/solution.py", solution)
        for other, text in files.items():
            self.write(f"suites/{name}/{other}.py", text)
        return self.write(f"suites/{name}/test_solution.py", tests)

    def task(self, folder: str, text: str = "id: big\n") -> Path:
        """Say by a task file that this folder holds a suite; no references needed then."""
        return self.write(f"suites/{folder}/task.yaml", text)

    def reference(self, task: str = "big", **files: str) -> Path:
        """Write a task's references and its `orders` table."""
        given = files or {"reference.sql": "SELECT id, amount FROM orders WHERE amount > 10\n"}
        for name, text in given.items():
            self.write(f"refs/{task}/{name}", text)
        folder = self.root / "refs" / task / "tables"
        folder.mkdir(parents=True, exist_ok=True)
        orders = {"id": pa.array([1, 2, 3], pa.int32()), "amount": pa.array([5.0, 20.0, 30.0])}
        pq.write_table(pa.table(orders), folder / "orders.parquet")
        return folder.parent

    def run(
        self,
        *args: str,
        lockin: str | None = None,
        engine: str = "sail",
        junit: bool = False,
        randomly: bool = False,
        command: tuple[str, ...] = ("-m", "pytest"),
        env: dict[str, str] | None = None,
        cwd: str = ".",
    ) -> Ran:
        """Run pytest and wait for it.

        `lockin`: "reference" (with `refs/`), "alone" (`--lockin`) or "off"; by default with references when
        there are some.
        """
        with self.start(
            *args,
            lockin=lockin,
            engine=engine,
            junit=junit,
            randomly=randomly,
            command=command,
            env=env,
            cwd=cwd,
        ) as process:
            try:
                out, err = process.communicate(timeout=HANG)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return self.ran(process.returncode, out, err)

    def start(
        self,
        *args: str,
        lockin: str | None = None,
        engine: str = "sail",
        junit: bool = False,
        randomly: bool = False,
        command: tuple[str, ...] = ("-m", "pytest"),
        env: dict[str, str] | None = None,
        cwd: str = ".",
    ) -> subprocess.Popen:
        """Start pytest and do not wait; `ran` reads what it left."""
        for left in ("lockin.json", "junit.xml"):
            (self.root / left).unlink(missing_ok=True)
        lockin = lockin or ("reference" if (self.root / "refs").is_dir() else "alone")
        options = ["-p", "no:pytester"]
        if not randomly:
            options += ["-p", "no:randomly"]
        if lockin != "off":
            # Trials have tests of their own, which ask for them.
            options += ["--lockin-trials", "off"]
            options += ["--lockin-engine", engine] if engine else []
            options += ["--lockin-json", str(self.root / "lockin.json")]
        if lockin == "reference":
            options += ["--lockin-reference", str(self.root / "refs")]
        if lockin == "alone":
            options += ["--lockin"]
        if junit:
            options += ["--junitxml", str(self.root / "junit.xml")]
        return subprocess.Popen(
            [sys.executable, *command, *options, *args],
            cwd=self.root / cwd,
            env=outer_environment() | (env or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def ran(self, status: int, out: str, err: str) -> Ran:
        report, junit = self.root / "lockin.json", self.root / "junit.xml"
        return Ran(
            status=status,
            out=out,
            err=err,
            report=json.loads(report.read_text()) if report.exists() else None,
            junit=junit.read_text(encoding="utf-8") if junit.exists() else "",
        )

    def leftovers(self, grace: float = 30.0) -> list[str]:
        """Command lines of processes that still run in this project's folder, after some time to end."""
        deadline = time.monotonic() + grace
        while (found := self._processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    def _processes(self) -> list[str]:
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if (entry / "cwd").readlink().is_relative_to(self.root):
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
        return [line for line in found if line]


def outer_environment() -> dict[str, str]:
    """This process's environment without what an outer pytest, coverage, xdist or CI put there."""
    steering = ("PYTEST_", "COV_", "COVERAGE_", "LOCKIN_", "SPARK_", "PYSPARK_", "GITHUB_")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(steering) and name not in ("CI", "BUILD_NUMBER")
    }
    return kept | {"COLUMNS": "100", "PYTHONDONTWRITEBYTECODE": "1"}
