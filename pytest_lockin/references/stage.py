"""Input tables under paths that say nothing: a candidate sees data, never where the references lie."""

from __future__ import annotations

import hashlib
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.model.messages import TableFile

if TYPE_CHECKING:
    from collections.abc import Iterable

# Suites are judged side by side and share their data.
_LOCK = threading.Lock()


def stage_tables(tables: Iterable[tuple[str, str]], folder: Path) -> tuple[TableFile, ...]:
    """Copy tables below `folder`, each once.

    A symbolic link would tell where they came from, and through a hard link a candidate could write into
    the references' own data.
    """
    with _LOCK:
        return tuple(
            TableFile(name=name, path=str(_stage(name, Path(path), folder))) for name, path in tables
        )


def _stage(name: str, source: Path, folder: Path) -> Path:
    key = hashlib.sha256(str(source).encode()).hexdigest()[:12]
    target = folder / key / f"{name}{source.suffix or '.parquet'}"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_suffix(".draft")
    if source.is_dir():
        shutil.copytree(source, draft)
    else:
        shutil.copyfile(source, draft)
    return draft.rename(target)
