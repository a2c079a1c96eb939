"""Which way things go: on lanes where they can be opened, else over Ray, and who says so."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import ray

import dataflow as tf
from dataflow import errors
from dataflow.actors.ray.session import lane_step
from dataflow.actors.transfers.lanes.door import connect
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.wire.messages import LaneOffer
from dataflow.session.session import Session
from tests.ray.actors import cluster_of, eventually, frozen, living, usage, usage_of
from tests.ray.held import HeldActors, hold
from tests.ray.lanes import HERE, actor_of, chain, cut, lanes_of, segments
from tests.ray.transports import LANES, of_lanes

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("transport")]


LONG = 30.0
"""Seconds that a session waits for a device that does not answer, where no test should wait."""


class Counts:
    """What a device has sent to its peers, by the way it went."""

    def __init__(self, session: Session, device: str) -> None:
        self._actor = actor_of(session, device)

    def ways(self) -> tuple[int, int]:
        """Number of peers that a lane leads to, and of those that are called over Ray."""

        def count(actor: Any) -> tuple[int, int]:
            shell = actor._shell
            lanes = [p._lane for p in shell._peers._peers.values() if p._lane is not None]
            return len(lanes), len(shell._outbox._peers)

        found: tuple[int, int] = ray.get(self._actor.__ray_call__.remote(count))
        return found


@pytest.fixture
def session(transport: str) -> Iterator[Session]:
    config = hold(tf.ConfigProto(device_count={"CPU": 2}), transport)
    with tf.Graph().as_default(), Session("ray", config=config) as opened:
        yield opened


@pytest.fixture(scope="module")
def unused(transport: str) -> Iterator[tf.ConfigProto]:
    """Options of sessions over whose devices only `chain` has run."""
    held = HeldActors()
    config = tf.ConfigProto(device_count={"CPU": 2}, inter_op_parallelism_threads=3)
    yield held.hold(config, transport)
    held.let_go()


@pytest.fixture
def quiet(unused: tf.ConfigProto) -> Iterator[Session]:
    """A session with them."""
    with tf.Graph().as_default(), Session("ray", config=unused) as opened:
        yield opened


def test_the_way(quiet: Session, transport: str) -> None:
    x, z = chain()
    for size in (3, 100_000):
        value = np.arange(size, dtype=np.float32)
        np.testing.assert_array_equal(quiet.run(z, {x: value}), (value + 1) * 2)
    first, second = (device.name for device in quiet.list_devices())
    assert set(lanes_of(quiet)) == ({first, second} if transport == LANES else set())
    ways = (1, 0) if transport == LANES else (0, 1)
    assert Counts(quiet, first).ways() == ways
    assert Counts(quiet, second).ways() == (0, 0)


def test_a_large_fetch_is_the_callers_own(session: Session, transport: str) -> None:
    with tf.device("/cpu:1"):
        variable = tf.Variable(tf.zeros([200_000]))
        same = tf.identity(variable)
    session.run(variable.initializer)
    kept = [session.run(variable) for _ in range(5)]
    for number, fetched in enumerate(kept):
        assert fetched.flags.writeable
        fetched[:] = number + 1.0
    again = session.run([variable, same])
    assert not again[0].any() and not np.shares_memory(*again)
    assert [fetched[-1] for fetched in kept] == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_fetches_outlive_their_session(transport: str) -> None:
    with (
        tf.Graph().as_default(),
        Session("ray", config=tf.ConfigProto(inter_op_parallelism_threads=1)) as session,
    ):
        fetched = session.run(tf.range(300_000))
    np.testing.assert_array_equal(fetched, np.arange(300_000))
    fetched[0] = 7
    assert fetched[0] == 7


def test_what_is_fed_may_be_changed_afterwards(session: Session, transport: str) -> None:
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/cpu:1"):
        variable = tf.Variable(tf.zeros([100_000]))
        assign = tf.assign(variable, x)
    session.run(variable.initializer)
    value = np.ones(100_000, np.float32)
    session.run(assign.op, {x: value})
    for number in range(4):
        # Shared memory is used again for these; the variable's must not be.
        value[:] = number + 5.0
        assert session.run(tf.identity(x), {x: value})[0] == number + 5.0
    assert (session.run(variable) == 1.0).all()


def test_shared_memory_does_not_grow(quiet: Session, transport: str) -> None:
    x, z = chain()
    devices = quiet.list_devices()
    everywhere = [constant_on(device.name) for device in devices]
    value = np.ones(500_000, np.float32)
    earlier = segments()

    def step() -> None:
        quiet.run(z, {x: value})
        # A device may let go of a feed a little after it has answered.
        assert eventually(lambda: all_is_free(quiet, everywhere))

    for _ in range(10):
        step()
    before = segments()
    assert (before != earlier) == (transport == LANES)
    for _ in range(200 if transport == LANES else 10):
        step()
    assert segments() == before


def constant_on(device: str) -> Any:
    with tf.device(device):
        return tf.constant(1.0)


def all_is_free(session: Session, fetches: list[Any]) -> bool:
    """Whether nobody uses this process's shared memory any more, as far as it was told.

    It listens while a step runs only.
    """
    session.run(fetches)
    lent = [device.lane._lent for device in lanes_of(session).values()]
    return all(len(each._idle) == len(each) for each in lent)


@of_lanes
def test_a_cut_lane_fails_its_steps_and_is_opened_again(session: Session) -> None:
    x, z = chain()
    assert session.run(z, {x: [1.0]}) == [4.0]
    failed: list[Exception] = []

    def wait() -> None:
        try:
            session.run(z, {x: [1.0]})
        except Exception as error:
            failed.append(error)

    second = session.list_devices()[1].name
    with frozen(living(cluster_of(session))[second]):
        thread = threading.Thread(target=wait)
        thread.start()
        assert eventually(lambda: lanes_of(session)[second]._askers)
        cut(session, HERE, second)
        thread.join(10)
    assert isinstance(failed[0], errors.UnavailableError) and second in failed[0].message
    assert session.run(z, {x: [1.0]}) == [4.0]
    assert len(lanes_of(session)) == 2


@of_lanes
@pytest.mark.parametrize("begins_here", [True, False])
def test_a_cut_lane_is_told_at_once(
    session: Session, begins_here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has died: there is nothing to wait for."""
    monkeypatch.setattr(lane_step, "STEP_PATIENCE", LONG)
    n = tf.placeholder(tf.int32, [])

    def body(i: Any, total: Any) -> tuple[Any, Any]:
        with tf.device("/cpu:1"):
            added = total + 1.0
        with tf.device("/cpu:0"):
            return i + 1, added

    total = tf.while_loop(lambda i, _: i < n, body, [0, 0.0])[1]
    assert session.run(total, {n: 3}) == 3.0
    first, second = (device.name for device in session.list_devices())
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(session.run(total, {n: 10**8}))
        except errors.OpError as error:
            found.extend((error, time.monotonic()))

    thread = threading.Thread(target=run)
    thread.start()
    assert eventually(lambda: steps_on(session, first) == 1)
    since = cut(session, HERE if begins_here else first, second)
    thread.join(2 * LONG)
    error, ended = found
    assert isinstance(error, errors.UnavailableError), error
    # The device that sends, or the one that waits, whichever notices first.
    sender = f"{second} cannot be reached: the connection to it is closed"
    receiver = f"The connection from {first} to {second} is broken."
    assert sender in error.message or (not begins_here and receiver in error.message)
    assert ended - since < LONG
    assert session.run(total, {n: 3}) == 3.0


