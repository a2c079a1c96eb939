"""More steps at once than a device works for: they wait for each other, and all of them succeed."""

from __future__ import annotations

import dataflow as tf
from tests.conftest import SessionFactory

STEPS = 600
SECONDS = 60


def there_and_back(x: tf.Tensor) -> tf.Tensor:
    """A value that crosses from the first device to the second and returns."""
    with tf.device("/cpu:0"):
        near = x + 1.0
    with tf.device("/cpu:1"):
        far = near * 2.0
    with tf.device("/cpu:0"):
        return far + near


def back_and_there(x: tf.Tensor) -> tf.Tensor:
    """One that begins on the second."""
    with tf.device("/cpu:1"):
        near = x - 1.0
    with tf.device("/cpu:0"):
        far = near * 4.0
    with tf.device("/cpu:1"):
        return far - near


def many_turns(x: tf.Tensor) -> tf.Tensor:
    """A loop over both devices: at any time most of such steps wait for a value."""

    def turn(i: tf.Tensor, value: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        with tf.device("/cpu:1"):
            doubled = value * 2.0
        with tf.device("/cpu:0"):
            return i + 1, doubled - value + 1.0

    found: tf.Tensor = tf.while_loop(lambda i, _: i < 2, turn, [0, x])[1]
    return found


def test_all_succeed(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [])
    there, back = there_and_back(x), back_and_there(x)
    kinds = [(there, lambda v: 3 * (v + 1)), (back, lambda v: 3 * (v - 1))] * 3
    kinds.append((many_turns(x), lambda v: v + 2))
    config = tf.ConfigProto(device_count={"CPU": 2})
    sessions = [session_factory(config=config) for _ in range(2)]
    for session in sessions:
        for y, right in kinds:
            assert session.run(y, {x: 3.0}) == right(3.0)
        session.max_steps_in_flight = STEPS
    running = []
    for number in range(STEPS):
        y, right = kinds[number % len(kinds)]
        session = sessions[number % len(sessions)]
        running.append((session.run_async(y, {x: float(number)}), right(number)))
    for future, expected in running:
        assert future.result(SECONDS) == expected
