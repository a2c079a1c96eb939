"""Arrays that a peer is shown where they lie: not copied, and not changed while it reads."""

from __future__ import annotations

import gc
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.transfers.lanes import frames, segments
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.outgoing import releases_later
from dataflow.actors.transfers.lanes.service import LaneService, Thunk
from dataflow.actors.wire.messages import Message, SendTensor
from dataflow.kernels.contract.resources import Variable
from dataflow.kernels.memory import shared_arrays
from tests.actors.transfers.descriptors import open_descriptors
from tests.actors.transfers.lines import far_lines, near_lines
from tests.kernels.memory.fresh_regions import fresh_regions
from tests.ray.actors import eventually

SIZE = 100_000
assert 4 * SIZE >= shared_arrays.LEAST


class Ends:
    """Two ends of a lane, of which the first shows what it has in shared memory."""

    def __init__(self, owns: bool = False, far: bool = False) -> None:
        first, second = far_lines() if far else near_lines()
        self.a = Lane(first, "a", lambda _: None, owns=False, shows=not owns)
        self.b = Lane(second, "b", lambda _: None, owns=owns)

    def send(self, value: Any) -> Any:
        """Sends a value; returns it as it arrives."""
        self.a.send(SendTensor(1, "k", value))
        while not (found := self.b.read()):
            self.a.resume()
        (message,) = found
        assert isinstance(message, SendTensor)
        return message.value

    def close(self) -> None:
        self.a.close()
        self.b.close()

    @property
    def copies(self) -> int:
        """Segments of the first end that things are copied to."""
        return len(self.a._lent._all)

    @property
    def shown(self) -> int:
        """Arrays that the other end reads where they lie."""
        return len(self.a._lent._arrays)


@pytest.fixture(autouse=True)
def nothing_before() -> Iterator[None]:
    """Each test finds no region, and leaves no descriptor."""
    with fresh_regions():
        yield


@pytest.fixture
def ends() -> Iterator[Ends]:
    with closing(Ends()) as made:
        yield made


def made(value: float = 0.0, size: int = SIZE) -> Any:
    array = shared_arrays.empty((size,), np.dtype(np.float32))
    array[...] = value
    return array


def test_it_is_the_same_memory(ends: Ends) -> None:
    array = made(1.0)
    found = ends.send(array)
    assert not found.flags.writeable
    array[5] = 3.0
    assert found[5] == 3.0 and (found[6:] == 1.0).all()
    assert (ends.copies, ends.shown) == (0, 1)


def test_a_lane_that_is_closed_holds_nothing(ends: Ends) -> None:
    held = [weakref.ref(array) for array in (made(1.0), made(2.0))]
    ends.a.send(SendTensor(1, "k", shown := made(3.0)))
    ends.a.close()
    for value in (shown, made(4.0), np.ones(SIZE, np.float32)):
        held.append(weakref.ref(value))
        with pytest.raises(errors.UnavailableError, match="cannot be reached"):
            ends.a.send(SendTensor(1, "k", value))
    del shown, value
    gc.collect()
    assert [each() for each in held] == [None] * 5
    assert (ends.copies, ends.shown, len(ends.a._lent)) == (0, 0, 0)


def test_a_lane_that_was_shut_takes_nothing(ends: Ends) -> None:
    ends.a.shut()
    for value in (made(1.0), np.ones(SIZE, np.float32)):
        with pytest.raises(errors.UnavailableError, match="cannot be reached"):
            ends.a.send(SendTensor(1, "k", value))
        assert (ends.copies, ends.shown) == (0, 0)


def test_it_is_held_until_it_is_given_back(ends: Ends) -> None:
    variable = Variable("v", None)
    variable.value = made(1.0)
    found = ends.send(variable.value)
    part = found[10:20]

    def add(value: Any, owned: bool) -> Any:
        is_owned.append(owned)
        return value + 1

    is_owned: list[bool] = []
    variable.update(add)
    assert (found == 1).all()
    variable.value = made(5.0)
    again = ends.send(variable.value)
    del again
    assert ends.a.read() == []
    variable.update(add)
    assert is_owned == [False, True]
    del found
    assert ends.a.read() == []
    assert ends.shown == 1
    assert (part == 1).all()
    del part
    assert ends.a.read() == []
    assert ends.shown == 0


def test_it_is_shown_again_without_a_new_segment(ends: Ends) -> None:
    array = made()
    for count in range(5):
        array[:] = count
        found = ends.send(array)
        assert (found == count).all()
        del found
        assert ends.a.read() == []
    assert (ends.copies, len(ends.a._lent), len(ends.b._borrowed)) == (0, 1, 1)


def test_what_is_being_read_is_copied_for_another_reader(ends: Ends) -> None:
    array = made(2.0)
    first, second = ends.send(array), ends.send(array)
    assert (first == 2).all() and (second == 2).all()
    assert (ends.copies, ends.shown) == (1, 1)


