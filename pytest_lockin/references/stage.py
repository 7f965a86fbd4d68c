"""Input tables under paths that say nothing: a candidate sees data, never where the references lie."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.model.messages import TableFile

if TYPE_CHECKING:
    from collections.abc import Iterable


def stage_tables(tables: Iterable[tuple[str, str]], folder: Path) -> tuple[TableFile, ...]:
    """Hard-link (or copy) tables below `folder`; a symbolic link would tell where they came from."""
    return tuple(TableFile(name=name, path=str(_stage(name, Path(path), folder))) for name, path in tables)


def _stage(name: str, source: Path, folder: Path) -> Path:
    key = hashlib.sha256(str(source).encode()).hexdigest()[:12]
    target = folder / key / f"{name}.parquet"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, copy_function=_link_or_copy)
    else:
        _link_or_copy(str(source), str(target))
    return target


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(os.path.realpath(source), target)
    except OSError:
        shutil.copyfile(source, target)
