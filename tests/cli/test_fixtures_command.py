"""`lockin fixtures`: made, kept, shown, checked; a small task on Sail."""

from __future__ import annotations

import json
import shutil

import pytest

from pytest_lockin.cli import main

TASK = """\
id: shops
title: What shops earn
prompt: Total of each shop.
entry_point: solve
tables:
- name: sale
  key: [id]
  columns:
  - {name: id, type: bigint, nullable: false}
  - {name: shop, type: bigint}
  - {name: price, type: 'decimal(7,2)'}
  - {name: cost, type: 'decimal(7,2)'}
- name: shop
  key: [shop_id]
  columns:
  - {name: shop_id, type: bigint, nullable: false}
  - {name: name, type: string}
  - {name: city, type: string}
"""
OBLIGATIONS = """\
obligations:
- {id: O1, kind: metric, source: prompt, columns: [sale.price], text: The total is the sum of the price.}
- {id: O2, kind: filter, source: prompt, columns: [sale.price], text: Only sales over 10 count.}
- {id: O3, kind: literal, source: prompt, columns: [sale.cost], text: "Nothing in the statement, at all."}
"""
REFERENCE = """\
SELECT name, sum(price) AS total
FROM sale JOIN shop ON shop = shop_id
WHERE city = 'Bonn' AND price > 10
GROUP BY name
ORDER BY total DESC, name
LIMIT 100;
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shops")
    (folder / "shops").mkdir()
    (folder / "shops" / "task.yaml").write_text(TASK + OBLIGATIONS)
    (folder / "refs" / "shops" / "tables").mkdir(parents=True)
    (folder / "refs" / "shops" / "reference.sql").write_text(REFERENCE)
    assert main(["fixtures", "build", *where(folder), "--judge", "none"]) == 0
    return folder


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def where(folder):
    return [
        str(folder / "shops" / "task.yaml"),
        "--out",
        str(folder / "fixtures"),
        "--refs",
        str(folder / "refs"),
    ]


def without_refs(folder):
    return where(folder)[:3]


def test_nearly_every_wrong_program_shows_on_the_fixtures(project):
    variants = json.loads((project / "fixtures" / "shops" / "variants.json").read_text())["variants"]
    standings = [variant["standing"] for variant in variants]
    assert len(standings) > 30
    separated, proved = standings.count("distinguished"), standings.count("equivalent-proved")
    assert separated >= 0.95 * (len(standings) - proved)


def test_fixtures_are_few_and_small_and_do_not_hold_the_reference(project):
    files = sorted((project / "fixtures" / "shops").glob("*.json"))
    fixtures = [json.loads(path.read_text()) for path in files if path.name != "variants.json"]
    ordinary = [fixture for fixture in fixtures if fixture["name"] != "volume"]
    assert 1 <= len(ordinary) <= 5
    assert all(len(table["rows"]) <= 20 for fixture in ordinary for table in fixture["tables"])
    assert all("SELECT" not in path.read_text() for path in files)


def test_what_is_up_to_date_is_left_alone(project, capsys):
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*.json")}
    assert main(["fixtures", "build", *where(project)]) == 0
    assert "shops: up to date" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*.json")} == before


def test_a_clean_folder_is_in_order(project, capsys):
    assert main(["fixtures", "check", *where(project)]) == 0
    assert "as locked, all of them legal" in capsys.readouterr().out


def test_a_changed_cell_and_illegal_data_are_found(project, tmp_path, capsys):
    shutil.copytree(project, tmp_path / "copy")
    folder = tmp_path / "copy"
    path = next(p for p in sorted((folder / "fixtures" / "shops").glob("f*.json")))
    fixture = json.loads(path.read_text())
    sale = next(table for table in fixture["tables"] if table["name"] == "sale" and table["rows"])
    sale["rows"].append(sale["rows"][0])
    path.write_text(json.dumps(fixture))
    assert main(["fixtures", "check", *without_refs(folder)]) == 1
    told = capsys.readouterr().out
    assert f"shops/{path.name}: was changed" in told
    assert "2 times" in told


def test_another_reference_is_found(project, tmp_path, capsys):
    shutil.copytree(project, tmp_path / "copy")
    folder = tmp_path / "copy"
    (folder / "refs" / "shops" / "reference.sql").write_text(REFERENCE.replace("> 10", ">= 10"))
    assert main(["fixtures", "check", *where(folder)]) == 1
    assert "the reference is another" in capsys.readouterr().out


def test_show_prints_rows_with_what_they_are_for(project, capsys):
    assert main(["fixtures", "show", *without_refs(project)]) == 0
    told = capsys.readouterr().out
    assert "shops f1: " in told
    assert "sale:" in told
    assert "(1) " in told


def test_explain_lists_every_variant_with_its_class(project, capsys):
    assert main(["fixtures", "explain", *where(project)]) == 0
    told = capsys.readouterr().out
    assert "distinguished: " in told
    assert "a program is wrong if the condition city = 'Bonn' is left out: " in told


def test_explain_shows_the_few_rows_on_which_a_variant_matters(project, capsys):
    variants = json.loads((project / "fixtures" / "shops" / "variants.json").read_text())["variants"]
    dropped = next(v for v in variants if "city = 'Bonn' is left out" in v["text"])
    task, *rest = where(project)
    assert main(["fixtures", "explain", task, dropped["id"], *rest]) == 0
    told = capsys.readouterr().out
    assert "-  city = 'Bonn'" in told or "city = 'Bonn' AND" in told or "city = 'Bonn'" in told
    assert "expected: no rows" in told
    assert "found:" in told


@pytest.mark.usefixtures("empty_folder")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["show", "--out", "nowhere"], "fixtures of shops"),
        (["explain", "--out", "nowhere"], "fixtures of shops"),
        (["build", "--refs", "nowhere", "--out", "new"], "shops"),
    ],
)
def test_what_is_missing_is_said_without_a_traceback(project, capsys, change, said):
    action, *rest = change
    assert main(["fixtures", action, str(project / "shops" / "task.yaml"), *rest]) == 2
    assert said in capsys.readouterr().err


def test_an_unknown_variant_is_said(project, capsys):
    task, *rest = where(project)
    assert main(["fixtures", "explain", task, "nope", *rest]) == 2
    assert "the id of a variant" in capsys.readouterr().err


def test_a_reference_without_a_statement_is_said(project, tmp_path, capsys):
    shutil.copytree(project, tmp_path / "copy")
    folder = tmp_path / "copy"
    (folder / "refs" / "shops" / "reference.sql").rename(folder / "refs" / "shops" / "reference.py")
    assert main(["fixtures", "build", *where(folder)]) == 2
    assert "written in SQL" in capsys.readouterr().err


# A case written from a fixture.


def witness(folder, obligation, *more):
    task, refs = str(folder / "shops" / "task.yaml"), str(folder / "refs")
    return ["witness", task, obligation, "--refs", refs, "--fixtures", str(folder / "fixtures"), *more]


def test_a_case_is_written_as_the_suite_calls_the_program_and_is_seen_to_hold(project, tmp_path, capsys):
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "solution.py").write_text("def solve(shop, *, spark, sale_df): ...\n")
    (suite / "conftest.py").write_text("def spark(): ...\n")
    file = tmp_path / "new" / "test_o2.py"
    assert main(witness(project, "o2", "--suite", str(suite), "--write", str(file))) == 0
    told = capsys.readouterr()
    assert told.out == f"wrote {file}\n"
    assert "passes on the reference, fails where" in told.err
    text = file.read_text()
    assert "def test_o2_only_sales_over_10_count(spark):" in text
    assert 'solve(shop=tables["shop"], spark=spark, sale_df=tables["sale"])' in text
    assert main(witness(project, "O2", "--write", str(file))) == 2
    assert file.read_text() == text


def test_what_cannot_be_witnessed_is_one_clear_message(project, tmp_path, capsys):
    assert main(witness(project, "O9")) == 2
    assert "one of: O1, O2, O3" in capsys.readouterr().err
    assert main(witness(project, "O3")) == 2
    assert "no variant of the reference that breaks it" in capsys.readouterr().err
    assert main([*witness(project, "O1")[:-1], str(tmp_path)]) == 2
    assert "lockin fixtures build shops" in capsys.readouterr().err
    assert main(witness(project, "O1", "--suite", str(tmp_path))) == 2
    assert "the program solution.py in --suite" in capsys.readouterr().err
