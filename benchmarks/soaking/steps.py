"""The mixed steps of the soak, each of which knows its right result."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

import numpy as np

import dataflow as tf

LARGE: Final = 250_000
"""Floats of a large tensor: 1 MB."""
_FOREVER: Final = 10**8
_SECONDS: Final = 120.0
"""How long a step may take; none takes nearly that long, unless the machine does much else."""


class WrongResultError(Exception):
    """A step gave something else than it should."""


class MixedSteps:
    """A graph over two devices and what can be done with it in a session."""

    def __init__(self, session: Any, devices: tuple[str, str], owner: str, seed: int) -> None:
        """Builds the graph into the session's.

        Args:
          session: An open session.
          devices: Names of two devices.
          owner: Part of the variables' names: no other session that runs shall use the same.
          seed: Of the random choices.
        """
        self._session = session
        self._random = random.Random(seed)
        first, second = devices
        with session.graph.as_default():
            with tf.device(first):
                self._x = tf.placeholder(tf.float32, [None], name="x")
                self._size = tf.placeholder(tf.int32, [None], name="size")
                near = self._x + 1.0
                self._reshaped = tf.reshape(self._x, self._size)
            with tf.device(second):
                self._y = near * 2.0
                self._counter = tf.Variable(0, name=f"counter_{owner}")
                self._count = tf.assign_add(self._counter, 1)
                self._weights = tf.Variable(tf.zeros([LARGE]), name=f"weights_{owner}")
            with tf.device(first):
                update = tf.assign_add(self._weights, tf.fill([LARGE], 1.0))
                self._updated = tf.reduce_sum(update)
            self._trips = tf.placeholder(tf.int32, [], name="trips")
            self._loop = tf.while_loop(
                lambda i, _: i < self._trips, lambda i, v: self._body(i, v, first, second), [0, 1.0]
            )[1]
            session.run([self._counter.initializer, self._weights.initializer])
        self._counted = 0
        self._updates = 0
        self.kinds: dict[str, Callable[[], None]] = {
            "small": self._small,
            "large": self._large,
            "state": self._state,
            "update": self._update,
            "loop": self._run_loop,
            "failing": self._failing,
            "late": self._late,
            "in flight": self._in_flight,
            "piecewise": self._piecewise,
        }

    def run_one(self) -> str:
        """Does one thing, chosen at random; gives its kind.

        Raises:
          WrongResultError: It gave a wrong result.
          OpError: It failed.
        """
        kind = self._random.choice(list(self.kinds))
        self.kinds[kind]()
        return kind

    @staticmethod
    def _body(i: Any, v: Any, first: str, second: str) -> Any:
        with tf.device(second):
            doubled = v * 2.0
        with tf.device(first):
            return i + 1, doubled - 3.0

    def _value(self, size: int) -> np.ndarray:
        return np.full(size, self._random.randrange(1000), np.float32)

    def _run(self, fetches: Any, feeds: Any = None) -> Any:
        options = tf.RunOptions(timeout_in_ms=int(_SECONDS * 1000))
        return self._session.run(fetches, feeds, options)

    def _small(self) -> None:
        value = self._value(self._random.randrange(1, 50))
        _check("small", self._run(self._y, {self._x: value}), (value + 1) * 2)

    def _large(self) -> None:
        value = self._value(LARGE)
        _check("large", self._run(self._y, {self._x: value}), (value + 1) * 2)

    def _state(self) -> None:
        self._counted += 1
        _check("state", self._run(self._count), self._counted)

    def _update(self) -> None:
        self._updates += 1
        _check("update", self._run(self._updated), float(LARGE) * self._updates)

    def _run_loop(self) -> None:
        trips = self._random.randrange(12)
        _check("loop", self._run(self._loop, {self._trips: trips}), (1 - 3) * 2.0**trips + 3)

    def _failing(self) -> None:
        value = self._value(6)
        try:
            self._run(self._reshaped, {self._x: value, self._size: [4]})
        except tf.errors.InvalidArgumentError:
            found = self._run(self._reshaped, {self._x: value, self._size: [2, 3]})
            _check("failing", found, value.reshape(2, 3))
        else:
            raise WrongResultError("failing: 6 elements were made 4")

    def _late(self) -> None:
        options = tf.RunOptions(timeout_in_ms=30)
        try:
            self._session.run(self._loop, {self._trips: _FOREVER}, options)
        except tf.errors.DeadlineExceededError:
            return
        raise WrongResultError("late: an endless loop has ended")

    def _in_flight(self) -> None:
        values = [self._value(10) for _ in range(8)]
        running = [self._session.run_async(self._y, {self._x: value}) for value in values]
        for future, value in zip(running, values, strict=True):
            _check("in flight", future.result(_SECONDS), (value + 1) * 2)

    def _piecewise(self) -> None:
        value = self._value(5)
        run = self._session.partial_run_setup([self._y, self._reshaped], [self._x, self._size])
        found = self._session.partial_run(run, self._y, {self._x: value})
        _check("piecewise", found, (value + 1) * 2)
        found = self._session.partial_run(run, self._reshaped, {self._size: [5, 1]})
        _check("piecewise", found, value.reshape(5, 1))


def _check(kind: str, found: Any, wanted: Any) -> None:
    if not np.array_equal(found, wanted):
        raise WrongResultError(f"{kind}: {np.ravel(wanted)[:4]} was wanted, {np.ravel(found)[:4]}")
