"""The page: sound, self-contained, nothing in it but text of programs and data, and all of the report on it."""

import dataclasses
import re

import page_reports
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_reading import find_faults, read_page
from sample_reports import every_kind, make_report, make_task

from pytest_lockin.model.fixture import ShownTable
from pytest_lockin.model.report import ProgramFile
from pytest_lockin.reports.document import make_document
from pytest_lockin.reports.html import render_html
from pytest_lockin.reports.html.anchors import name_places
from pytest_lockin.reports.html.element import element
from pytest_lockin.reports.html.escape import escape, escape_quoted, make_visible
from pytest_lockin.reports.html.highlight import highlight, split_lines
from pytest_lockin.reports.html.matrix import make_matrix
from pytest_lockin.reports.html.pairing import mark_differences
from pytest_lockin.reports.html.said import VERDICTS

MARKUP = "</script></noscript></style><img src=x onerror=alert(1)>\"'`<!--&lt;\udcff\x00\u202e]]>"
DOCUMENTS = {
    "everything": page_reports.rich_document(),
    "every kind": make_document(every_kind()),
    "nothing": make_document(make_report()),
    "two suites of one task": make_document(make_report(make_task("q04"), make_task("q04"))),
}


def read(document):
    root, faults = read_page(render_html(document))
    assert faults == []
    return root


@pytest.fixture(scope="module")
def page():
    return read(DOCUMENTS["everything"])


def section(root, anchor):
    [found] = root.find("section", id=anchor)
    return found


# A page as such


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_page_is_sound(document):
    assert find_faults(render_html(document)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("</h1>", "</h2>"),
        ('<html lang="en">', "<html>"),
        ('scope="row"', ""),
        ('href="#q04"', 'href="https://example.org"'),
        ('id="q04-O3"', 'id="q04"'),
        ("<h2 ", "<h3 "),
        ('aria-label="obligations checked', 'data-label="'),
        ('"use strict";', '"use strict"; '),
        ("default-src &#x27;none&#x27;", "default-src *"),
    ],
)
def test_a_fault_in_a_page_is_found(old, new):
    """The checks above can fail."""
    text = render_html(DOCUMENTS["everything"])
    assert old in text
    assert find_faults(text.replace(old, new, 1)) != []


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_whatever_a_program_says_stays_text(document):
    """Each text of the report carries markup, and the page has the very elements that it has without."""
    tainted = read(page_reports.taint(document, MARKUP))
    tags = [each.tag for each in read(document).walk() if each.tag not in {"i", "u"}]
    assert [each.tag for each in tainted.walk() if each.tag not in {"i", "u"}] == tags
    assert find_faults(render_html(page_reports.taint(document, MARKUP))) == []
    assert "<img" in tainted.text


def test_nothing_of_a_page_leads_out_of_it():
    text = render_html(DOCUMENTS["everything"])
    assert re.findall(r"(?:https?:)?//[a-z]|@import|url\(", text) == []


@given(st.text(st.characters(), max_size=60))
def test_escaped_text_is_read_back_as_it_is_seen(text):
    root, faults = read_page(f'<p title="{escape_quoted(text)}">{escape(text)}</p>')
    [paragraph] = root.find("p")
    assert faults == []
    assert paragraph.raw == paragraph.attributes["title"] == make_visible(text)


@given(st.text(st.characters(categories=["Cc", "Cf", "Cn", "Co", "Cs", "Z"]), min_size=1, max_size=20))
def test_what_cannot_be_seen_is_spelled_out(text):
    shown = make_visible(text)
    assert all(each in "\t\n" or each.isprintable() for each in shown)
    assert shown.encode()


@pytest.mark.parametrize("letter", "\u3164\ufe0f\u00a0\u202e\ufeff\x1b\r\udc80")
def test_letters_that_look_like_nothing_are_spelled_out(letter):
    assert make_visible(f"a{letter}b") == f"a⟨U+{ord(letter):04X}⟩b"


def test_letters_of_any_script_are_left_as_they_are():
    assert make_visible("é 漢字 ع 🙂 ≠\n\t") == "é 漢字 ع 🙂 ≠\n\t"


def test_attributes_that_do_not_hold_are_left_out():
    made = element("td", "a < b", None, ["c"], class_="x", hidden=False, open=True, title=None, data_x='"')
    assert made == '<td class="x" open data-x="&quot;">a &lt; bc</td>'


# Places


def test_links_into_the_page_lead_to_suites_and_obligations(page):
    assert section(page, "q04").find("tr", id="q04-O3")


