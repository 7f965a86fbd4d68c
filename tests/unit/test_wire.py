"""Frames between controller and worker: whole messages or an error in words, whatever the other end does."""

from __future__ import annotations

import socket
import struct
import threading
import time

import msgspec
import pytest

from pytest_lockin.errors import WorkerCrashedError, WorkerError, WorkerTimedOutError
from pytest_lockin.model.messages import Collected, Finish, ProgramReturned, RunPhase
from pytest_lockin.model.suite import Case, StoredFrame
from pytest_lockin.workers import wire as wire_module
from pytest_lockin.workers.wire import Wire, decode


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    yield Wire(ours), theirs
    ours.close()
    theirs.close()


def frame(body: bytes) -> bytes:
    return struct.pack(">Q", len(body)) + body


def body(name: object, fields: object) -> bytes:
    return msgspec.msgpack.encode((name, fields))


def test_messages_arrive_whole_and_in_order(ends):
    ours, theirs = ends
    sent = [
        Collected(cases=(Case(id="a::t", names=("t",)),)),
        ProgramReturned(parts=(("", StoredFrame(digest="00", rows=1, columns=2, size=3)),)),
        Finish(),
    ]
    for message in sent:
        Wire(theirs).send(message)
    assert [ours.receive(5) for _ in sent] == sent


def test_a_message_larger_than_the_sockets_buffer_arrives(ends):
    ours, theirs = ends
    message = RunPhase(case_id="x" * 3_000_000, when="call")
    sender = threading.Thread(target=Wire(theirs).send, args=(message,), daemon=True)
    sender.start()
    assert ours.receive(30) == message
    sender.join()


def test_a_frame_that_claims_too_much_is_refused_before_it_is_read(ends):
    ours, theirs = ends
    theirs.sendall(struct.pack(">Q", wire_module.MAX_FRAME + 1))
    with pytest.raises(WorkerError, match="a frame of"):
        ours.receive(5)


def test_a_message_too_long_to_be_taken_is_not_sent(ends, monkeypatch):
    ours, theirs = ends
    monkeypatch.setattr(wire_module, "MAX_FRAME", 100)
    with pytest.raises(WorkerError, match="RunPhase of"):
        ours.send(RunPhase(case_id="x" * 200, when="call"))
    ours.send(RunPhase(case_id="x", when="call"))
    assert Wire(theirs).receive(5) == RunPhase(case_id="x", when="call")


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"\xc1",
        b"hello",
        b"\x93\x01\x02",
        b"\xdd\xff\xff\xff\xff",
        b"\x91" * 100_000,
        b"\xa2\xff\xfe",
        body("Finish", {})[:-1],
        body("Finish", {}) + b"\x00",
        msgspec.msgpack.encode(None),
        msgspec.msgpack.encode(["Finish"]),
        msgspec.msgpack.encode(["Finish", {}, 1]),
        body("NoSuchMessage", {}),
        body("SuiteRun", {}),
        body(["Finish"], {}),
        body({"a": 1}, {}),
        body(None, {}),
        body("Finish", None),
        body("Finish", [1]),
        body("Finish", {"surprise": 1}),
        body("Finish", {7: 1}),
        body("Finish", {"$type": "Start"}),
        body("RunPhase", {"case_id": "a"}),
        body("RunPhase", {"case_id": 1, "when": "call"}),
    ],
    ids=lambda garbage: garbage[:12].hex() or "nothing",
)
def test_garbage_is_refused_in_words(ends, garbage):
    ours, theirs = ends
    theirs.sendall(frame(garbage))
    with pytest.raises(WorkerError) as caught:
        ours.receive(5)
    assert type(caught.value) is WorkerError
    assert caught.value.hint


def test_decoding_promises_the_same_without_a_socket():
    assert decode(body("Finish", {})) == Finish()
    with pytest.raises(WorkerError):
        decode(body("Nope", {}))


def test_the_end_of_the_stream_is_a_crash(ends):
    ours, theirs = ends
    theirs.close()
    with pytest.raises(WorkerCrashedError):
        ours.receive(5)


def test_the_end_in_the_middle_of_a_message_is_a_crash(ends):
    ours, theirs = ends
    theirs.sendall(frame(body("Finish", {}))[:-1])
    theirs.close()
    with pytest.raises(WorkerCrashedError):
        ours.receive(5)


def test_sending_to_an_end_that_is_gone_is_a_crash(ends):
    ours, theirs = ends
    theirs.close()
    with pytest.raises(WorkerCrashedError):
        ours.send(RunPhase(case_id="x" * 1_000_000, when="call"))


def test_a_closed_end_neither_sends_nor_receives(ends):
    ours, _ = ends
    ours.close()
    with pytest.raises(WorkerCrashedError):
        ours.send(Finish())
    with pytest.raises(WorkerCrashedError):
        ours.receive(1)


def test_no_answer_in_time_is_told_with_the_limit(ends):
    ours, _ = ends
    with pytest.raises(WorkerTimedOutError, match=r"within 0\.1 s"):
        ours.receive(0.1)


def test_bytes_that_trickle_in_do_not_stretch_the_limit(ends):
    ours, theirs = ends
    stop = threading.Event()

    def trickle():
        theirs.sendall(struct.pack(">Q", 10_000))
        while not stop.wait(0.05):
            theirs.sendall(b"x")

    sender = threading.Thread(target=trickle, daemon=True)
    sender.start()
    try:
        with pytest.raises(WorkerTimedOutError):
            ours.receive(0.4)
    finally:
        stop.set()
        sender.join()


def test_a_wait_that_timed_out_leaves_no_limit_on_what_is_sent_next(ends):
    ours, theirs = ends
    with pytest.raises(WorkerTimedOutError):
        ours.receive(0.05)
    message = RunPhase(case_id="x" * 3_000_000, when="call")
    received = []

    def read_late():
        time.sleep(0.3)
        received.append(Wire(theirs).receive(30))

    reader = threading.Thread(target=read_late, daemon=True)
    reader.start()
    ours.send(message)
    reader.join()
    assert received == [message]
