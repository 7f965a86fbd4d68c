import json
import subprocess
import sys

import pytest

from pytest_lockin.taskbank.build import BuildOptions, build

# In a process of its own: an engine changes global state, and the schema of a query is all that is wanted.
DESCRIBE = """
import json, os, sys
os.environ["SAIL_EXECUTION__DEFAULT_PARALLELISM"] = "1"
from pathlib import Path
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession

server = SparkConnectServer(port=0)
server.start(background=True)
spark = SparkSession.builder.remote(f"sc://localhost:{server.listening_address[1]}").getOrCreate()
refs = Path(sys.argv[1])
for file in (refs / "tables").glob("*.parquet"):
    spark.read.parquet(str(file)).createOrReplaceTempView(file.stem)
found = {
    file.parent.name: [
        [field.name.lower(), field.dataType.simpleString()] for field in spark.sql(file.read_text()).schema.fields
    ]
    for file in sorted(refs.glob("*/reference.sql"))
}
print(json.dumps(found))
"""


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """All thirty tasks at the smallest scale, built once."""
    from pytest_lockin.taskbank.bank import list_task_ids

    out = tmp_path_factory.mktemp("built") / "refs"
    build(out, list_task_ids(), BuildOptions(scale=0.01, locked=False))
    return out


@pytest.fixture(scope="session")
def outputs(built):
    """Name and type of every output column of every reference, as Sail sees them."""
    run = subprocess.run(
        [sys.executable, "-c", DESCRIBE, str(built)], capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="session")
def on_sail(built, tmp_path_factory):
    """Answers of all statements and programs on the smallest data, on Sail (`references.read_answer`)."""
    from references import run_child

    out = tmp_path_factory.mktemp("on-sail")
    run_child("sail", built, out)
    return out
