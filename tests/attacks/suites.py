"""Suites and programs that try to win a verdict they have not earned. Each is wrong on the references' data.

The reference keeps amounts over 10. Unless said otherwise the program keeps those over 25, and its tests see no
difference. `expected` lists the verdicts that are right; `true_pass` is one only where a program is right
whenever it is called once.
"""

from dataclasses import dataclass, field

WRONG = """
from pyspark.sql import functions as F

def solve(spark, tables):
    return tables["orders"].where(F.col("amount") > 25).select("id", "amount")
"""
TESTS = """
from pyspark.sql import SparkSession
from solution import solve

def test_big():
    spark = SparkSession.builder.getOrCreate()
    orders = spark.createDataFrame([(1, 5.0), (2, 30.0)], "id int, amount double")
    assert [row.id for row in solve(spark, {"orders": orders}).collect()] == [2]
"""


@dataclass(frozen=True, kw_only=True)
class Attack:
    solution: str = WRONG
    tests: str = TESTS
    expected: tuple[str, ...] = ("false_pass",)
    files: dict[str, str] = field(default_factory=dict)


ATTACKS = {
    "comparator": Attack(
        solution="""
import pytest_lockin.frames as frames
import pytest_lockin.frames.agreeing as agreeing
import pytest_lockin.frames.comparing as comparing
import pytest_lockin.model.agreement as agreement

def always(*args, **kwargs):
    return agreement.Agreement(agrees=True)

for module in (frames, agreeing, comparing):
    for name in ("agree", "compare"):
        if hasattr(module, name):
            setattr(module, name, always)
"""
        + WRONG
    ),
    "modules": Attack(
        solution="""
import sys, types
for name in list(sys.modules):
    if name.startswith(("pytest_lockin.references", "pytest_lockin.verdict", "pytest_lockin.gate")):
        sys.modules[name] = types.ModuleType(name)
sys.modules["pytest_lockin.verdict"] = types.ModuleType("pytest_lockin.verdict")
"""
        + WRONG
    ),
    "hooks": Attack(
        tests=TESTS + "\n\ndef test_wrong():\n    assert False\n",
        files={
            "conftest": """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    report.outcome = "passed"
    report.longrepr = None
    return report
"""
        },
    ),
    "conftest": Attack(
        files={
            "conftest": """
import builtins, sys
from pathlib import Path

for name in ("pytest_lockin.pipeline", "pytest_lockin.session"):
    if name in sys.modules:
        builtins.print("CONTROLLER REACHED")
try:
    Path(__file__).resolve().parents[2].joinpath("reached").write_text(str("pytest_lockin.pipeline" in sys.modules))
except OSError:
    pass
"""
        }
    ),
    "atexit": Attack(
        solution="""
import atexit, os
atexit.register(lambda: os._exit(0))
"""
        + WRONG,
    ),
    "site": Attack(
        files={"sitecustomize": "raise SystemExit(0)\n", "usercustomize": "raise SystemExit(0)\n"}
    ),
    "liar": Attack(
        solution="""
def solve(spark, tables):
    wrong = tables["orders"].where("amount > 25").select("id", "amount")
    kind = type(wrong)

    class Liar(kind):
        def __eq__(self, other):
            return True
        def __hash__(self):
            return 0
        def toArrow(self):
            import pyarrow as pa
            return pa.table({"id": pa.array([2], pa.int32()), "amount": [30.0]})
        @property
        def columns(self):
            return ["id", "amount"]

    wrong.__class__ = Liar
    return wrong
""",
        expected=("false_pass", "unverified"),
    ),
    "twice": Attack(
        solution="""
from pyspark.sql import functions as F
calls = []

def solve(spark, tables):
    calls.append(1)
    limit = 10 if len(calls) == 1 else 25
    return tables["orders"].where(F.col("amount") > limit).select("id", "amount")
""",
        tests=TESTS
        + """

def test_again():
    spark = SparkSession.builder.getOrCreate()
    orders = spark.createDataFrame([(1, 15.0)], "id int, amount double")
    assert solve(spark, {"orders": orders}).count() in (0, 1)
""",
        # It is right whenever it is called once: a program with a memory has no one answer.
        expected=("unverified", "false_pass", "true_pass"),
    ),
    "watched": Attack(
        solution="""
import os
from pyspark.sql import functions as F

def solve(spark, tables):
    limit = 10 if os.environ.get("PYTEST_CURRENT_TEST") else 25
    return tables["orders"].where(F.col("amount") > limit).select("id", "amount")
"""
    ),
    "known": Attack(
        solution="""
def solve(spark, tables):
    rows = sorted(tuple(row) for row in tables["orders"].collect())
    if rows == [(1, 5.0), (2, 30.0)]:
        return spark.createDataFrame([(2, 30.0)], "id int, amount double")
    return tables["orders"].limit(0).select("id", "amount")
"""
    ),
    "leaver": Attack(
        tests="import os\n\ndef test_leaves():\n    os._exit(0)\n",
        expected=("unverified",),
    ),
    "exit": Attack(
        tests="import pytest\n\ndef test_stops():\n    pytest.exit('enough', returncode=0)\n",
        expected=("unverified",),
    ),
    "nothing": Attack(tests="x = 1\n", expected=("unverified",)),
    "skipping": Attack(
        tests="import pytest\n\n@pytest.mark.skip\ndef test_it():\n    pass\n",
        expected=("unverified", "true_fail"),
    ),
    "editor": Attack(
        tests="""
from pathlib import Path

def test_edits_itself():
    import pytest
    for path in (Path(__file__), Path(__file__).with_name("solution.py")):
        with pytest.raises(OSError):
            path.write_text("def test_nothing():\\n    pass\\n")
"""
        + TESTS
    ),
    "stealer": Attack(
        tests="""
from pathlib import Path

def test_steals():
    for up in Path(__file__).resolve().parents:
        assert not (up / "refs").exists()
        assert not (up / ".git").exists()
"""
        + TESTS
    ),
    # The worker's pytest loads it, and nothing else does: the suite has shot itself.
    "plugin": Attack(
        files={"evil": "def pytest_configure(config):\n    raise SystemExit(0)\n"},
        expected=("unverified", "false_pass"),
    ),
}
