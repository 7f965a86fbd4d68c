import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_lockin.errors import TaskFileError
from pytest_lockin.model.task import Column, Fragment, Kind, Pointer, Rule, Source, Table
from pytest_lockin.taskbank.loader import find_task_file, load_obligations, load_task


@pytest.fixture
def write(tmp_path):
    def write(text, name="task.yaml"):
        file = tmp_path / name
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return file

    return write


def complaint(file, load=load_task):
    with pytest.raises(TaskFileError) as caught:
        load(file)
    return str(caught.value)


def test_only_the_id_is_required(write):
    task = load_task(write("id: late_orders\n"))
    assert (task.id, task.function, task.module) == ("late_orders", "solve", "")
    assert (task.tables, task.obligations) == ((), ())
    assert task.artifacts == ("plan.md", "solution.py", "test_solution.py")


def test_a_folder_stands_for_the_file_in_it(write, tmp_path):
    write("id: a\n")
    assert load_task(tmp_path).path == str(tmp_path / "task.yaml")


def test_everything_an_author_can_say_arrives(write):
    task = load_task(
        write(
            """\
            id: a
            title: One line
            prompt: |
              Two
              lines.
            entry_point: jobs.daily:run
            tables:
            - orders
            - name: lines
              key: [order_id]
              columns:
              - {name: order_id, type: bigint, nullable: false}
              - {name: amount, type: 'decimal(7,2)'}
            obligations:
            - id: O1
              kind: 'null'
              source: schema
              fragment: where
              text: Lines without an amount do not count.
              columns: [lines.amount, '#2']
            """
        )
    )
    assert task.prompt == "Two\nlines.\n"
    assert (task.module, task.function) == ("jobs.daily", "run")
    assert task.table("ORDERS") == Table(name="orders")
    assert task.table("lines").key == ("order_id",)
    assert task.table("lines").column("AMOUNT") == Column(name="amount", type="decimal(7,2)")
    (obligation,) = task.obligations
    assert (obligation.kind, obligation.source, obligation.fragment) == (
        Kind.NULL,
        Source.SCHEMA,
        Fragment.WHERE,
    )
    assert obligation.columns == ("lines.amount", "#2")


def test_the_nearest_task_file_above_is_found_but_none_above_the_stop(write, tmp_path):
    file = write("id: a\n")
    deep = tmp_path / "x" / "y"
    deep.mkdir(parents=True)
    assert find_task_file(deep) == file
    assert find_task_file(deep, stop=tmp_path / "x") is None


ONE = "- {id: O1, kind: join, source: prompt, text: x}\n"

