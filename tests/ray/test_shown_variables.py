"""Variables that another process reads: they come to lie where it sees them, and are not copied."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import ray

import dataflow as tf
from dataflow.session.session import Session
from tests.ray.held import hold
from tests.ray.lanes import actor_of
from tests.ray.transports import LANES, of_lanes

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("transport")]

SHAPE = (400, 500)
STEPS = 12
RATE = 5e-4


@pytest.fixture
def session(transport: str) -> Iterator[Session]:
    config = hold(tf.ConfigProto(device_count={"CPU": 3}), transport)
    with tf.Graph().as_default(), Session("ray", config=config) as opened:
        yield opened


@pytest.fixture
def looked_at(transport: str) -> Iterator[Session]:
    """A session whose devices have no memory but its own, where memory is looked at."""
    config = tf.ConfigProto(device_count={"CPU": 3})
    if transport == LANES:
        config.inter_op_parallelism_threads = 3  # Nobody holds such actors.
    else:
        hold(config, transport)
    with tf.Graph().as_default(), Session("ray", config=config) as opened:
        yield opened


def start(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=SHAPE).astype(np.float32)


def memory_of(session: Session, device: str) -> tuple[int, int, int]:
    """What a device has of it: regions, arrays that peers are reading, segments for copies."""

    def count(actor: Any) -> tuple[int, int, int]:
        from dataflow.kernels.memory import shared_arrays

        peers = actor._shell._peers._peers.values()
        lent = [peer._lane._lent for peer in peers if peer._lane is not None]
        shown, copies = sum(len(s._arrays) for s in lent), sum(len(s._all) for s in lent)
        return len(shared_arrays._regions), shown, copies

    found: tuple[int, int, int] = ray.get(actor_of(session, device).__ray_call__.remote(count))
    return found


def named(session: Session, number: int) -> str:
    return next(d.name for d in session.list_devices() if d.name.endswith(f"CPU:{number}"))


@pytest.mark.parametrize("use_resource", [False, True])
def test_training_with_variables_elsewhere(
    looked_at: Session, transport: str, use_resource: bool
) -> None:
    """Two workers in turns read a parameter server's weights and send their gradients."""
    x = np.random.default_rng(1).normal(size=(4, SHAPE[0])).astype(np.float32)
    with tf.device("/cpu:0"):
        weights = tf.get_variable("w", initializer=start(0), use_resource=use_resource)
    optimizer = tf.train.GradientDescentOptimizer(RATE)
    train = []
    for number in (1, 2):
        with tf.device(f"/cpu:{number}"):
            loss = tf.reduce_sum(tf.square(tf.matmul(x, weights))) * (0.5 / number)
            train.append(optimizer.minimize(loss))
    looked_at.run(tf.global_variables_initializer())
    expected = start(0).astype(np.float64)

    def are_compiled() -> bool:
        """Whether the workers' plans are code: it is made beside the steps."""
        return all(memory_of(looked_at, named(looked_at, number))[0] for number in (1, 2))

    steps, until = 0, time.monotonic() + 60
    while steps < STEPS or (transport == LANES and not are_compiled() and time.monotonic() < until):
        steps += 1
        # One after the other, as numpy does it.
        for step, share in zip(train, (1.0, 0.5), strict=True):
            looked_at.run(step)
            expected -= RATE * share * (x.T.astype(np.float64) @ (x @ expected))
    np.testing.assert_allclose(looked_at.run(weights), expected, rtol=1e-4, atol=1e-5)
    looked_at.run(train)
    by_device = [memory_of(looked_at, named(looked_at, number)) for number in range(3)]
    if transport == LANES:
        regions, _, copies = by_device[0]
        # The first value went to each worker as a copy.
        assert 1 <= regions <= 4 and copies <= 2
        for regions, _, copies in by_device[1:]:
            assert 1 <= regions <= 3 and copies <= 2


@of_lanes
def test_a_reader_keeps_what_it_has_read(session: Session) -> None:
    """The value of a step stays that of the step, while a later one changes the variable."""
    with tf.device("/cpu:0"):
        weights = tf.Variable(np.zeros(SHAPE, np.float32))
        change = weights.assign_add(np.ones(SHAPE, np.float32)).op
    with tf.device("/cpu:1"):
        kept = tf.Variable(np.zeros(SHAPE, np.float32))
        keep = kept.assign(weights.read_value()).op
        doubled = weights.read_value() * 2.0
    session.run(tf.global_variables_initializer())
    for count in range(STEPS):
        session.run(keep)
        found = session.run(doubled)
        session.run(change)
        assert (session.run(kept) == count).all()
        assert (found == 2 * count).all()
    _, shown, _ = memory_of(session, named(session, 0))
    assert shown == 0


@of_lanes
def test_what_is_fetched_is_the_callers_own(session: Session) -> None:
    """Also if another process is shown it: writing to it changes nothing elsewhere."""
    with tf.device("/cpu:0"):
        weights = tf.Variable(np.zeros(SHAPE, np.float32))
        change = weights.assign_add(np.ones(SHAPE, np.float32))
    with tf.device("/cpu:1"):
        total = tf.reduce_sum(weights.read_value())
    session.run(tf.global_variables_initializer())
    for count in range(1, STEPS):
        session.run(change.op)
        found, added = session.run([weights, total])
        assert (found == count).all() and added == count * found.size
        found[:] = -1
