"""Start Spark's JVM as a process of its own, which short-lived workers attach to one after another.

Starting it takes seconds and it imports nothing of pyspark here, so the process that starts it may be the
one that never runs candidate code.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pytest_lockin.engines.archive import archive_options, archive_path
from pytest_lockin.engines.preflight import check_java, java_home, spark_home
from pytest_lockin.errors import EngineError, JavaMissingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

START_LIMIT = 120.0
STOP_LIMIT = 5.0

# Tiny queries never run long enough for the optimising compiler to pay: the quick one alone halves the
# time until the first results on two cores.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"


class Started(Protocol):
    """A process as a sandbox starts it."""

    popen: subprocess.Popen[bytes]

    def kill(self) -> None:
        """End it with all it started, and what was set up for it."""


# Starts a command with an environment and a log in a way of its own; its standard input is a pipe.
Spawn = Callable[["Sequence[str]", "Mapping[str, str]", Path], Started]


class JvmHandle:
    """A running JVM: where to attach, and how to end it.

    It ends by itself when the process that started it ends (its standard input closes).
    """

    def __init__(
        self, *, started: Started, port: int, secret: str, log: Path, conf: Mapping[str, str]
    ) -> None:
        self.started = started
        self.process = started.popen
        self.port = port
        self.secret = secret
        self.log = log
        self.conf = dict(conf)

    @property
    def pid(self) -> int:
        """The process id; also the id of its group and session."""
        return self.process.pid

    def is_alive(self) -> bool:
        """Tell whether the JVM still runs."""
        return self.process.poll() is None

    def stop(self, limit: float = STOP_LIMIT) -> None:
        """End the JVM and every process it started (Spark's Python workers). May be called twice.

        It has `limit` seconds to end by itself before it is killed.
        """
        members = _session_members(self.pid)
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired:
            _signal_group(self.pid, signal.SIGKILL)
            self.process.wait(STOP_LIMIT)
        for pid in members | _session_members(self.pid):
            _signal(pid, signal.SIGKILL)
        self.started.kill()


def start_jvm(
    scratch: Path,
    conf: Mapping[str, str] | None = None,
    *,
    cores: int = 2,
    spawn: Spawn | None = None,
    extra_options: str = "",
    limit: float = START_LIMIT,
) -> JvmHandle:
    """Start Spark's gateway and wait until workers can attach.

    Args:
        scratch: a folder of this JVM's own: logs, warehouse, Derby and temporary files go there.
        conf: static conf the programs ask for (jars, extensions, catalogs); it wins over ours.
        cores: tasks at once.
        spawn: starts the command (a sandbox's way); an ordinary process by default.
        extra_options: options for Java itself; instead of those that use a class archive.
        limit: seconds to wait for it.

    Raises:
        JavaMissingError: there is no Java that can run Spark.
        EngineError: it did not start; the message quotes the log.
    """
    home, java = spark_home(), java_home()
    if java is None:
        raise missing_java()
    if home is None:
        raise EngineError(
            expected="a pyspark package with Spark's jars",
            found="none",
            hint="pip install pyspark (pyspark-client has no classic Spark)",
        )
    scratch.mkdir(parents=True, exist_ok=True)
    log = scratch / "spark.log"
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        answer = Path(folder) / "gateway"
        command = _command(home, scratch, conf or {}, cores, extra_options or archive_options())
        started = (spawn or _spawn)(command, _environment(home, java, answer), log)
        try:
            port, secret = _wait_for(answer, started.popen, log, limit)
        except BaseException:
            _signal_group(started.popen.pid, signal.SIGKILL)
            started.popen.communicate()
            started.kill()
            raise
    return JvmHandle(started=started, port=port, secret=secret, log=log, conf=conf or {})


class _Plain:
    """An ordinary process; nothing was set up for it."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self.popen = popen

    def kill(self) -> None:
        """Do nothing: whoever ends the JVM has found all its processes."""


def _spawn(command: Sequence[str], environment: Mapping[str, str], log: Path) -> Started:
    with log.open("wb") as output:
        popen = subprocess.Popen(
            command,
            # Spark's gateway ends when this pipe closes, however we end.
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=log.parent,
            # A session of its own: Ctrl-C does not reach it, and all that it starts can be found.
            start_new_session=True,
        )
    return _Plain(popen)


# What Spark's start scripts read; the rest of the environment is nothing to a sealed JVM.
JVM_VARIABLES = (
    "SPARK_HOME",
    "SPARK_LOCAL_IP",
    "SPARK_CONNECT_MODE",
    "PYSPARK_PYTHON",
    "PYSPARK_DRIVER_PYTHON",
    "_PYSPARK_DRIVER_CONN_INFO_PATH",
)


def jvm_libraries() -> tuple[str, ...]:
    """Folders and files a JVM reads beside the interpreter's: Java, Spark, the class archive."""
    archive = archive_path()
    found = (java_home(), spark_home(), archive)
    return tuple(
        str(path.resolve() if path is not archive else path) for path in found if path and path.exists()
    )


def missing_java() -> JavaMissingError:
    """Build the error that says in one line what is wrong with Java."""
    import shutil

    finding = check_java(os.environ.get("JAVA_HOME", ""), shutil.which("java") or "")
    return JavaMissingError(expected="Java 17 or newer", found=finding.text, hint=finding.hint)


def static_conf(scratch: Path, cores: int) -> dict[str, str]:
    """Return the conf of a quiet local application that leaves nothing outside its folder."""
    return {
        "spark.master": f"local[{cores}]",
        "spark.app.name": "lockin",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.port.maxRetries": "64",
        "spark.local.dir": str(scratch / "local"),
        "spark.sql.warehouse.dir": (scratch / "warehouse").as_uri(),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.driver.extraJavaOptions": f'{QUICK} "-Dderby.system.home={scratch / "derby"}"',
    }


def _command(home: Path, scratch: Path, asked: Mapping[str, str], cores: int, extra: str) -> list[str]:
    conf = static_conf(scratch, cores)
    options = "spark.driver.extraJavaOptions"
    conf |= {**asked, options: " ".join(filter(None, (conf[options], extra, asked.get(options))))}
    pairs = [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    return [str(home / "bin" / "spark-submit"), *pairs, "pyspark-shell"]


def _environment(home: Path, java: Path, answer: Path) -> dict[str, str]:
    # A user's own SPARK_* and PYSPARK_* settings would start another Spark than the one installed.
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("SPARK_", "PYSPARK_", "_PYSPARK", "SAIL_"))
    }
    return kept | {
        "JAVA_HOME": str(java),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONNECT_MODE": "0",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(answer),
    }


def _wait_for(answer: Path, process: subprocess.Popen[bytes], log: Path, limit: float) -> tuple[int, str]:
    deadline = time.monotonic() + limit
    while not answer.exists():
        if process.poll() is not None:
            raise EngineError(
                expected="Spark's JVM to start",
                found=f"it ended with status {process.returncode}: {_last_words(log)}",
                hint=f"see {log}",
            )
        if time.monotonic() > deadline:
            raise EngineError(
                expected=f"Spark's JVM to start within {limit:.0f} s",
                found="no answer",
                hint=f"see {log}",
            )
        time.sleep(0.02)
    # Spark writes beside the file and renames it, so that it is whole when it is there.
    data = answer.read_bytes()
    port, length = struct.unpack_from("!ii", data)
    return port, data[8 : 8 + length].decode()


def _last_words(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    telling = [line for line in lines if "Error" in line or "Exception" in line]
    if not lines:
        return "it said nothing"
    # The line after the first complaint often holds the cause.
    start = lines.index(telling[0]) if telling else 0
    return "; ".join(line.strip() for line in lines[start : start + 2])[:300]


def _session_members(session: int) -> set[int]:
    """List the processes of a session (Linux: elsewhere only the group is ended).

    Spark's Python daemon leaves the JVM's process group, but not its session.
    """
    members = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            members.add(int(stat.parent.name))
    return members - {os.getpid()}


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)