def test_hostile_names_do_not_share_a_place():
    one = make_task("a", obligations=page_reports.rich_task().obligations[:2])
    others = [
        make_task("a-O3"),
        make_task("a"),
        make_task("a~2"),
        make_task("a b"),
        make_task("a?b"),
        make_task(""),
    ]
    places = name_places(make_document(make_report(one, *others)))
    names = [name for each in places for name in (each.task, *each.obligations)]
    assert len(set(names)) == len(names) == 9
    assert all(re.fullmatch(r"[\w.~-]+", name) for name in names)
    assert names[0] == "a"


# Overview


def test_suites_come_worst_first_with_verdict_reason_and_scores(page):
    rows = page.find("table", class_="overview")[0].find("tbody")[0].find("tr")
    order = [str(verdict or "none") for verdict in VERDICTS]
    verdicts = [row.attributes["data-verdict"] for row in rows]
    assert verdicts == sorted(verdicts, key=order.index)
    assert verdicts.count("false_pass") == 2
    cells = [cell.text for cell in rows[0].find("td")]
    assert cells == [
        "false pass values differ",
        "3 passed",
        "1 of 3",
        "2 of 6 (33 %) 1 2 1 1 not run",
        "Sail 0.7.2, confirmed on classic Spark",
    ]


def test_the_gate_says_why_and_what_was_let_pass(page):
    header = page.find("header")[0].text
    assert "Gate failed false passes: 2 (allowed 0) allowed: unverified: 1 (new)" in header
    assert "a note" in header


def test_each_verdict_there_is_can_be_chosen(page):
    values = [each.attributes["value"] for each in page.find("input", name="verdict")]
    assert values == ["all", *(str(verdict or "none") for verdict in VERDICTS)]
    css = page.find("style")[0].raw
    hidden = re.findall(
        r'body:has\(\[id=":show-(\w+)"\]:checked\) \[data-verdict\]:not\(\[data-verdict="(\w+)"\]\)', css
    )
    assert [a for a, b in hidden if a == b] == values[1:]


def test_one_verdict_leaves_nothing_to_choose():
    assert read(DOCUMENTS["two suites of one task"]).find("input") == []


# A suite


def test_what_is_wrong_says_why_unnoticed_and_what_to_do(page):
    wrong = section(page, "q04").find("details", id="q04:wrong")[0].text
    assert "O3 metric list is read where net is meant" in wrong
    assert "Unnoticed because of nondiscriminating data: cases look, and their rows cannot show it." in wrong
    assert "To do give test_a rows on which it matters" in wrong
    assert "1 case contradicts the reference: test_a" in wrong


def test_an_obligation_has_its_quote_its_code_and_the_alternatives_that_pass(page):
    row = section(page, "q04").find("tr", id="q04-O3")[0]
    cells = [cell.text for cell in row.find("td")]
    assert cells[0] == "contradicted Sum the list price."
    assert cells[1].startswith("violated list is read where net is meant")
    assert "1 of 3 alternatives noticed" in cells[2]
    assert [each.attributes["href"] for each in row.find("td")[2].find("a")] == ["#q04:a:a3", "#q04:a:a2"]
    assert "fails" not in cells[3]
    assert "test_a looks at what is concerned; would show it with net: 1 -> 2" in cells[3]


def test_advice_does_not_say_again_what_the_row_says(page):
    row = section(page, "q04").find("tr", id="q04-O8")[0]
    assert "To do : add a case that fails unless it holds" in row.find("td")[3].text


def test_a_witness_marks_the_cells_that_differ_in_words_too(page):
    outputs = section(page, "q04").find("div", class_="outputs")[0]
    expected, found = outputs.find("figure")
    assert [cell.text for cell in expected.find("td", class_="ne")] == ["differs: ≠ 2.00"]
    assert [cell.text for cell in found.find("td", class_="ne")] == ["differs: ≠ 2.50"]
    assert [cell.text for cell in found.find("th", class_="ne")] == ["differs: ≠ total"]


def test_a_witness_of_a_program_that_raised_says_so():
    task = page_reports.rich_task()
    witness = dataclasses.replace(page_reports.WITNESS, found=None, raised="ValueError: no", inputs=())
    fixture = dataclasses.replace(task.fixtures[1], witness=witness)
    page = read(make_document(make_report(dataclasses.replace(task, fixtures=(fixture,)))))
    assert "All input tables are empty." in page.text
    assert page.find("div", class_="outputs")[0].text.endswith("the candidate raised ValueError: no")


