"""One tree of errors; each has a slug that `docs/messages.md` explains with cause and cure.

An error says what was expected, what was found and what to do next. A user's mistake ends as one of
these and is printed without a traceback.
"""

from __future__ import annotations

import errno

_UNWRITABLE = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR}
)


class LockinError(Exception):
    """Base of every error a user can meet; `slug` is its address in `docs/messages.md`."""

    slug = "lockin-error"

    def __init__(self, *, expected: str, found: str, hint: str) -> None:
        self.expected = expected
        self.found = found
        self.hint = hint
        super().__init__(expected, found, hint)

    def __str__(self) -> str:
        return f"expected {self.expected}\nfound {self.found}\nhint: {self.hint} [{self.slug}]"

    @property
    def one_line(self) -> str:
        """The message on one line, for a reason column or a summary."""
        return f"expected {self.expected}, found {self.found}; {self.hint} [{self.slug}]"


class SettingsError(LockinError):
    """An option or ini key has a value that cannot be used."""

    slug = "bad-setting"


class TaskFileError(LockinError):
    """A `task.yaml` or `reference.toml` cannot be read; the message names file, line and cure."""

    slug = "bad-task-file"


class AlternativeNotFoundError(LockinError):
    """A report holds no such alternative, or it cannot be put into the program any more."""

    slug = "no-alternative"


class BaselineFileError(LockinError):
    """A baseline file is not there or cannot be read."""

    slug = "bad-baseline"


class ReportFileError(LockinError):
    """A file that should hold a JSON report does not."""

    slug = "bad-report"


class UnfitReferenceError(LockinError):
    """A reference is missing, unreadable or not fit to judge anyone."""

    slug = "bad-reference"


class EngineError(LockinError):
    """An engine cannot start, or lacks what was asked of it."""

    slug = "engine"


class JavaMissingError(EngineError):
    """Classic Spark needs a Java runtime, and none (or a wrong one) was found."""

    slug = "java-missing"


class WorkerError(LockinError):
    """A worker process ended, timed out or answered nonsense. Never counted as a result."""

    slug = "worker"


class WorkerCrashedError(WorkerError):
    """A worker process ended before it answered."""

    slug = "worker-crashed"


class RunOverError(WorkerCrashedError):
    """A worker was asked for after the run had been interrupted."""

    slug = "run-over"


class WorkerTimedOutError(WorkerError):
    """A worker process did not answer within its limit and was killed."""

    slug = "worker-timed-out"


class DiskError(LockinError):
    """What a run keeps for itself cannot be written: the disk is full, read-only or not the user's."""

    slug = "disk"

    @staticmethod
    def explains(error: OSError) -> bool:
        """Whether it is about room or permission to write, not about anything else of the system's."""
        return error.errno in _UNWRITABLE

    @classmethod
    def of(cls, error: OSError, what: str = "") -> DiskError:
        """Say where the operating system refused to write."""
        where = error.filename or what
        told = error.strerror or str(error)
        return cls(
            expected="room for what a run keeps (TMPDIR, results, reports)",
            found=f"{told}: {where}" if where else told,
            hint="make room, look at permissions, or set TMPDIR to a folder that can be written to",
        )


class FrameError(LockinError):
    """A table cannot be compared or stored as it is."""

    slug = "frame"


class BuildError(LockinError):
    """`lockin tasks build` cannot make or place references; nothing half-made is left behind."""

    slug = "tasks-build"


class StudyError(LockinError):
    """A folder of runs, a label file or a report cannot be evaluated; nothing is guessed in its place."""

    slug = "bad-study"


class LockError(LockinError):
    """Tasks, obligations, references or data are not those that `tasks/lock.json` records."""

    slug = "task-lock"


class AlternativesError(LockinError):
    """No alternatives can be made of a program or statement, or operators get in each other's way."""

    slug = "alternatives"


class WaiverError(LockinError):
    """The waiver file cannot be read, or an entry lacks its id, reason, author or expiry."""

    slug = "bad-waiver"


class RevisionError(LockinError):
    """`--lockin-since` names no revision git knows, or there is no git repository."""

    slug = "bad-revision"


class StatementError(LockinError):
    """A statement cannot be read against the schemas of its input tables."""

    slug = "bad-statement"


class FixturesError(LockinError):
    """Fixtures cannot be made, or those stored are damaged or not as they were locked."""

    slug = "bad-fixtures"


class PolicyError(LockinError):
    """`--lockin-policy` names neither a folder nor a revision git knows here."""

    slug = "bad-policy"


class SealError(LockinError):
    """A lock of a run cannot be read, or `lockin run` cannot start a sealed run."""

    slug = "bad-seal"


class SandboxError(LockinError):
    """A sandbox is required or asked for and cannot be made, or a program would see what it must not."""

    slug = "sandbox"
