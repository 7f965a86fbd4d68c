"""A process that holds one engine and runs functions in it, so that the test process stays clean.

Engines patch pyspark for good and cannot share a process. A test writes an inner function that takes the
engine; it is pickled by value, runs in the host, and its return value or its failure comes back:

    def test_rows(sail):
        def body(engine):
            return engine.sql("select 1").count()

        assert sail(body) == 1
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import traceback
from pathlib import Path


class HostError(AssertionError):
    """The function failed in the host; the message holds its traceback."""


class EngineHost:
    """The test's end of the pipe."""

    def __init__(self, name, options):
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__))], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        try:
            self._ask((name, options))
        except BaseException:
            self.kill()
            raise

    def __call__(self, function, *args):
        from pyspark import cloudpickle

        return self._ask((cloudpickle.dumps(function), args))

    def close(self):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def send(self, function, *args):
        """Start a function and do not wait for its answer."""
        from pyspark import cloudpickle

        _write(self.process.stdin, (cloudpickle.dumps(function), args))

    def _ask(self, request):
        _write(self.process.stdin, request)
        good, answer = _read(self.process.stdout)
        if not good:
            raise HostError(answer)
        return answer


def _write(stream, value):
    data = pickle.dumps(value)
    stream.write(struct.pack("!q", len(data)) + data)
    stream.flush()


def _read(stream):
    (length,) = struct.unpack("!q", stream.read(8))
    return pickle.loads(stream.read(length))


def main():
    # What the engine or a program prints must not end up in the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    from pytest_lockin.engines import create_engine

    name, options = _read(sys.stdin.buffer)
    engine = create_engine(name)
    try:
        engine.start(options)
    except BaseException:  # noqa: BLE001 - whatever it is, the test wants to see it
        _write(answers, (False, traceback.format_exc()))
        return
    _write(answers, (True, None))
    while True:
        try:
            function, args = _read(sys.stdin.buffer)
        except struct.error:
            break
        try:
            answer = True, pickle.loads(function)(engine, *args)
        except BaseException:  # noqa: BLE001 - whatever it is, the test wants to see it
            answer = False, traceback.format_exc()
        _write(answers, answer)
    engine.stop()


if __name__ == "__main__":
    main()
