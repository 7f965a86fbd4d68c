"""Programs that use up what there is."""

import os
import sys
import threading
import time


def memory_bomb(spark, tables):
    held = []
    while True:
        held.append(bytearray(64 << 20))


def memory_bomb_in_temporary_files(spark, tables):
    number = 0
    while True:
        with open(f"/dev/shm/bomb-{number}", "wb") as file:
            file.write(bytes(32 << 20))
        number += 1


def parquet_bomb(spark, tables):
    """A file of some kilobytes that is gigabytes once it is read."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = pa.array(np.zeros(1_000_000, "i4"))
    texts = pa.DictionaryArray.from_arrays(rows, pa.array(["x" * 1_000_000]))
    pq.write_table(pa.table({"a": texts}), "/tmp/bomb.parquet", compression="zstd")
    return spark.range(len(pq.read_table("/tmp/bomb.parquet")["a"].cast(pa.large_string())))


def fork_bomb(spark, tables):
    made = 0
    try:
        while True:
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
            made += 1
    except OSError as error:
        return spark.createDataFrame([(f"stopped after {made}: {error}",)], "got string")


def thread_bomb(spark, tables):
    made = 0
    try:
        while made < 100_000:
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
            made += 1
    except RuntimeError as error:
        return f"stopped after {made}: {error}"
    return f"made {made}"


def file_bomb(spark, tables):
    """One file in the folder its results go to, as large as it gets."""
    import glob

    folder = max(glob.glob("/tmp/**/worker-*", recursive=True) or ["/tmp"], key=len)
    with open(f"{folder}/bomb", "wb") as file:
        file.truncate(1 << 40)
    return spark.range(1)


def many_files(spark, tables):
    import glob

    folder = max(glob.glob("/tmp/**/worker-*", recursive=True) or ["/tmp"], key=len)
    number = 0
    while True:
        with open(f"{folder}/bomb-{number}", "wb") as file:
            file.write(bytes(8 << 20))
        number += 1


def output_flood(spark, tables):
    line = b"x" * 65536
    for _ in range(2000):
        os.write(1, line)
    return spark.range(1)


def endless_loop(spark, tables):
    while True:
        pass


def endless_loop_deaf_to_signals(spark, tables):
    import signal

    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        while True:
            time.sleep(1)
    while True:
        pass


def endless_loop_in_a_function(spark, tables):
    from pyspark.sql import functions as F

    def loop(_):
        while True:
            pass

    return spark.range(1).select(F.udf(loop)("id"))


def deep_recursion(spark, tables):
    sys.setrecursionlimit(1 << 30)

    def down(depth):
        return down(depth + 1)

    return down(0)


def close_all_files(spark, tables):
    os.closerange(0, 4096)
    while True:
        time.sleep(1)


def end_the_process(spark, tables):
    os._exit(0)


def stop_itself(spark, tables):
    import signal

    os.kill(os.getpid(), signal.SIGSTOP)


def nonsense_on_the_wire(spark, tables):
    """Answers in the recorder's place, with what is no message."""
    for handle in range(3, 64):
        try:
            os.write(handle, b"\xff" * 64)
        except OSError:
            continue
    time.sleep(600)


def linked_result(spark, tables):
    """A result that is a link to a file outside."""
    return spark.range(1)


def wide(spark, tables):
    from pyspark.sql import functions as F

    return spark.range(1).select(*[F.lit(n).alias(f"c{n}") for n in range(500)])