def test_several_peers_read_the_same(ends: Ends) -> None:
    other = Ends()
    array = made(2.0)
    first, second = ends.send(array), other.send(array)
    array[0] = 4.0
    assert first[0] == second[0] == 4.0
    del first
    assert ends.a.read() == []
    lent = weakref.ref(array)
    del array
    assert lent() is not None
    del second
    assert other.a.read() == []
    assert lent() is None
    other.close()


def test_who_owns_what_arrives_gets_a_copy() -> None:
    with closing(Ends(owns=True)) as ends:
        array = made(1.0)
        found = ends.send(array)
        found[:] = 9.0
        assert (array == 1).all()
        assert (ends.copies, ends.shown) == (1, 0)


def test_other_machines_get_a_copy() -> None:
    with closing(Ends(far=True)) as ends:
        array, elsewhere = made(1.0), np.full(SIZE, 2.0, np.float32)
        assert (ends.send(array) == 1).all() and (ends.send(elsewhere) == 2).all()
        assert (ends.copies, ends.shown) == (0, 0)
        assert not shared_arrays.is_to_move(elsewhere)


def test_what_was_copied_moves(ends: Ends) -> None:
    array, small = np.ones(SIZE, np.float32), np.ones(20_000, np.float32)
    ends.send(array)
    ends.send(small)
    assert shared_arrays.is_to_move(array)
    assert not shared_arrays.is_to_move(small)


def test_what_could_not_be_sent_is_held_no_more(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what the peer has never seen nor what it knows."""
    known, unknown = made(1.0), made(2.0)
    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(frames, "MAX_BODY", 20)
            for array in (known, unknown, np.ones(SIZE, np.float32)):
                with pytest.raises(errors.InvalidArgumentError, match="is too large to be sent"):
                    ends.a.send(SendTensor(1, "k", array))
        assert ends.shown == 0
        found = ends.send(known)
        assert (found == 1).all()
        del found
        assert ends.a.read() == []
    assert (ends.send(unknown) == 2).all()
    assert (ends.send(np.full(SIZE, 3.0, np.float32)) == 3).all()
    assert len(ends.a._lent) == len(ends.b._borrowed) == 3


def test_too_many_are_copied(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "MAX_SEGMENTS", 4)
    held = [ends.send(made(count)) for count in range(6)]
    assert [found[3] for found in held] == [0, 1, 2, 3, 4, 5]
    # The last two find no segment at all.
    assert (ends.shown, ends.copies) == (2, 2)


def test_memory_that_is_given_up_is_given_up_at_both_ends(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_arrays, "_IDLE_BYTES", 0)
    found = ends.send(made(1.0))
    assert len(ends.b._borrowed) == 1
    del found
    assert ends.a.read() == []
    assert len(ends.a._lent) == 0
    assert ends.b.read() == []
    assert len(ends.b._borrowed) == 0


def test_a_lane_that_ends_gives_it_back(ends: Ends) -> None:
    array = made(1.0)
    lent = weakref.ref(array)
    found = ends.send(array)
    del array
    ends.b.shut()
    with pytest.raises(EOFError):
        ends.a.read()
    ends.a.close()
    assert lent() is None
    assert (found == 1).all()


def test_what_was_given_back_is_told_before_something_large_is_sent(ends: Ends) -> None:
    """So that the step which goes on at the other end finds its variable free."""
    back = Ends()
    array = made(1.0)
    with releases_later:
        found = ends.send(array)
        del found
        assert ends.a.read() == []
        assert ends.shown == 1
        answer = back.send(made(2.0))
        assert ends.a.read() == []
        assert ends.shown == 0
    assert (answer == 2).all()
    del answer
    back.close()


def test_what_was_given_back_is_told_in_the_end(ends: Ends) -> None:
    found = ends.send(made(1.0))
    with releases_later:
        del found
        assert ends.a.read() == []
        assert ends.shown == 1
    assert ends.a.read() == []
    assert ends.shown == 0


def test_who_serves_a_message_is_the_last_to_hold_it() -> None:
    """What it has woken finds the message's arrays used by nobody else."""
    opened = open_descriptors()
    alive: list[bool] = []
    gate, over = threading.Event(), threading.Semaphore(0)

    def serve(_lane: Lane, message: Message) -> deque[Thunk]:
        assert isinstance(message, SendTensor)
        held = weakref.ref(message.value.base if message.value.base is not None else message.value)

        def work() -> None:
            alive.append(held() is not None)
            over.release()

        gate.wait(30)
        return deque([work])

    service = LaneService(serve, lambda _: None)
    first, second = near_lines()
    lane = Lane(second, "the service", lambda _: None, owns=False)
    # Those that come together are served by several threads.
    for count in range(4):
        lane.send(SendTensor(count, "k", np.full(300, count, np.float32)))
    service.accept(first, "a peer")
    gate.set()
    for _ in range(4):
        assert over.acquire(timeout=30)
    assert alive == [False] * 4
    service.close()
    lane.close()
    assert eventually(lambda: open_descriptors() <= opened)
