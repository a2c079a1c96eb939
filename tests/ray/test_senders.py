"""Devices that only send to others: nobody waits for them, but their failures are heard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import errors
from dataflow.actors.ray.session.lane_step import LaneStep
from dataflow.actors.wire.messages import StepDone
from dataflow.session.session import Session
from tests.ray.actors import eventually, usage
from tests.ray.held import hold
from tests.ray.transports import of_lanes

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("transport")]


@pytest.fixture
def session(transport: str) -> Iterator[Session]:
    config = hold(tf.ConfigProto(device_count={"CPU": 3}), transport)
    with tf.Graph().as_default(), Session("ray", config=config) as opened:
        yield opened


def at_rest(session: Session) -> bool:
    return all(held.steps == 0 and held.rendezvous == 0 for held in usage(session).values())


def on(device: int) -> Any:
    return tf.device(f"/cpu:{device}")


@of_lanes
def test_only_who_fetches_answers(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Any] = []
    take = LaneStep.take

    def counted(step: LaneStep, part: Any, message: Any) -> None:
        answers.append(type(message))
        take(step, part, message)

    x = tf.placeholder(tf.float32, [])
    with on(0):
        y = x + 1.0
    with on(1):
        z = y * 2.0
    with on(2):
        end = z - 3.0
    assert session.run(end, {x: 4.0}) == 7.0
    monkeypatch.setattr(LaneStep, "take", counted)
    assert [session.run(end, {x: number}) for number in range(5)] == [-1.0, 1.0, 3.0, 5.0, 7.0]
    assert answers == [StepDone] * 5
    # Who is fetched from, and who has an operation to run, answers as well.
    answers.clear()
    with on(0):
        noted = tf.no_op()
    session.run([end, noted], {x: 1.0})
    session.run([end, z], {x: 1.0})
    assert answers == [StepDone] * 4
    assert eventually(lambda: at_rest(session))


def test_traces_have_all_devices(session: Session) -> None:
    with on(0):
        x = tf.Variable([1.0, 2.0])
        y = x * 2.0
    with on(1):
        z = y + 1.0
    session.run(x.initializer)
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    assert session.run(z, options=options, run_metadata=metadata).tolist() == [3.0, 5.0]
    devices = {stats.device[-5:] for stats in metadata.step_stats.dev_stats}
    assert devices == {"CPU:0", "CPU:1"}


def test_the_failure_of_a_sender_is_that_of_the_step(session: Session) -> None:
    x = tf.placeholder(tf.int32, [None])
    with on(0):
        y = tf.reshape(x, [2, 2], name="squared")
    with on(1):
        z = y + 1
    for _ in range(3):
        with pytest.raises(errors.InvalidArgumentError, match=r"squared") as failure:
            session.run(z, {x: [1, 2, 3]})
        assert failure.value.node_def.name == "squared"
        assert session.run(z, {x: [1, 2, 3, 4]}).tolist() == [[2, 3], [4, 5]]
    assert eventually(lambda: at_rest(session))


def endless(go_on: Any) -> Any:
    """A number that never comes unless `go_on` is False."""
    return tf.while_loop(lambda i: go_on, lambda i: i * 0, [0])


def test_a_failure_elsewhere_stops_senders_that_wait_or_have_ended(session: Session) -> None:
    x, go_on = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.bool, [])
    with on(0):
        number = endless(go_on)
        at_once = x[0] + 1
    with on(1):
        waits = number + 1
    with on(2):
        bad = tf.reshape(x, [7], name="bad")
        both = tf.add_n([waits, at_once, bad[0]])
    for _ in range(3):
        with pytest.raises(errors.InvalidArgumentError, match="bad"):
            session.run(both, {x: [1, 2], go_on: True})
        assert eventually(lambda: at_rest(session))
    assert session.run(both, {x: np.arange(7), go_on: False}) == 2


def test_time_is_over_while_a_sender_waits(session: Session) -> None:
    go_on = tf.placeholder(tf.bool, [])
    with on(0):
        number = endless(go_on)
    with on(1):
        waits = number + 1
    with on(2):
        end = waits * 10
    assert session.run(end, {go_on: False}) == 10
    with pytest.raises(errors.DeadlineExceededError):
        session.run(end, {go_on: True}, options=tf.RunOptions(timeout_in_ms=200))
    assert eventually(lambda: at_rest(session))
    assert session.run(end, {go_on: False}) == 10


def test_state_changes_of_a_sender_are_made_when_the_step_is_over(session: Session) -> None:
    with on(0):
        count = tf.Variable(0.0)
        counted = tf.assign_add(count, 1.0)
    with on(1):
        z = counted * 10.0
    session.run(count.initializer)
    for number in range(1, 30):
        assert session.run(z) == 10.0 * number
        assert session.run(count) == number
