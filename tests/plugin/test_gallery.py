"""One run over many suites, each with one trait: what pytest says of it, and what lockin says."""

import pytest

PARTS = "suites.big-styles.test_solution"


def outcomes(ran, suite):
    """JUnit's word on each case of a suite, by name below the module."""
    home = f"suites.{suite}.test_solution"
    found = {}
    for classname, name, outcome in ran.cases:
        if classname == home or classname.startswith(f"{home}."):
            classes = classname.removeprefix(home).strip(".")
            found[f"{classes}::{name}" if classes else name] = outcome
    return found


def test_ordinary_results_come_first_and_are_counted_as_usual(gallery):
    gallery.match(
        "collected * items / 3 errors / 1 skipped",
        "suites/big-styles/test_solution.py ...........sxX. *",
        "tests/test_ordinary.py . *",
        "=* ERRORS =*",
        "=* FAILURES =*",
        "=* warnings summary =*",
        "=* lockin =*",
        "lockin gate: FAILED *",
        "=* short test summary info =*",
    )
    assert gallery.counts == {
        "failed": 2,
        "passed": 32,
        "skipped": 3,
        "xfailed": 1,
        "xpassed": 1,
        "warning": 2,
        "error": 3,
    }


def test_a_failed_gate_or_a_failed_case_ends_with_status_1(gallery):
    assert gallery.status == 1
    assert gallery.report["gate"]["passed"] is False


def test_every_style_of_test_runs(gallery):
    assert outcomes(gallery, "big-styles") == {
        "TestGrouped::test_boundary": "passed",
        "TestGrouped.TestInner::test_nested": "passed",
        "TestUnit::test_parts": "passed",
        "TestUnit::test_shared": "passed",
        "test_ids[a::b]": "passed",
        "test_ids[\\xfcber \\u2603]": "passed",
        "test_ids[[x]/y]": "passed",
        "test_ids[two words]": "passed",
        "test_module_fixture": "passed",
        "test_talks": "passed",
        "test_warns": "passed",
        "test_skips": "skipped",
        "test_expected_to_fail": "skipped",
        "test_passes_unexpectedly": "passed",
        "test_marked": "passed",
    }
    task = gallery.task("big-styles")
    assert task["tests"] == {"passed": 13, "failed": 0, "errors": 0, "skipped": 2, "flaky": 0}
    assert task["verdict"] == "true_pass"
    assert task["fidelity"]["accepts_reference"] is True


def test_a_fixtures_call_is_recorded_once_however_many_cases_use_it(gallery):
    # Two fixtures, setUpClass, two sub-tests, four parameter sets.
    assert gallery.task("big-styles")["observed_calls"] == 9


def test_captured_output_is_shown_where_pytest_shows_it(gallery):
    assert "words before the fall" in gallery.failure("test_red")
    gallery.match(
        "_* test_talks _*",
        "-* Captured stdout call -*",
        "said on stdout",
        "-* Captured stderr call -*",
        "said on stderr",
    )


def test_warnings_of_cases_are_in_the_summary_once_and_none_of_ours(gallery):
    gallery.match("suites/big-styles/test_solution.py::test_warns", "*UserWarning: beware of the case")
    assert gallery.out.count("beware of the case") == 2  # the warning, and the source line that raised it
    gallery.no_match("*Unknown pytest.mark*", "*cannot be rewritten*")


def test_a_failing_case_is_explained_by_pytests_own_assertion_message(gallery):
    text = gallery.failure("test_red")
    assert "AssertionError: the wrong one" in text
    assert "assert [2] == [1]" in text
    assert "suites/big-red/test_solution.py:9: AssertionError" in text


def test_red_on_sail_alone_is_reported_red_and_judged_no_further(gallery):
    assert "(Sail, not confirmed)" in gallery.failure("test_red")
    task = gallery.task("big-red")
    assert (task["verdict"], task["tests"]["failed"]) == ("unverified", 1)
    assert "not confirmed" in task["reason"]


@pytest.mark.parametrize("suite", ["big-helped", "big-helped-too"])
def test_suites_do_not_see_each_others_helpers_and_conftests(gallery, suite):
    """Both folders have a test_solution.py, solution.py, helpers.py and conftest.py of their own."""
    assert outcomes(gallery, suite) == {"test_helped": "passed"}
    assert gallery.task(suite)["verdict"] == "true_pass"


def test_the_candidate_is_imported_once(gallery):
    assert outcomes(gallery, "big-counted") == {"test_counted": "passed"}


def test_stopping_the_session_stops_nothing(gallery):
    assert outcomes(gallery, "big-conf-stops") == {"test_stops": "passed", "test_goes_on": "passed"}