def test_of_many_rows_those_that_differ_are_shown():
    rows = tuple((str(at), "x") for at in range(500))
    wrong = (*rows[:450], ("450", "y"), *rows[451:])
    table = ShownTable(name="t", columns=("a", "b"), rows=rows)
    witness = dataclasses.replace(
        page_reports.WITNESS, expected=table, found=dataclasses.replace(table, rows=wrong)
    )
    task = page_reports.rich_task()
    fixture = dataclasses.replace(task.fixtures[1], witness=witness)
    page = read(make_document(make_report(dataclasses.replace(task, fixtures=(fixture,)))))
    expected, found = page.find("div", class_="outputs")[0].find("figure")
    assert [cell.text for cell in found.find("td", class_="ne")] == ["differs: ≠ y"]
    assert "and 460 more" in expected.text


# The program


def test_each_line_of_the_program_has_its_number(page):
    rows = section(page, "q04").find("table", class_="listing")[0].find("tbody")[0].find("tr")
    lines = [(row.find("th")[0].text, row.find("code")[0].raw) for row in rows if row.parent.tag == "tbody"]
    assert lines == [(str(at), line) for at, line in enumerate(page_reports.PROGRAM.splitlines(), 1)]


def line_of(page, text):
    rows = section(page, "q04").find("table", class_="listing")[0].find("tr")
    return next(row for row in rows if row.find("code") and text in row.find("code")[0].raw)


def test_a_survivor_stands_beside_its_line_with_outcome_shape_and_diff(page):
    row = line_of(page, "sales.join")
    first = row.find("details")[0]
    assert first.attributes["id"] == "q04:a:a2"
    assert first.find("summary")[0].text.startswith('rows cannot show it "customer_id") becomes')
    assert first.find("use")[0].attributes["href"] == "#i-diamond"
    diff = first.find("pre", class_="diff")[0]
    assert diff.find("del")[0].raw.startswith("-    joined = sales.join")
    assert diff.find("ins")[0].raw.startswith("+    joined = sales.join")
    assert row.find("u")[0].text == '"customer_id"'


def test_what_was_noticed_waived_or_not_run_is_behind_its_number(page):
    assert line_of(page, "sales.join").find("details", class_="rest")[0].find("summary")[0].text == "1 waived"
    noticed = line_of(page, ".filter(").find("details", class_="rest")[0]
    assert noticed.find("summary")[0].text == "1 noticed"
    assert "noticed by test_a (AssertionError: 2 != 3) · 2 cases notice it" in noticed.text
    assert line_of(page, "START =").find("details", class_="rest")[0].find("summary")[0].text == "1 not run"


@pytest.mark.parametrize(
    ("standing", "word"),
    [("right_making", "not wrong"), ("equivalent", "equivalent"), ("undecided", "undecided")],
)
def test_a_survivor_that_says_nothing_of_the_tests_is_behind_its_number(standing, word):
    task = page_reports.rich_task()
    one = dataclasses.replace(task.trials.alternatives[1], **{standing: True})
    changed = dataclasses.replace(task, trials=page_reports.summarise([one]))
    rest = line_of(read(make_document(make_report(changed))), "sales.join").find("details", class_="rest")[0]
    assert rest.find("summary")[0].text == f"1 {word}"
    assert rest.find("details")[1].attributes["id"] == "q04:a:a2"
    assert word in rest.find("p", class_="facts")[0].text


def test_alternatives_of_files_not_shown_and_past_the_end_are_there_all_the_same():
    task = page_reports.rich_task()
    one, *rest = task.trials.alternatives
    moved = (dataclasses.replace(one, module="helpers"), dataclasses.replace(rest[0], line=900), *rest[1:])
    for program in (task.program, (ProgramFile(module="solution", path="p", text=""),), ()):
        changed = dataclasses.replace(
            task, program=program, trials=dataclasses.replace(task.trials, alternatives=moved)
        )
        text = render_html(make_document(make_report(changed)))
        assert find_faults(text) == []
        assert all(f'id="q04:a:{each.id}"' in text for each in moved)


@given(st.text(st.sampled_from("\"'#\\{}f()\n\r \tdef x=1:\x0c\u2028é\x00"), max_size=60))
def test_colours_do_not_change_a_program(text):
    lines = [read_page(line)[0].raw for line in highlight(text, [(1, 0, 3), (2, 5, 1_000_000)])]
    assert lines == [make_visible(line) for line in split_lines(text)]


def test_python_is_coloured_by_its_words():
    [line] = highlight('def f(): return "x{1}"  # no\n')
    classes = [each.attributes["class"] for each in read_page(line)[0].find("i")]
    assert classes == ["k", "f", "k", "s", "c"]


# The matrix


