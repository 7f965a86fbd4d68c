"""Trials: which other programs would these tests have accepted?"""

from pytest_lockin.trials.plan import TrialPlan
from pytest_lockin.trials.run import TrialHost, run_trials
from pytest_lockin.trials.score import summarise

__all__ = ["TrialHost", "TrialPlan", "run_trials", "summarise"]