WRONG = {
    "nothing": ("", 1, "add `id: ...`"),
    "no id": ("title: x\n", 1, "add `id: ...`"),
    "id that leaves the folder": ("id: ../x\n", 1, "letters, digits"),
    "id with a line feed": ("id: |\n  x\n", 1, "letters, digits"),
    "number for id": ("id: 3\n", 1, "put it in quotes"),
    "yes for a title": ("id: a\ntitle: on\n", 2, "put it in quotes"),
    "list at the top": ("- a\n", 1, "expected keys with values"),
    "unknown key": ("id: a\nobligation: []\n", 2, "found `obligation`"),
    "unknown key inside": (
        "id: a\ntables:\n- name: t\n  colums: []\n",
        4,
        "found `colums` in tables, item 1",
    ),
    "text for a list": ("id: a\ntables: orders\n", 2, "write a list"),
    "bare null": ("id: a\nobligations:\n- id: O1\n  kind: null\n", 4, "needs quotes: 'null'"),
    "unknown kind": (
        "id: a\nobligations:\n- id: O1\n  kind: jion\n  source: prompt\n  text: x\n",
        4,
        "one of: join, filter",
    ),
    "missing text": ("id: a\nobligations:\n- id: O1\n  kind: join\n  source: prompt\n", 3, "add `text: ...`"),
    "hidden in the open": (
        "id: a\nobligations:\n- id: O1\n  kind: join\n  source: hidden\n  text: x\n",
        5,
        "move it to refs/a/obligations.yaml",
    ),
    "two obligations of one id": (
        f"id: a\nobligations:\n{2 * ONE}",
        4,
        "`O1` a second time",
    ),
    "a key twice": ("id: a\ntitle: x\ntitle: y\n", 3, "a second time, after line 2"),
    "a table twice": ("id: a\ntables: [t,\n  T]\n", 3, "`T` a second time"),
    "key that is no column": (
        "id: a\ntables:\n- name: t\n  key: [z]\n  columns: [{name: a}]\n",
        4,
        "found `z`",
    ),
    "output position nought": (
        "id: a\nobligations:\n- {id: O1, kind: join, source: prompt, text: x, columns: ['#0']}\n",
        3,
        "#",
    ),
    "entry point that is no name": ("id: a\nentry_point: run it\n", 2, "`solve`, or `solution:solve`"),
    "tabs": ("id: a\n\ttitle: x\n", 2, "spaces, not tabs"),
    "colon in plain text": ("id: a\ntitle: this: that\n", 2, "quotes"),
    "a tag that runs code": ("id: !!python/object/apply:os.getcwd []\n", 1, "tag"),
    "a day that is not": ("id: a\ntitle: 2001-02-31\n", None, "put the value in quotes"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_complaint_names_file_line_and_cure(write, case):
    text, line, words = WRONG[case]
    file = write(text)
    said = complaint(file)
    assert str(file) in said
    assert line is None or f"line {line})" in said
    assert words in said


def test_files_that_cannot_be_read_are_named(tmp_path):
    assert "No such file" in complaint(tmp_path / "task.yaml")
    (tmp_path / "task.yaml").write_bytes(b"id: \xff\n")
    assert "UTF-8" in complaint(tmp_path)
    (tmp_path / "task.yaml").write_bytes(b"#" * 3_000_000)
    assert "3,000,000 bytes" in complaint(tmp_path)
    (tmp_path / "task.yaml").write_bytes(b"[" * 500_000)
    assert str(tmp_path) in complaint(tmp_path)


def test_aliases_that_multiply_do_not_hang(write):
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))
    assert "`a0`" in complaint(write(f"a0: &a0 [x]\n{levels}id: a\n"))


def test_an_alias_to_itself_is_an_ordinary_mistake(write):
    assert "expected a text in id" in complaint(write("id: &a [*a]\n"))


def test_hidden_obligations_must_be_hidden(write):
    text = "obligations:\n- {id: O1, kind: type, source: %s, text: x}\n"
    assert load_obligations(write(text % "hidden", "obligations.yaml"))[0].source is Source.HIDDEN
    said = complaint(write(text % "prompt", "obligations.yaml"), load_obligations)
    assert "expected source hidden for O1" in said
    assert "line 2)" in said


@given(st.text(max_size=200))
def test_any_text_ends_as_a_task_or_a_complaint(tmp_path_factory, text):
    file = tmp_path_factory.mktemp("any") / "task.yaml"
    file.write_text(text, encoding="utf-8", errors="replace")
    try:
        answer = load_task(file).id
    except TaskFileError as error:
        answer = str(error)
    assert answer


FACTS = """\
id: a
tables:
- name: lines
  key: [line]
  unique: [[order_id, product]]
  foreign:
  - {columns: [order_id], table: orders, targets: [id]}
  derived: {year: year(day)}
  columns:
  - {name: line, type: bigint, nullable: false}
  - {name: order_id, type: bigint}
  - {name: product, type: string, values: [apple, pear]}
  - {name: day, type: date, low: '2020-01-01', high: '2029-12-31'}
  - {name: year, type: int}
"""


def test_what_else_is_known_of_the_input_arrives(write):
    table = load_task(write(FACTS)).table("lines")
    assert table.unique == (("order_id", "product"),)
    assert table.foreign == (Pointer(columns=("order_id",), table="orders", targets=("id",)),)
    assert table.derived == (Rule(column="year", expression="year(day)"),)
    assert table.column("product").values == ("apple", "pear")
    assert (table.column("day").low, table.column("day").high) == ("2020-01-01", "2029-12-31")


@pytest.mark.parametrize("right", ["[[order_id, product]]", "columns: [order_id]", "derived: {year:"])
def test_facts_about_columns_that_are_not_there_are_refused(write, right):
    wrong = right.replace("order_id", "nope").replace("year", "nope")
    said = complaint(write(FACTS.replace(right, wrong)))
    assert "`nope`" in said
    assert "columns of lines to be among its columns" in said
