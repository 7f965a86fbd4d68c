"""References run for real, on Sail; one worker process serves the whole folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pytest_lockin.references.load import Panel, load_panel
from pytest_lockin.references.run import ProgramRunner
from pytest_lockin.references.vet import Vetted, vet_panel
from pytest_lockin.settings import Settings
from pytest_lockin.workshop import Workshop

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lockin.model.task import Task


@pytest.fixture(scope="session")
def workshop(tmp_path_factory):
    shop = Workshop(Settings(engine="sail"), hidden=(), cwd=str(tmp_path_factory.mktemp("cwd")))
    yield shop
    shop.close()


@pytest.fixture(scope="session")
def runner(workshop):
    runner = ProgramRunner(workshop, "sail", workshop.folder / "references")
    yield runner
    runner.close()


ORDERS = pa.table(
    {
        "id": pa.array([1, 2, 3, 4, 5, 6], pa.int64()),
        "customer": pa.array(["ann", "bob", "ann", "cid", None, "bob"]),
        "amount": pa.array([10, 20, 30, 20, 5, 10], pa.int64()),
    }
)


@dataclass
class Refs:
    """A folder of references for one task `t`, written file by file."""

    root: Path
    runner: ProgramRunner

    def write(self, **files: str) -> Refs:
        for name, text in files.items():
            (self.root / "t" / name.replace("__", ".")).write_text(text)
        return self

    def table(self, name: str, table: pa.Table, *, of_task: bool = True) -> Refs:
        folder = self.root / ("t/tables" if of_task else "tables")
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / f"{name}.parquet")
        return self

    def panel(self) -> Panel:
        return load_panel(self.root, "t")

    def vet(self, task: Task | None = None) -> Vetted:
        return vet_panel(self.panel(), task, self.runner)


@pytest.fixture
def refs(tmp_path, runner):
    (tmp_path / "t").mkdir()
    return Refs(tmp_path, runner).table("orders", ORDERS)
