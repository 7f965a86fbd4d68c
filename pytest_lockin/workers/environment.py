"""The environment variables a worker gets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Variables by which an outer pytest, coverage or Spark would change what an inner one does.
_DROPPED = ("PYTEST_", "COV_CORE_", "COVERAGE_", "SPARK_", "PYSPARK_", "MASTER", "_PYTEST")
# Where Spark is, which plugins the user wants, and which xdist worker this is hold for inner ones too.
_KEPT = (
    "SPARK_LOCAL_IP",
    "SPARK_HOME",
    "PYTEST_PLUGINS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "PYTEST_XDIST_WORKER",
    "PYTEST_XDIST_WORKER_COUNT",
    "PYTEST_XDIST_TESTRUNUID",
)
# By these pytest decides whether to shorten what it says of a failure; their values may say more than that.
_ON_CI = ("CI", "BUILD_NUMBER")
# What decides how text, time and Python itself behave; nothing else enters a sandbox without being named.
_SEALED = ("LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "NO_COLOR", "FORCE_COLOR", "JAVA_HOME", *_KEPT)
_SEALED_PREFIXES = ("LC_", "PYTHON", "LOCKIN_")
# Only trusted processes have it.
CANARY = "LOCKIN_CANARY"
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


def child_environment(parent: Mapping[str, str], hidden: Iterable[str]) -> dict[str, str]:
    """The environment a worker gets: the parent's, less what steers pytest or Spark, less hidden paths.

    A variable whose value mentions a hidden path (the references) is dropped whole.
    """
    secrets = tuple(path for path in hidden if path)
    kept = {}
    for name, value in parent.items():
        if name.startswith(_DROPPED) and name not in _KEPT:
            continue
        if any(secret in value for secret in secrets):
            continue
        kept[name] = value
    return kept


def sealed_environment(parent: Mapping[str, str], named: Iterable[str] = ()) -> dict[str, str]:
    """The environment inside a sandbox: out of `child_environment`, a few variables and those named.

    Its home and temporary folder are its own; bytecode is not written, since nothing could be.
    """
    wanted = {*_SEALED, *named}
    kept = {
        name: value for name, value in parent.items() if name in wanted or name.startswith(_SEALED_PREFIXES)
    }
    kept.pop(CANARY, None)
    kept |= {name: "true" for name in _ON_CI if parent.get(name) and name not in wanted}
    own = {"HOME": "/tmp", "TMPDIR": "/tmp", "PATH": f"{sys.prefix}/bin:{_SYSTEM_PATH}"}  # noqa: S108
    return kept | own | {"PYTHONDONTWRITEBYTECODE": "1"}
