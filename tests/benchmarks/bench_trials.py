"""What a trial costs, in CPU seconds of every process it takes, beside other tools on the same suite.

    python tests/benchmarks/bench_trials.py [--engine sail|auto|spark] [--others FOLDER] [--mutants N]

Ours: one pytest run with trials less one without, per alternative with an outcome, on three suites; a second
run after one case was edited. `--engine auto` has classic Spark confirm, `spark` is classic Spark alone.
`--others` makes an environment for each other tool in that folder, unless it is there, and runs it on the
sample: mutmut 3.8.1 with one child (N mutants) and as a fork server (2), cosmic-ray 8.7.0 (2), the Catalyst
plugin `pytest-spark-mutation-testing` 1.0.1 (all it makes; the fixture's `stop()` taken out, or it does
nothing), and a plain loop in one warm process on classic Spark (N).
CPU seconds survive a noisy machine better than wall time, and ratios better than either.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def copy_sample(folder: Path) -> None:
    """The sample alone, without what only lockin reads."""
    for name in ("solution.py", "test_solution.py", "conftest.py"):
        shutil.copy(SUITES["sample"] / name, folder / name)


def make_environment(folder: Path, name: str, *packages: str) -> Path:
    """A virtual environment with these packages, made once."""
    place = folder / name
    if not (place / "made").exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        subprocess.run([str(place / "bin" / "pip"), "install", "-q", *packages], check=True)
        (place / "made").touch()
    return place


def bench_mutmut(environment: Path, mutants: int, folder: Path, *, forkserver: bool = False) -> dict:
    """`mutmut run --max-children 1` (or its fork server) on the sample, for some of its mutants."""
    copy_sample(folder)
    (folder / "setup.cfg").write_text(
        "[mutmut]\nsource_paths=solution.py\nalso_copy=\n    conftest.py\n    test_solution.py\n"
        "pytest_add_cli_args_test_selection=test_solution.py\n"
        + ("process_isolation=forkserver\n" if forkserver else "")
    )
    program = str(environment / "bin" / "mutmut")
    # The first few, as it names them; the function's name is in the middle.
    names = [f"solution.x_solve__mutmut_{number}" for number in range(1, mutants + 1)]
    cpu, wall, output = measure([program, "run", "--max-children", "1", *names], folder)
    verdicts = re.findall(r"x_solve__mutmut_\d+\s*$", output, re.MULTILINE)
    if len(set(verdicts)) != mutants:
        sys.exit(f"mutmut ran {len(set(verdicts))} of {mutants}: {output.strip()[-500:]}")
    return per_mutant("mutmut forkserver" if forkserver else "mutmut --max-children 1", mutants, cpu, wall)


def per_mutant(tool: str, mutants: int, cpu: float, wall: float) -> dict:
    return {
        "tool": tool,
        "mutants": mutants,
        "cpu_per_mutant": round(cpu / mutants, 3),
        "wall_per_mutant": round(wall / mutants, 3),
    }


def bench_cosmic_ray(environment: Path, mutants: int, folder: Path) -> dict:
    """cosmic-ray on the sample: a process per mutant; all but some work items are taken out of its session."""
    copy_sample(folder)
    program = str(environment / "bin" / "cosmic-ray")
    python = environment / "bin" / "python"
    (folder / "c.toml").write_text(
        '[cosmic-ray]\nmodule-path = "solution.py"\ntimeout = 300.0\nexcluded-modules = []\n'
        f'test-command = "{python} -m pytest -x -q test_solution.py"\n'
        '[cosmic-ray.distributor]\nname = "local"\n'
    )
    subprocess.run([program, "init", "c.toml", "s.sqlite"], cwd=folder, check=True, capture_output=True)
    with sqlite3.connect(folder / "s.sqlite") as session:
        kept = "select job_id from work_items order by job_id limit ?"
        for table in ("mutation_specs", "work_items"):
            session.execute(f"delete from {table} where job_id not in ({kept})", (mutants,))
    cpu, wall, output = measure([program, "exec", "c.toml", "s.sqlite"], folder)
    with sqlite3.connect(folder / "s.sqlite") as session:
        (ran,) = session.execute("select count(*) from work_results").fetchone()
    if ran != mutants:
        sys.exit(f"cosmic-ray ran {ran} of {mutants}: {output.strip()[-500:]}")
    return per_mutant("cosmic-ray", mutants, cpu, wall)


def bench_catalyst(environment: Path, folder: Path) -> dict:
    """The Catalyst plugin on the sample; what it costs beyond the plain run of the suite."""
    copy_sample(folder)
    conftest = folder / "conftest.py"
    text = conftest.read_text()
    if text.count(".stop()") != 1:
        sys.exit("the sample's fixture is not as expected")
    conftest.write_text(re.sub(r"^.*\.stop\(\)\n?", "", text, flags=re.MULTILINE))
    python = str(environment / "bin" / "python")
    plain, _, _ = measure([python, "-m", "pytest", "-q"], folder)
    cpu, wall, output = measure([python, "-m", "pytest", "-q", "--spark-mutate"], folder)
    found = re.findall(r"(KILLED|SURVIVED|ERRORED): (\d+)", output)
    counts = {word: int(number) for word, number in found}
    decided = counts.get("KILLED", 0) + counts.get("SURVIVED", 0)
    if not decided:
        sys.exit(f"the Catalyst plugin decided nothing: {output.strip()[-500:]}")
    return per_mutant("pytest-spark-mutation-testing", decided, cpu - plain, wall) | {"counts": counts}


WARM_LOOP = """
import importlib, sys
from pathlib import Path
import pytest
from pyspark.sql import SparkSession

