"""What a trial costs, in CPU seconds of every process it takes, beside mutmut on the same suite.

    python tests/benchmarks/bench_trials.py [--mutmut VENV] [--mutants N] [--spark]

Ours: one pytest run with trials less one without, per alternative with an outcome, on three suites; a second
run after one case was edited. `--spark` adds classic Spark's confirmation. `--mutmut` names an environment with
mutmut 3.8.1 and pyspark: its only mode that is right on Spark (`--max-children 1`), for N mutants of the sample.
CPU seconds survive a noisy machine better than wall time, and ratios better than either.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUITES = {
    "sample": ROOT / "tests" / "cases" / "suites" / "sample",
    "q42-terse": ROOT / "examples" / "q42-terse",
    "q80-misread": ROOT / "examples" / "q80-misread",
}


def measure(command: list[str], cwd: Path) -> tuple[float, float, str]:
    """CPU seconds of the command and of every process it brings about, wall seconds, output.

    A JVM is not waited for by who started it, so nobody's account holds it: processes are recognised by a mark
    in their environment, or by who started them (a sandbox clears the environment), and asked four times a
    second.
    """
    mark = f"BENCH_MARK={os.getpid()}-{time.monotonic_ns()}"
    steering = ("PYTEST_", "LOCKIN_", "SPARK_", "PYSPARK_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
    # Everybody's bytecode is kept, as on a user's machine; compiling it anew each time would drown the rest.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment |= [mark.split("=")]
    spent: dict[tuple[int, str], float] = {}
    family: dict[int, str] = {}
    begun = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=output, stderr=subprocess.STDOUT)
        while process.poll() is None:
            _ask_all(mark.encode(), spent, family)
            time.sleep(0.25)
        wall = time.monotonic() - begun
        output.seek(0)
        return sum(spent.values()), wall, output.read()


def _ask_all(mark: bytes, spent: dict[tuple[int, str], float], family: dict[int, str]) -> None:
    """`family` holds the start time of each process known to be one of ours, by pid."""
    for pid in sorted(int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        entry = Path("/proc", str(pid))
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            known = family.get(pid) == fields[19] or int(fields[1]) in family
            if not known and mark not in (entry / "environ").read_bytes():
                continue
        except OSError:
            continue
        # Own user and system time; the start time tells a pid from its next bearer.
        family[pid] = fields[19]
        spent[pid, fields[19]] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_lockin(folder: Path, *args: str) -> tuple[float, float, dict]:
    report = folder / "out.json"
    report.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:randomly",
        "--lockin",
        "--lockin-budget",
        "none",
    ]
    cpu, wall, output = measure([*command, "--lockin-json", str(report), *args], folder)
    if not report.exists():
        sys.exit(output)
    return cpu, wall, json.loads(report.read_text())["tasks"][0]


def bench_ours(name: str, engine: str, folder: Path) -> dict:
    """One suite: without trials, with them, and again after one case was edited."""
    suite = folder / "suite"
    shutil.copytree(SUITES[name], suite, ignore=shutil.ignore_patterns("__pycache__", "*.json", "task.yaml"))
    (suite / "task.yaml").write_text(f"id: {name}\n")
    (folder / "pytest.ini").write_text("[pytest]\n")
    asked = ("--lockin-engine", engine)
    plain, plain_wall, _ = run_lockin(folder, *asked, "--lockin-trials", "off")
    cpu, wall, task = run_lockin(folder, *asked)
    trials = task["trials"]
    if trials["refusal"]:
        sys.exit(f"{name}: {trials['refusal']}")
    tried = sum(
        trials["counts"][word] for word in ("killed", "unrevealed", "uninfected", "unreached", "crashed")
    )
    tests = suite / "test_solution.py"
    text = tests.read_text()
    at = text.rindex("    assert ")
    tests.write_text(f"{text[:at]}    assert True\n{text[at:]}")
    again, again_wall, _ = run_lockin(folder, *asked)
    in_engine = sum(each["seconds"] for each in (*trials["survivors"], *trials["others"]))
    return {
        "suite": name,
        "engine": engine,
        "cases": sum(task["tests"].values()),
        "alternatives": tried,
        "cpu_per_alternative": round((cpu - plain) / tried, 4),
        "wall_per_alternative": round((wall - plain_wall) / tried, 4),
        "trial_wall_per_alternative": round(in_engine / tried, 4),
        "second_run_cpu_share": round((again - plain) / (cpu - plain), 2),
        "second_run_wall_share": round((again_wall - plain_wall) / (wall - plain_wall), 2),
        "counts": trials["counts"],
    }


def bench_mutmut(environment: Path, mutants: int, folder: Path) -> dict:
    """`mutmut run --max-children 1` on the sample, for some of its mutants."""
    for name in ("solution.py", "test_solution.py", "conftest.py"):
        shutil.copy(SUITES["sample"] / name, folder / name)
    (folder / "setup.cfg").write_text(
        "[mutmut]\nsource_paths=solution.py\nalso_copy=\n    conftest.py\n    test_solution.py\n"
        "pytest_add_cli_args_test_selection=test_solution.py\n"
    )
    program = str(environment / "bin" / "mutmut")
    # The first few, as it names them; the function's name is in the middle.
    names = [f"solution.x_solve__mutmut_{number}" for number in range(1, mutants + 1)]
    cpu, wall, output = measure([program, "run", "--max-children", "1", *names], folder)
    verdicts = re.findall(r"x_solve__mutmut_\d+\s*$", output, re.MULTILINE)
    if len(set(verdicts)) != mutants:
        sys.exit(f"mutmut ran {len(set(verdicts))} of {mutants}: {output.strip()[-500:]}")
    return {
        "mutants": mutants,
        "cpu_per_mutant": round(cpu / mutants, 3),
        "wall_per_mutant": round(wall / mutants, 3),
    }


def show(found: dict) -> None:
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutmut", type=Path)
    parser.add_argument("--mutants", type=int, default=30)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--suite", action="append", choices=sorted(SUITES))
    given = parser.parse_args()
    for name in given.suite or SUITES:
        for engine in ("sail", *(("auto",) if given.spark else ())):
            with tempfile.TemporaryDirectory() as folder:
                show(bench_ours(name, engine, Path(folder).resolve()))
    if given.mutmut:
        with tempfile.TemporaryDirectory() as folder:
            show(bench_mutmut(given.mutmut, given.mutants, Path(folder).resolve()))


if __name__ == "__main__":
    main()
