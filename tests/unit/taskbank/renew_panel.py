"""Measure the panel of a built folder anew: `python tests/unit/taskbank/renew_panel.py REFS SCALE FILE`.

REFS is what `lockin tasks build --scale SCALE --out REFS` made. This renews tests/golden/reference_panel_*.json:
at scale 0.01 it takes two minutes on two cores, at scale 1 ten, most of it classic Spark's.
"""

import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from references import PACKAGES, run_child, stored_members

from pytest_lockin.taskbank.dialect.company import duckdb_member, open_duckdb
from pytest_lockin.taskbank.panel import measure_panels
from pytest_lockin.taskbank.panel_report import render_panels, write_panels


def main(refs, scale, file):
    tasks = sorted(path.parent.name for path in refs.glob("*/reference.sql"))
    with tempfile.TemporaryDirectory() as folder:
        for engine in ("spark", "sail"):
            run_child(engine, refs, f"{folder}/{engine}", timeout=3600)
        with open_duckdb(refs / "tables") as connection:
            report = measure_panels(
                tasks,
                [
                    *stored_members("spark", f"{folder}/spark"),
                    duckdb_member(refs, connection),
                    stored_members("sail", f"{folder}/sail")[0],
                ],
                scale=scale,
                versions={name: version(name) for name in PACKAGES},
            )
    sys.stdout.write("\n".join(render_panels(report)) + "\n")
    write_panels(report, file)
    return 1 if report.unfit else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