@of_lanes
def test_a_device_that_has_only_sent_ends_a_failed_step_at_once(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has told nobody that it was through with the step, and is asked now."""
    monkeypatch.setattr(lane_step, "STEP_PATIENCE", LONG)
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/cpu:1"):
        sent = x + 1.0
    with tf.device("/cpu:0"):
        shape = tf.placeholder(tf.int32, [1])
        received = tf.reshape(sent, shape)
    assert session.run(received, {x: [1.0], shape: [1]}) == 2.0
    for _ in range(5):
        started = time.monotonic()
        with pytest.raises(errors.InvalidArgumentError, match="reshape"):
            session.run(received, {x: [1.0], shape: [2]})
        assert time.monotonic() - started < LONG
    assert session.run(received, {x: [1.0], shape: [1]}) == 2.0


@of_lanes
def test_where_no_lane_can_be_opened_ray_carries_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise errors.UnavailableError(None, None, "a firewall is in between")

    monkeypatch.setattr("dataflow.actors.ray.links.lanes.connect", refuse)
    config = tf.ConfigProto(device_count={"CPU": 2}, intra_op_parallelism_threads=1)
    caplog.set_level(logging.INFO, "dataflow")
    with tf.Graph().as_default(), Session("ray", config=config) as session:
        x, z = chain()
        for size in (1, 100_000):
            value = np.ones(size, np.float32)
            assert (session.run(z, {x: value}) == 4.0).all()
        assert lanes_of(session) == {}
    assert "is reached through Ray's object store: a firewall is in between" in caplog.text


@of_lanes
def test_a_step_goes_both_ways(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One of its devices takes no connections from here."""

    def refuse_one(offer: LaneOffer, own_name: str, device: str, encryption: None) -> Line:
        if device.endswith("CPU:1"):
            raise errors.UnavailableError(None, None, "a firewall is in between")
        return connect(offer, own_name, device, encryption)

    monkeypatch.setattr("dataflow.actors.ray.links.lanes.connect", refuse_one)
    config = tf.ConfigProto(device_count={"CPU": 2}, intra_op_parallelism_threads=1)
    caplog.set_level(logging.INFO, "dataflow")
    with tf.Graph().as_default(), Session("ray", config=config) as session:
        x, z = chain()
        shape = tf.placeholder(tf.int32, [1])
        with tf.device("/cpu:1"):
            bad = tf.reshape(z, shape)
        with tf.device("/cpu:0"):
            after = bad + 1.0
        for size in (1, 100_000):
            value = np.ones(size, np.float32)
            assert (session.run(z, {x: value}) == 4.0).all()
            fetched = session.run([after, z], {x: value, shape: [size]})
            assert (fetched[0] == 5.0).all() and (fetched[1] == 4.0).all()
        with pytest.raises(errors.InvalidArgumentError, match="reshape"):
            session.run(after, {x: [1.0], shape: [3]})
        run = session.partial_run_setup([z, after], [x, shape])
        assert session.partial_run(run, z, {x: [1.0]}) == [4.0]
        assert session.partial_run(run, after, {shape: [1]}) == [5.0]
        first, second = (device.name for device in session.list_devices())
        assert set(lanes_of(session)) == {first}
        with frozen(living(cluster_of(session))[second]):
            started = time.monotonic()
            with pytest.raises(errors.DeadlineExceededError):
                session.run(z, {x: [1.0]}, options=tf.RunOptions(timeout_in_ms=200))
            assert 0.2 < time.monotonic() - started < LONG
        assert session.run(z, {x: [1.0]}) == [4.0]
        assert eventually(lambda: all(held.steps == 0 for held in usage(session).values()))
    assert f"{second} is reached through Ray's object store: a firewall" in caplog.text


@of_lanes
def test_a_device_that_only_receives_is_not_flooded(session: Session) -> None:
    """The loop's owner would be through with all iterations before the other one has begun."""
    rounds = 3000
    n = tf.placeholder(tf.int32, [])

    def body(i: Any, total: Any) -> tuple[Any, Any]:
        with tf.device("/cpu:1"):
            added = total + tf.cast(i, tf.float32)
        with tf.device("/cpu:0"):
            return i + 1, added

    with tf.device("/cpu:1"):
        zero = tf.constant(0.0)
    total = tf.while_loop(lambda i, _: i < n, body, [0, zero])[1]
    with tf.device("/cpu:1"):
        total = tf.identity(total)
    assert session.run(total, {n: 10}) == 45.0
    first, second = (device.name for device in session.list_devices())
    found: list[Any] = []
    with frozen(living(cluster_of(session))[second]):
        thread = threading.Thread(target=lambda: found.append(session.run(total, {n: rounds})))
        thread.start()
        assert eventually(lambda: steps_on(session, first) == 1)
        settled = [-1, 0]
        while settled[-1] != settled[-2]:
            thread.join(0.3)
            settled.append(waiting_to_be_sent(session, first))
        assert settled[-1] < 300
    thread.join(60)
    assert found == [rounds * (rounds - 1) / 2]


def steps_on(session: Session, device: str) -> int:
    """Number of steps that a device runs."""
    return usage_of(actor_of(session, device)).steps


def waiting_to_be_sent(session: Session, device: str) -> int:
    """Number of values that a device has sent to its peers lately, or has still to send."""

    def count(actor: Any) -> int:
        return sum(
            peer._lane.sent
            for peer in actor._shell._peers._peers.values()
            if peer._lane is not None
        )

    found: int = ray.get(actor_of(session, device).__ray_call__.remote(count))
    return found
