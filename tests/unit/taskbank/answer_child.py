"""Run references in a process of its own, because an engine changes global state: `ENGINE refs OUT [task...]`.

Every statement and program of the built folder, each answer a frame in OUT. With `dense` for the folder, the
tasks are `task:seed:rows` and the tables are made in here; `task:seed:rows:FILE` runs another program.
"""

import runpy
import sys
import tempfile
from pathlib import Path

from dense import make_tables

from pytest_lockin.engines import create_engine
from pytest_lockin.engines.base import EngineOptions
from pytest_lockin.frames import Frame
from pytest_lockin.frames.store import write_frame
from pytest_lockin.taskbank.shipped import program_file
from pytest_lockin.taskbank.statements import read_statement


def main(engine_name, folder, out, tasks):
    engine = create_engine(engine_name)
    with tempfile.TemporaryDirectory() as scratch:
        # Planning aids are for tables of a few rows; a built folder may hold millions.
        engine.start(EngineOptions(scratch=scratch, aids=folder == "dense"))
        try:
            if folder == "dense":
                answer_dense(engine, Path(out), tasks)
            else:
                answer_built(engine, Path(folder), Path(out), tasks)
        finally:
            engine.stop()


def answer_built(engine, refs, out, tasks):
    session = engine.session()
    tables = {file.stem: engine.read_parquet(file) for file in sorted((refs / "tables").glob("*.parquet"))}
    engine.register(tables)
    for task in tasks or sorted(file.parent.name for file in refs.glob("*/reference.sql")):
        text, program = (refs / task / "reference.sql").read_text(), refs / task / "reference_dataframe.py"
        answer(engine, out / task / "sql.arrow", engine.sql, text)
        answer(engine, out / task / "dataframe.arrow", solve, program, session, tables)


def answer_dense(engine, out, tasks):
    for name in tasks:
        task, seed, rows, *other = name.split(":")
        session = engine.session()
        made = make_tables(task, int(seed), int(rows))
        tables = {table: engine.from_frame(Frame.of(arrow)) for table, arrow in made.items()}
        engine.register(tables)
        folder = out / name.replace("/", "_")
        text, file = read_statement(task).text, Path(other[0]) if other else program_file(task)
        answer(engine, folder / "sql.arrow", engine.sql, text)
        answer(engine, folder / "dataframe.arrow", solve, file, session, tables)
        engine.reset()


def solve(file, session, tables):
    return runpy.run_path(str(file))["solve"](session, dict(tables))


def answer(engine, path, run, *arguments):
    """Write the frame, or the error in its place: one failure must not hide the other answers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        write_frame(engine.to_frame(run(*arguments)), path)
    except Exception as error:  # noqa: BLE001
        path.with_suffix(".error").write_text(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
