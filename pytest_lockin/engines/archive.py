"""Keep Spark's loaded classes in a file, so that the next JVM need not load them again.

A class data archive (part of every JDK since 13) takes about a third off the time a fresh JVM needs for its
first suite. It is made only on request, and used when it is there; a JVM that finds it stale ignores it.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.engines.preflight import java_home, spark_home
from pytest_lockin.errors import EngineError

if TYPE_CHECKING:
    from pytest_lockin.engines.jvm import JvmHandle

# Writing the archive happens while the JVM ends.
DUMP_LIMIT = 180.0

# What most suites do, so that the classes for it are in the archive.
_EXERCISE = """
import sys
from pytest_lockin.engines import create_engine
from pytest_lockin.engines.base import EngineOptions

engine = create_engine("spark")
port, secret = int(sys.argv[1]), sys.stdin.read()
engine.start(EngineOptions(gateway_port=port, gateway_secret=secret, scratch=sys.argv[2]))
spark = engine.session()
from pyspark.sql import Window, functions as F

rows = spark.createDataFrame([(1, "a", 1.5), (2, None, 2.5)], "k int, s string, x double")
rows.createOrReplaceTempView("t")
joined = rows.join(rows.withColumnRenamed("x", "y"), "k", "left").filter(F.col("y") > 1)
ranked = joined.withColumn("n", F.row_number().over(Window.partitionBy("k").orderBy(F.desc("x"))))
grouped = ranked.groupBy("k").agg(F.sum("x").cast("decimal(10,2)").alias("x"), F.countDistinct("y"))
grouped.union(grouped).distinct().orderBy("k").limit(5).collect()
spark.sql("select upper(s), avg(x), case when s is null then 1 end from t group by rollup(s)").collect()
rows.select(F.udf(lambda k: k + 1, "int")("k")).toPandas()
engine.from_frame(engine.to_frame(rows)).count()
rows.write.parquet(sys.argv[2] + "/t.parquet")
spark.read.parquet(sys.argv[2] + "/t.parquet").count()
engine.reset()
engine.stop()
"""


def archive_path() -> Path | None:
    """Return where the archive for this Spark and this Java lives, whether or not it is there."""
    java, spark = java_home(), spark_home()
    if java is None or spark is None:
        return None
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    where = hashlib.sha256(f"{java}\n{spark}".encode()).hexdigest()[:12]
    return Path(cache) / "pytest-lockin" / f"spark-{metadata.version('pyspark')}-{where}.jsa"


def archive_options() -> str:
    """Return the JVM options that use the archive; empty where there is none."""
    path = archive_path()
    return f'"-XX:SharedArchiveFile={path}"' if path is not None and path.exists() else ""


def build_archive() -> Path:
    """Run a JVM through typical queries and keep its classes: about half a minute, 150 MB on disk.

    Raises:
        JavaMissingError: there is no Java that can run Spark.
        EngineError: no archive came of it; the message says why.
    """
    from pytest_lockin.engines.jvm import missing_java, start_jvm

    path = archive_path()
    if path is None:
        raise missing_java()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / "classes.jsa"
        jvm = start_jvm(Path(folder), extra_options=f'"-XX:ArchiveClassesAtExit={made}"')
        try:
            _exercise(jvm, Path(folder))
        finally:
            jvm.stop(limit=DUMP_LIMIT)
        if not made.exists():
            raise EngineError(
                expected="Java to write a class archive",
                found="none",
                hint="use a JDK 17 or newer; lockin works without the archive, only slower",
            )
        made.replace(path)
    return path


def _exercise(jvm: JvmHandle, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _EXERCISE, str(jvm.port), str(folder)],
        input=jvm.secret,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise EngineError(
            expected="Spark to run a few queries",
            found=(done.stderr.strip().splitlines() or ["no answer"])[-1],
            hint="run `lockin doctor`",
        )
