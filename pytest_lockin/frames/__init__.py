"""Arrow in, differences out: canonical form, comparison, ladder."""

from pytest_lockin.frames.agreeing import agree, decides
from pytest_lockin.frames.asserting import assert_frames_equal, to_frame
from pytest_lockin.frames.comparing import compare
from pytest_lockin.frames.frame import Frame
from pytest_lockin.frames.ordering import check_order, limit_cuts_tie
from pytest_lockin.frames.rendering import render_differences
from pytest_lockin.model.rules import CaseOfNames, Rules, SortKey, Tolerance

__all__ = [
    "CaseOfNames",
    "Frame",
    "Rules",
    "SortKey",
    "Tolerance",
    "agree",
    "assert_frames_equal",
    "check_order",
    "compare",
    "decides",
    "limit_cuts_tie",
    "render_differences",
    "to_frame",
]
