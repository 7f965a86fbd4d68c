"""pytest-lockin: is AI-written DataFrame code right when the same model also wrote its tests?

Nothing heavy is imported here: every pytest run on a user's machine imports this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_lockin.frames import assert_frames_equal

__all__ = ["assert_frames_equal"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "assert_frames_equal":
        from pytest_lockin.frames import assert_frames_equal

        return assert_frames_equal
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
