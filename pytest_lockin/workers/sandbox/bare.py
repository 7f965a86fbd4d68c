"""No sandbox: an ordinary process of the user's."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from pytest_lockin.model.isolation import NAMESPACES, Attestation
from pytest_lockin.workers.sandbox.process import Output, Process

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pytest_lockin.workers.sandbox.view import Limits, View


class Bare:
    """Starts processes as they are; of the view only the working folder holds."""

    name = "none"
    version = ""
    weakness = ""

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
        stdin: int = subprocess.DEVNULL,
    ) -> Process:
        """Start a program; its output goes to `log`, or to ours where `live`."""
        reading, writing = (0, 0) if live else os.pipe()
        try:
            popen = subprocess.Popen(
                [*argv],
                stdin=stdin,
                stdout=None if live else writing,
                stderr=None if live else writing,
                env=dict(environment),
                cwd=view.cwd,
                pass_fds=tuple(pass_fds),
                start_new_session=True,
            )
        finally:
            if not live:
                os.close(writing)
        output = None if live else Output(reading, log, limits.output_bytes)
        return Process(popen, view, limits, attest=_attest, output=output, nested=False)


def _attest(process: Process) -> Attestation:
    return Attestation(role=process.view.role, backend=Bare.name, shared=NAMESPACES)
