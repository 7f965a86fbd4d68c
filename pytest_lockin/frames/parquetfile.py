"""Parquet files read by a process that must not run out of memory: small on disk may be endless in it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from pytest_lockin.frames.ipcfile import InflatingError, most_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
_PATIENCE = 600.0
# Reads the file where nothing but itself can run out of memory.
_TRIAL = """
import resource, sys
sys.path[:] = sys.argv[3:]
import pyarrow.parquet as pq
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[2]),) * 2)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
pq.read_table(sys.argv[1])
"""


def read_parquet(path: Path, limit: int | None = None) -> pa.Table:
    """Read a Parquet file or folder that takes at most `limit` bytes in memory (default `most_bytes`).

    What the footers declare may hold a long text once for a million rows, or a billion values in one run.
    Where it could be more than the limit, a process of its own with that much memory tries first.

    Raises:
        InflatingError: reading it takes more.
        OSError, pa.ArrowException: it cannot be read.
    """
    limit = most_bytes() if limit is None else limit
    if _at_most(path) > limit:
        _try_apart(path, limit)
    return pq.read_table(path)


def _at_most(path: Path) -> int:
    """Bytes it may take, by what its footers say."""
    return sum(
        _column_at_most(footer.row_group(group).column(column))
        for footer in _footers(path)
        for group in range(footer.num_row_groups)
        for column in range(footer.num_columns)
    )


def _column_at_most(chunk: pq.ColumnChunkMetaData) -> int:
    width = _WIDTHS.get(chunk.physical_type)
    # A text that stands there once may be every value.
    return int(chunk.num_values) * (
        width if width is not None else max(1, int(chunk.total_uncompressed_size))
    )


def _footers(path: Path) -> Iterator[pq.FileMetaData]:
    for file in pq.ParquetDataset(path).files if path.is_dir() else [path]:
        yield pq.read_metadata(file)


def _try_apart(path: Path, limit: int) -> None:
    try:
        ran = subprocess.run(
            [sys.executable, "-I", "-c", _TRIAL, str(path.absolute()), str(limit), *sys.path],
            env={"ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "2", **_kept()},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"it takes longer than {_PATIENCE:.0f} s to read"
        raise InflatingError(message) from None
    if ran.returncode != 0:
        message = f"it takes more than {limit >> 20} MiB of memory to read"
        raise InflatingError(message)


def _kept() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}


__all__ = ["read_parquet"]