SparkSession.stop = lambda self: None
solution = Path("solution.py")
original = solution.read_text()
for text in [original, *(Path(path).read_text() for path in sys.argv[1:])]:
    solution.write_text(text)
    for name in ("solution", "test_solution", "conftest"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    print("ended", int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-p", "no:lockin", "test_solution.py"])))
solution.write_text(original)
"""


def bench_warm_loop(mutants: int, folder: Path) -> dict:
    """One process with one classic session that imports one alternative after the other and runs all cases."""
    from pytest_lockin.alternatives import make_mutants

    copy_sample(folder)
    (folder / "loop.py").write_text(WARM_LOOP)
    source = (folder / "solution.py").read_text()
    made = make_mutants(source, {}, module="solution", function="solve")
    step = max(1, len(made) // mutants)
    paths = []
    for number, mutant in enumerate(made[::step][:mutants]):
        paths.append(str(folder / f"mutant_{number}.txt"))
        Path(paths[-1]).write_text(mutant.source)
    command = [sys.executable, "-B", "loop.py"]
    plain, plain_wall, _ = measure(command, folder)
    cpu, wall, output = measure([*command, *paths], folder)
    ended = re.findall(r"^ended (\d)", output, re.MULTILINE)
    if len(ended) != len(paths) + 1 or ended[0] != "0" or "1" not in ended:
        sys.exit(f"the warm loop did not work: {ended} {output.strip()[-500:]}")
    return per_mutant("warm loop", len(paths), cpu - plain, wall - plain_wall)


def show(found: dict) -> None:
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


def bench_others(environments: Path, mutants: int) -> Iterator[dict]:
    """What other tools need on the sample."""
    pyspark = f"pyspark=={importlib.metadata.version('pyspark')}"
    tools = make_environment(environments, "tools", "mutmut==3.8.1", "cosmic-ray==8.7.0", "pytest", pyspark)
    catalyst = make_environment(environments, "catalyst", "pytest-spark-mutation-testing==1.0.1", "pytest")
    for bench in (
        lambda folder: bench_warm_loop(mutants, folder),
        lambda folder: bench_mutmut(tools, mutants, folder),
        lambda folder: bench_mutmut(tools, 2, folder, forkserver=True),
        lambda folder: bench_cosmic_ray(tools, 2, folder),
        lambda folder: bench_catalyst(catalyst, folder),
    ):
        with tempfile.TemporaryDirectory() as folder:
            yield bench(Path(folder).resolve())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--others", type=Path)
    parser.add_argument("--mutants", type=int, default=30)
    parser.add_argument("--engine", action="append", choices=("sail", "auto", "spark"))
    parser.add_argument("--suite", action="append", choices=sorted(SUITES))
    given = parser.parse_args()
    for name in given.suite or SUITES:
        for engine in given.engine or ("sail",):
            with tempfile.TemporaryDirectory() as folder:
                show(bench_ours(name, engine, Path(folder).resolve()))
    for found in bench_others(given.others.resolve(), given.mutants) if given.others else ():
        show(found)


if __name__ == "__main__":
    main()
