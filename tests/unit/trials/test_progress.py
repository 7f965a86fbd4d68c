from pytest_lockin.reports.progress import TrialProgress


def test_counts_and_an_estimate_on_one_line():
    lines, now = [], [0.0]
    progress = TrialProgress(lines.append, lambda: now[0])
    for done, outcome in enumerate(["killed", "killed", "uninfected"], start=1):
        now[0] += 2.0
        progress.note("a", done, 5, outcome)
    assert lines[-1] == "lockin trials 3/5: 2 killed, 1 uninfected, about 4 s left"


def test_the_last_answer_is_always_shown_and_others_not_too_often():
    lines = []
    progress = TrialProgress(lines.append, lambda: 1.0)
    for done in range(1, 101):
        progress.note("a", done, 100, "killed")
    assert lines == ["lockin trials 1/100: 1 killed, about 0 s left", "lockin trials 100/100: 100 killed"]


def test_suites_side_by_side_add_up():
    lines, now = [], [0.0]
    progress = TrialProgress(lines.append, lambda: now[0])
    progress.note("a", 1, 2, "killed")
    now[0] = 1.0
    progress.note("b", 1, 2, "timed_out")
    assert lines[-1].startswith("lockin trials 2/4: 1 killed, 1 timed out")


def test_what_is_known_is_told_by_suite_also_where_nobody_watches():
    progress = TrialProgress(None)
    progress.note("a", 1, 2, "killed")
    progress.note("b", 7, 9, "unrevealed")
    progress.note("b", 8, 9, "killed")
    assert progress.known() == (
        "a  1 of 2 alternatives have an answer: 1 killed",
        "b  8 of 9 alternatives have an answer: 1 killed, 1 unrevealed",
    )