def test_the_picture_has_a_square_for_each_kill_and_a_shape_for_each_survivor(page):
    document = DOCUMENTS["everything"]
    matrix = make_matrix(document.tasks[0].trials)
    assert [each.id for each in matrix.columns] == ["a1", "a2", "a3", "a7", "a4"]
    assert [sorted(each) for each in matrix.noticed] == [[0, 3], [0, 3], []]
    picture = section(page, "q04").find("svg", class_="matrix")[0]
    squares = [
        each.attributes["d"].count("M")
        for each in picture.find("path", class_="fill")
        if "good" in each.attributes["class"]
    ]
    assert squares == [2, 2]
    assert len(picture.find("rect", class_="stripe")) == matrix.empty == 3
    described = picture.find("desc")[0].text
    assert (
        "No case notices 3 of them. test_a notices 2. test_b[1-True] notices 2. test_c notices 0."
        in described
    )


def test_without_a_matrix_run_the_first_case_to_notice_is_drawn_and_said_to_be_that():
    task = page_reports.rich_task()
    alone = [dataclasses.replace(each, killers=()) for each in task.trials.alternatives]
    document = make_document(make_report(dataclasses.replace(task, trials=page_reports.summarise(alone))))
    matrix = make_matrix(document.tasks[0].trials)
    assert (matrix.whole, [sorted(each) for each in matrix.noticed]) == (False, [[0, 3], [], []])
    assert "Only the first case to notice is known" in read(document).text


def test_what_a_case_looks_at_and_why_it_accepts_everything_is_said(page):
    rows = section(page, "q04").find("table", class_="cases")[0].find("tbody")[0].find("tr")
    assert [[cell.text for cell in (*row.find("th"), *row.find("td"))] for row in rows] == [
        ["test_a", "rows, values", "2", "", "contradicts the reference"],
        ["test_b[1-True]", "rows, values", "2", "", "accepts every alternative: it asserts nothing"],
        ["test_c", "rows, values", "0", "", "tolerance too loose: twice the measure passes"],
    ]


# Tables side by side


def table(*rows, columns=("a", "b")):
    return ShownTable(name="t", columns=columns, rows=rows)


def test_rows_in_another_order_do_not_differ():
    expected, found = mark_differences(table(("1", "x"), ("2", "y")), table(("2", "y"), ("1", "x")))
    assert (expected.cells, found.cells, expected.alone, found.alone) == ({}, {}, frozenset(), frozenset())


def test_a_row_goes_with_the_one_it_has_most_in_common_with():
    expected, found = mark_differences(
        table(("1", "x"), ("2", "y")), table(("2", "z"), ("1", "x"), ("9", "w"))
    )
    assert expected.cells == {1: frozenset({1})}
    assert found.cells == {0: frozenset({1})}
    assert (expected.alone, found.alone) == (frozenset(), frozenset({2}))


def test_rows_that_are_there_twice_are_counted():
    expected, found = mark_differences(table(("1", "x")), table(("1", "x"), ("1", "x")))
    assert (expected.alone, found.alone) == (frozenset(), frozenset({1}))


@pytest.mark.parametrize(
    ("columns", "row", "marked", "wrong"),
    [
        (("a", "c"), ("1", "x"), ({1}, {1}), {}),
        (("b", "a"), ("x", "1"), ({0, 1}, {0, 1}), {}),
        (("b",), ("y",), ({0}, set()), {0: {0}}),
        (("c", "a", "b"), ("7", "1", "x"), (set(), {0}), {}),
    ],
    ids=["renamed", "reordered", "one less", "one more"],
)
def test_columns_go_together_by_name_and_the_rest_in_order(columns, row, marked, wrong):
    expected, found = mark_differences(table(("1", "x")), table(row, columns=columns))
    assert (expected.columns, found.columns) == marked
    if not found.alone:
        assert found.cells == wrong


@given(
    st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("xy"))),
    st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("xy"))),
)
def test_as_many_rows_are_paired_on_both_sides(left, right):
    expected, found = mark_differences(table(*left), table(*right))
    assert len(left) - len(expected.alone) == len(right) - len(found.alone)
    assert len(expected.cells) == len(found.cells)
    assert (sorted(left) == sorted(right)) == (not (expected.cells or expected.alone or found.alone))


# Laziness


def count_eager(root):
    """Elements that a browser makes at once: those in `noscript` are text to it."""
    return 1 + sum(count_eager(child) for child in root.children if child.tag != "noscript")


def test_what_is_made_at_once_does_not_grow_with_alternatives():
    few, many = (read(page_reports.large_document(3, number)) for number in (8, 160))
    assert count_eager(few) == count_eager(many)
    assert len(list(many.walk())) > 5 * len(list(few.walk()))
    assert count_eager(few) < 400