def test_conf_set_in_one_suite_is_unknown_in_the_next(gallery):
    assert outcomes(gallery, "big-fresh")["test_no_other_suites_conf"] == "passed"


def test_a_udf_of_the_test_module_reaches_sparks_workers(gallery):
    assert outcomes(gallery, "big-fresh")["test_udf_of_the_module"] == "passed"


def test_a_column_made_before_any_session_fails_as_it_does_without_lockin(gallery):
    text = gallery.failure("ERROR collecting suites/big-unborn/test_solution.py")
    assert 'BIG = F.col("amount") > 10' in text
    assert "pytest_lockin" not in text
    assert gallery.task("big-unborn")["verdict"] == "unverified"


def test_a_wrong_program_whose_tests_pass_is_a_false_pass(gallery):
    task = gallery.task("big-wrong")
    assert outcomes(gallery, "big-wrong") == {"test_big": "passed"}
    assert (task["verdict"], task["agreement"]["category"]) == ("false_pass", "values")
    assert (task["agreement"]["rows_expected"], task["agreement"]["rows_found"]) == (2, 2)


@pytest.mark.parametrize(
    ("suite", "reason"),
    [
        ("big-empty", "no case ran"),
        ("big-skipped", "no case passed and none failed"),
        ("big-skipped-whole", "Skipped: whole"),
        ("big-syntax", "SyntaxError: invalid syntax"),
        ("big-unborn", "AssertionError"),
        ("big-int", "returned int, not a DataFrame"),
        ("big-ends", "exit status 0"),
    ],
)
def test_where_nothing_can_be_known_the_verdict_is_unverified_with_the_reason(gallery, suite, reason):
    task = gallery.task(suite)
    assert task["verdict"] == "unverified"
    assert reason in task["reason"]


def test_a_program_that_cannot_be_imported_is_a_true_fail_with_the_reason(gallery):
    task = gallery.task("big-unimportable")
    assert task["verdict"] == "true_fail"
    assert "No module named 'no_such_library'" in task["reason"]
    text = gallery.failure("ERROR collecting suites/big-unimportable/test_solution.py")
    assert "suites/big-unimportable/solution.py:1: in <module>" in text
    assert "pytest_lockin" not in text
    assert "importlib._bootstrap>" not in text


def test_a_syntax_error_is_shown_with_its_place(gallery):
    gallery.match("* ERROR collecting suites/big-syntax/test_solution.py *", "E *test_broken(:")


def test_a_case_that_ends_its_process_fails_alone_and_in_words(gallery):
    assert outcomes(gallery, "big-ends") == {
        "test_before": "passed",
        "test_ends_the_process": "failure",
        "test_after": "passed",
    }
    text = gallery.failure("test_ends_the_process")
    assert "it ended: exit status 0" in text
    assert "Traceback" not in text
    assert gallery.task("big-ends")["tests"]["failed"] == 1


@pytest.mark.parametrize(
    "suite",
    ["package", "big-by-name", "big-by-name-session", "big-elsewhere", "pair-tuple", "named-dict"],
)
def test_entry_points_of_every_shape_are_found_called_and_compared(gallery, suite):
    task = gallery.task(suite)
    assert task["verdict"] == "true_pass"
    assert task["observed_calls"] == 1
    assert task["fidelity"]["accepts_reference"] is True


@pytest.mark.parametrize("suite", ["big-uncalled", "big-mocked"])
def test_a_suite_that_never_calls_the_program_is_judged_by_data_alone(gallery, suite):
    task = gallery.task(suite)
    assert (task["observed_calls"], task["verdict"]) == (0, "true_pass")
    assert task["fidelity"] == {
        "accepts_reference": None,
        "cases_rejecting": [],
        "completed": [],
        "reason": "no case calls the entry point",
    }


def test_every_suite_has_one_entry_and_the_section_is_printed_once(gallery):
    suites = [task["suite"] for task in gallery.report["tasks"]]
    assert len(suites) == len(set(suites)) == 24
    assert gallery.out.count("lockin gate:") == 1
    assert {line.split()[0] for line in gallery.lockin if line.startswith("suites/")} == {
        suite.rpartition("/")[0] for suite in suites
    }


def test_the_gate_counts_what_failed_it(gallery):
    kinds = [task["verdict"] for task in gallery.report["tasks"]]
    assert gallery.report["gate"]["reasons"] == [
        f"unverified: {kinds.count('unverified')} (allowed 0)",
        "false passes: 1 (allowed 0)",
    ]


def test_nothing_of_spark_or_the_worker_is_printed(gallery):
    gallery.no_match("* WARN *", "*Setting default log level*", "*INTERNALERROR*")
    assert "test session starts" not in "\n".join(gallery.lines[1:])
    assert gallery.err == ""
