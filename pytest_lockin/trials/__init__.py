"""Trials: which other programs would these tests have accepted?"""

from pytest_lockin.trials.plan import TrialPlan
from pytest_lockin.trials.run import TrialHost, run_trials
from pytest_lockin.trials.score import rescore, summarise

__all__ = ["TrialHost", "TrialPlan", "rescore", "run_trials", "summarise"]
