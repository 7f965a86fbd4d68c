"""Much of everything in one run. Slow: `make slow`; docs/benchmarks.md keeps the last result."""

import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from plugin_project import BIG, BIG_TESTS, Project

from pytest_lockin.model.messages import EngineSpec, SuiteJob
from pytest_lockin.model.suite import EntryPoint
from pytest_lockin.model.trial import Try
from pytest_lockin.settings import Settings
from pytest_lockin.suite.child import BLOCKED_PLUGINS
from pytest_lockin.suite.trial_worker import TrialWorker
from pytest_lockin.workers.sandbox.groups import PREFIX
from pytest_lockin.workshop import Workshop

TRIALS = 2000
CASES = 10_000
ROWS = 10_000_000
TESTS = """
from pyspark.sql import SparkSession
from solution import solve

def test_big():
    spark = SparkSession.builder.getOrCreate()
    orders = spark.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")
    assert [row.id for row in solve(spark, {"orders": orders}).collect()] == [2]
"""
SOLUTION = """
from pyspark.sql import functions as F

def solve(spark, tables):
    return tables["orders"].where(F.col("amount") > 10).select("id", "amount")
"""

pytestmark = pytest.mark.slow


def resident(pid):
    """Kilobytes of memory of a process, proportionally where it is shared."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def make_worker(shop, folder):
    ini = shop.folder / "pytest.ini"
    ini.write_text("[pytest]\n")
    args = ["-c", str(ini), "--rootdir", str(folder)]
    for name in BLOCKED_PLUGINS:
        args += ["-p", f"no:{name}"]
    job = SuiteJob(
        suite_id="test_solution.py",
        path=str(folder / "test_solution.py"),
        entry_point=EntryPoint(),
        engine=EngineSpec(name="sail"),
        store=str(shop.store_of("soak")),
        root=str(folder),
        ini_file=str(ini),
        pytest_args=tuple(args),
        observe="trials",
    )
    return TrialWorker(shop, job, ["test_solution.py::test_big"], limit=300)


def test_two_thousand_trials_grow_neither_memory_nor_processes(tmp_path, record_property):
    (tmp_path / "solution.py").write_text(SOLUTION)
    (tmp_path / "test_solution.py").write_text(TESTS)
    shop = Workshop(Settings(engine="sail", sandbox="bwrap"), hidden=(), cwd=str(tmp_path))
    worker = make_worker(shop, tmp_path)
    assert worker.prepare().refusal == ""
    process = worker._worker.process
    sizes, counts, ended = [], [], set()
    begun = time.monotonic()
    for number in range(TRIALS):
        # Killed, unnoticed and the same in turn: every way a trial takes.
        edited = SOLUTION.replace("> 10", ("> 30", "> 15", ">= 10")[number % 3])
        ended.add(worker.try_one(Try(id=f"t{number}", module="solution", source=edited), 120).outcome)
        if number % 50 == 0:
            sizes.append(resident(process.inner()))
            counts.append(len((process.group.folders[-1] / "cgroup.procs").read_text().split()))
    seconds = time.monotonic() - begun
    worker.stop()
    groups = process.group.folders
    shop.close()
    record_property("sizes", sizes)
    print(  # noqa: T201 - the result that is kept
        f"{TRIALS} trials in {seconds:.0f} s; resident kB {sizes[1]} -> {sizes[-1]}; processes {counts[1]} -> {counts[-1]}"
    )
    assert len(ended) > 1
    # What is loaded lazily is loaded by then.
    settled = sizes[len(sizes) // 4 :]
    assert settled[-1] < 1.15 * settled[0], settled
    assert counts[-1] <= counts[1]
    assert not [folder for folder in groups if folder.exists() or not folder.name.startswith(PREFIX)]


def test_ten_thousand_cases(tmp_path):
    project = Project(tmp_path.resolve())
    project.suite(
        "big-many",
        f"""
        import pytest

        @pytest.mark.parametrize("number", range({CASES}))
        def test_number(number):
            assert number >= 0
        """,
        BIG,
    )
    project.task("big-many")
    ran = project.run("suites", "--lockin-sandbox", "bwrap", "-q")
    assert ran.counts == {"passed": CASES}
    assert ran.task("big-many")["tests"]["passed"] == CASES
    assert project.leftovers() == []


SERVER = """
import sys, time
from pysail.spark import SparkConnectServer
server = SparkConnectServer(ip="127.0.0.1", port=0)
server.start(background=True)
print(server.listening_address[1], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def cluster():
    """The address of a Spark Connect server that runs elsewhere."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield f"sc://127.0.0.1:{process.stdout.readline().strip()}"
        process.kill()


def test_ten_million_rows_through_a_reference_on_a_cluster(tmp_path, cluster):
    """Every row is fetched and compared; one that differs is found. Prints what it took."""
    project = Project(tmp_path.resolve())
    wrong = BIG.replace("> 10)", "> 10.5)")
    project.suite("big-right", BIG_TESTS, BIG)
    project.suite("big-wrong", BIG_TESTS, wrong)
    tables = project.reference() / "tables"
    ids = np.arange(ROWS, dtype="i4")
    amounts = np.where(ids == ROWS - 1, 10.25, 11.0 + ids % 1000)
    pq.write_table(pa.table({"id": ids, "amount": amounts}), tables / "orders.parquet")
    begun = time.monotonic()
    ran = project.run("suites", "--lockin-sandbox", "none", "--lockin-allow", "not_isolated", engine=cluster)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    print(f"{ROWS} rows, two suites: {time.monotonic() - begun:.0f} s, at most {used} MiB in one process")  # noqa: T201
    right, other = ran.task("big-right"), ran.task("big-wrong")
    assert right["verdict"] == "true_pass", right["reason"]
    assert other["verdict"] == "false_pass", other["reason"]
    assert right["agreement"]["rows_expected"] == ROWS
    assert project.leftovers() == []
