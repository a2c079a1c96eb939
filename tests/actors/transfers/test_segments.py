"""Shared memory of lanes: used again, given back with the last array, safe from a lying peer."""

from __future__ import annotations

import fcntl
import gc
import os
from collections.abc import Iterator

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.transfers.lanes import segments
from dataflow.actors.transfers.lanes.segments import Receiver, Sender
from tests.actors.transfers.descriptors import open_descriptors


class Pair:
    """Both ends of a lane's segments, without the lane."""

    def __init__(self, writable: bool = False) -> None:
        self.released: list[int] = []
        self.dropped: list[int] = []
        self.sender = Sender(self.dropped.append)
        self.receiver = Receiver(self.released.append, writable)

    def send(self, value: bytes) -> tuple[int, bool]:
        """Has the receiver get the value; returns the segment's number and whether it is new."""
        taken = self.sender.take(len(value))
        assert taken is not None
        number, memory, descriptor = taken
        memory[: len(value)] = np.frombuffer(value, np.uint8)
        if descriptor is not None:
            self.receiver.add(number, descriptor, len(value))
            os.close(descriptor)
        return number, descriptor is not None


@pytest.fixture
def pair() -> Iterator[Pair]:
    before = open_descriptors()
    made = Pair()
    yield made
    made.receiver.close()
    del made.sender
    assert open_descriptors() <= before


def test_a_segment_is_used_again_after_its_last_array(pair: Pair) -> None:
    number, new = pair.send(b"abc" * 1000)
    assert new
    view = pair.receiver.view(number, 3000)
    array = np.frombuffer(view, np.uint8)
    part = array[10:20].reshape(2, 5).T
    del view, array
    assert pair.released == []
    assert part.tobytes(order="A") == (b"abc" * 1000)[10:20]
    del part
    gc.collect()
    assert pair.released == [number]
    pair.sender.give_back(number)
    assert pair.dropped == []
    assert pair.send(b"x" * 2900) == (number, False)
    # That one is lent again.
    assert pair.send(b"y" * 2900)[1]


def test_a_segment_fits_what_is_a_little_larger() -> None:
    pair = Pair()
    number, _ = pair.send(bytes(100_001))
    pair.sender.give_back(number)
    assert pair.send(bytes(100_500)) == (number, False)
    pair.sender.give_back(number)
    # It would be wasted on something much smaller.
    assert pair.send(bytes(5000))[1]


def test_idle_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_IDLE_BYTES", 300_000)
    pair = Pair()
    numbers = [pair.send(bytes(100_000))[0] for _ in range(4)]
    for number, dropped in zip(numbers, ([], [], [1], [1, 2]), strict=True):
        pair.sender.give_back(number)
        assert pair.dropped == dropped
    pair.receiver.drop(1)
    assert (len(pair.sender), len(pair.receiver)) == (2, 3)


def test_the_receiver_cannot_write_unless_it_owns(pair: Pair) -> None:
    number, _ = pair.send(b"abc")
    assert pair.receiver.view(number, 3).readonly
    owner = Pair(writable=True)
    number, _ = owner.send(b"abc")
    array = np.frombuffer(owner.receiver.view(number, 3), np.uint8)
    array[0] = 65
    assert array.tobytes() == b"Abc"


@pytest.mark.parametrize("number, size", [(2, 3), (1, 0), (1, 1 << 20), (1, 3)])
def test_a_view_of_what_is_not_there_is_refused(pair: Pair, number: int, size: int) -> None:
    pair.send(b"abc")
    held = pair.receiver.view(1, 3)
    with pytest.raises(errors.DataLossError, match="cannot lie in segment"):
        pair.receiver.view(number, size)
    assert bytes(held) == b"abc"


def test_what_was_not_lent_is_not_taken_back(pair: Pair) -> None:
    number, _ = pair.send(b"abc")
    pair.sender.give_back(number)
    for wrong in (number, 99):
        with pytest.raises(errors.DataLossError, match="not lent"):
            pair.sender.give_back(wrong)
    with pytest.raises(errors.DataLossError, match="never made"):
        pair.receiver.drop(7)


REFUSED = {
    "unsealed": "not sealed",
    "file": "is none",
    "empty": "0 bytes",
    "small": "4096 bytes for a tensor of 5000",
    "much larger": "1048576 bytes for a tensor of 5000",
    "hollow": "not filled",
    "twice": "came twice",
}


@pytest.mark.parametrize("what", REFUSED)
def test_memory_that_is_not_what_it_should_be_is_refused(pair: Pair, what: str) -> None:
    """A peer that shrinks a file under an array would kill this process, and so would one that
    has it take up all memory.
    """
    sizes = {"empty": 0, "small": 4096, "much larger": 1 << 20}
    if what == "file":
        descriptor = os.open("/dev/null", os.O_RDWR)
    else:
        descriptor = os.memfd_create("test", os.MFD_ALLOW_SEALING)
        size = sizes.get(what, 8192)
        os.ftruncate(descriptor, size)
        if what != "hollow":
            os.pwrite(descriptor, bytes(size), 0)
        if what != "unsealed":
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    try:
        if what == "twice":
            pair.receiver.add(1, descriptor, 5000)
        with pytest.raises(errors.DataLossError, match=f"Segment 1.*{REFUSED[what]}"):
            pair.receiver.add(1, descriptor, 5000)
    finally:
        os.close(descriptor)


def test_a_sealed_segment_cannot_be_shrunk() -> None:
    pair = Pair()
    taken = pair.sender.take(5000)
    assert taken is not None and taken[2] is not None
    for size in (0, 1 << 30):
        with pytest.raises(PermissionError):
            os.ftruncate(taken[2], size)
    os.close(taken[2])
