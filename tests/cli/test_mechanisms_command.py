import pytest

from pytest_lockin.cli import main


def test_an_unknown_task_is_told_with_those_that_are_known(capsys):
    assert main(["study", "mechanisms", "q99"]) == 2
    assert "q93" in capsys.readouterr().err


@pytest.mark.slow
def test_one_task_is_built_answered_and_scored(capsys):
    status = main(["study", "mechanisms", "q93", "q03"])
    out = capsys.readouterr().out
    assert status in (0, 1)
    assert "held-out half" in out
    assert "0 missed" in out or status == 1
