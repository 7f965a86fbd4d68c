import pytest

from pytest_lockin.errors import BuildError
from pytest_lockin.taskbank import statements
from pytest_lockin.taskbank.statements import list_statement_ids, read_statement, suggest_id


def test_there_are_103_statements_of_99_templates():
    ids = list_statement_ids()
    assert len(ids) == len(set(ids)) == 103
    assert ids[:3] == ("q01", "q02", "q03")
    assert {name for name in ids if name[-1] in "ab"} == {f"q{n}{p}" for n in (14, 23, 24, 39) for p in "ab"}


def test_every_statement_is_one_query_with_its_licence():
    import sqlglot
    from sqlglot import exp

    for name in list_statement_ids():
        text = read_statement(name).text
        (tree,) = sqlglot.parse(text, read="spark")
        assert isinstance(tree, exp.Query), name
        assert text.startswith("--"), name
        assert "TPC" in text.splitlines()[0], name


def test_the_halves_of_a_pair_differ_and_keep_their_order():
    first, second = read_statement("q14a"), read_statement("q14b")
    assert "rollup" in first.text
    assert "ty_channel" in second.text
    assert first.sha256 != second.sha256


def test_semicolons_in_strings_and_comments_do_not_split():
    text = "-- a; b\nselect ';' as x -- c; d\n;\n\nselect 2;\n"
    assert statements._split(text) == ("-- a; b\nselect ';' as x -- c; d", "-- a; b\nselect 2")


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("q2", "q02"),
        ("Q02", "q02"),
        ("2", "q02"),
        ("q14", "q14a"),
        ("q3b", "q03"),
        ("query 7", "q07"),
        ("q100", "q10"),
        ("orders", ""),
    ],
)
def test_a_near_miss_is_given_its_id(wrong, meant):
    assert suggest_id(wrong) == meant


def test_an_unknown_id_is_refused_with_the_one_meant():
    with pytest.raises(BuildError, match="did you mean q02"):
        read_statement("q2")
    with pytest.raises(BuildError, match="lockin tasks list --all"):
        read_statement("../../etc/passwd")


def test_a_package_with_other_texts_is_refused(monkeypatch, tmp_path):
    (tmp_path / "q3.sql").write_text("select 1; select 2;")
    monkeypatch.setattr(statements, "_folder", lambda: tmp_path)
    with pytest.raises(BuildError, match="found 2 in the installed pysail"):
        read_statement("q03")
    with pytest.raises(BuildError, match="template 5"):
        read_statement("q05")
