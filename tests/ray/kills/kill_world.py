"""What runs while processes are killed: a graph over two tasks, and the things a session does."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import dataflow as tf
from dataflow import errors
from dataflow.session.session import Session

WORKER = "/job:worker/replica:0/task:0"
PS = "/job:ps/replica:0/task:0"
MOMENTS = (
    "creating a session",
    "registering and first run",
    "kernels busy",
    "values in flight",
    "partial run",
    "closing a session",
)
MORE_MOMENTS = ("loop over two tasks", "branches", "steps side by side", "large values")
"""What else a session may be at; machines are lost while it is."""
_SIZE = 250_000
"""Numbers in a tensor that crosses: one megabyte."""
_TRIPS = 40
_ROUNDS = 100
_ABREAST = 12
_LARGE = 5_000_000
_SPARE = 1000
"""Fetches that were never asked for, each for one registration."""


class World:
    """A graph, and what sessions do with it; every result is checked."""

    def __init__(self, second: str = "/job:ps/task:0") -> None:
        """Builds the graph.

        Args:
          second: Another task that values cross, besides the worker and the first ps.
        """
        self.graph = tf.Graph()
        with self.graph.as_default():
            self._build(second)
            self._build_more(second)
        self._unused = itertools.count()
        self.counted = 0
        """Updates of `kept` that have succeeded since it was set."""
        self.doubtful = 0
        """Those that have failed: each was made once or not at all."""

    def _build(self, second: str) -> None:
        with tf.device("/job:ps"):
            self.lost = tf.Variable(2.0, name="lost")
        with tf.device("/job:worker"):
            self.kept = tf.Variable(0.0, name="kept")
            self.more = tf.assign_add(self.kept, 1.0, use_locking=True)
        self.initializers = [self.lost.initializer, self.kept.initializer]
        self.x = tf.placeholder(tf.float32, [None])
        value: Any = self.x
        for task in ("/job:ps/task:0", "/job:worker", second, "/job:worker"):
            with tf.device(task):
                value = value * 2.0
        self.crossed = value
        with tf.device("/job:ps"):
            matrix = tf.constant(np.eye(300, dtype=np.float32))
            self.trips = tf.placeholder(tf.int32, [])
            turned = tf.while_loop(
                lambda i, _: i < self.trips, lambda i, m: (i + 1, tf.matmul(m, matrix)), [0, matrix]
            )[1]
        with tf.device("/job:worker"):
            self.busy = tf.reduce_sum(turned)
        with tf.device("/job:ps"):
            first = tf.reduce_sum(self.x) + 0.0 * self.lost
        self.seed = tf.placeholder(tf.float32, [])
        with tf.device("/job:worker"):
            self.first_part = tf.identity(first)
            self.second_part = self.first_part + self.seed
            self.spare = []
            for number in range(_SPARE):
                with tf.device("/job:ps"):
                    there = self.seed + float(number)
                self.spare.append(tf.identity(there))

    def _build_more(self, second: str) -> None:
        self.bound = tf.placeholder(tf.int32, [])

        def turn(i: Any, value: Any) -> tuple[Any, Any]:
            with tf.device(second):
                doubled = value * 2.0
            with tf.device("/job:worker"):
                return i + 1, doubled - value + 1.0

        with tf.device("/job:worker"):
            self.looped = tf.while_loop(lambda i, _: i < self.bound, turn, [0, 1.0])[1]
            start = self.seed + 1.0

        def on(task: str, factor: float) -> Any:
            with tf.device(task):
                return start * factor

        self.branched = tf.cond(
            self.seed > 5.0, lambda: on("/job:ps/task:0", 3.0), lambda: on(second, 5.0)
        )
        with tf.device(second):
            filled = tf.fill([self.bound], self.seed)
        with tf.device("/job:worker"):
            self.largest = tf.reduce_max(filled + 1.0)

    def activity(self, moment: str, session: Session, target: str) -> Callable[[], None]:
        """Something to be done again and again, by the name of the moment it stands for.

        Args:
          moment: One of `MOMENTS`.
          session: A session on the graph.
          target: Where to open more.
        """
        x = np.ones(_SIZE, np.float32)

        def create() -> None:
            with Session(target, graph=self.graph) as other:
                _same(other.run(self.spare[0], {self.seed: 1.0}), 1.0)

        def first_run() -> None:
            number = next(self._unused) % _SPARE
            _same(session.run(self.spare[number], {self.seed: 1.0}), 1.0 + number)

        def busy() -> None:
            self._count(session, self.busy, {self.trips: _TRIPS}, 300.0)

        def cross() -> None:
            self._count(session, self.crossed, {self.x: x}, 16.0)

        def partial() -> None:
            fetches, feeds = [self.first_part, self.second_part], [self.x, self.seed]
            handle = session.partial_run_setup(fetches, feeds)
            _same(session.partial_run(handle, self.first_part, {self.x: x}), float(_SIZE))
            _same(session.partial_run(handle, self.second_part, {self.seed: 1.0}), _SIZE + 1.0)

        def close() -> None:
            other = Session(target, graph=self.graph)
            try:
                _same(other.run(self.spare[0], {self.seed: 1.0}), 1.0)
            finally:
                other.close()

        def loop() -> None:
            _same(session.run(self.looped, {self.bound: _ROUNDS}), 1.0 + _ROUNDS)

        def branch() -> None:
            _same(session.run(self.branched, {self.seed: 1.0}), 10.0)
            _same(session.run(self.branched, {self.seed: 9.0}), 30.0)

        def abreast() -> None:
            feeds = [np.full(1000, count, np.float32) for count in range(_ABREAST)]
            futures = [session.run_async(self.crossed, {self.x: each}) for each in feeds]
            errors_seen = [future.exception(60.0) for future in futures]
            for error in filter(None, errors_seen):
                raise error
            for count, future in enumerate(futures):
                _same(future.result(), 16.0 * count)

        def large() -> None:
            _same(session.run(self.largest, {self.bound: _LARGE, self.seed: 2.0}), 3.0)

        acts = (create, first_run, busy, cross, partial, close, loop, branch, abreast, large)
        return dict(zip((*MOMENTS, *MORE_MOMENTS), acts, strict=True))[moment]

    def count_anew(self, session: Session) -> None:
        """Takes the updates that were made till now for granted."""
        self.counted, self.doubtful = int(session.run(self.kept)), 0

    def settle(self, session: Session) -> str:
        """Runs everything once more after a death, and checks what variables hold.

        Returns:
          What had to be done.
        """
        done = []
        deadline = time.monotonic() + 600
        for variable in (self.lost, self.kept):
            while True:
                try:
                    value = session.run(variable)
                    break
                except errors.FailedPreconditionError as error:
                    assert "was restarted after it died" in error.message, error.message
                    session.run(variable.initializer)
                    done.append(str(variable.op.name))
                    if variable is self.kept:
                        self.counted = self.doubtful = 0
                except errors.UnavailableError:
                    assert time.monotonic() < deadline
            if variable is self.lost:
                assert value == 2.0
            else:
                assert self.counted <= value <= self.counted + self.doubtful, (
                    value,
                    self.counted,
                    self.doubtful,
                )
                self.counted, self.doubtful = int(value), 0
        _same(session.run(self.crossed, {self.x: np.ones(3, np.float32)}), 16.0)
        return f"works; {' and '.join(done)} initialized anew" if done else "works, nothing lost"

    def _count(self, session: Session, fetch: Any, feeds: Any, wanted: float) -> None:
        try:
            found, _ = session.run([fetch, self.more], feeds)
        except errors.OpError:
            self.doubtful += 1
            raise
        self.counted += 1
        _same(found, wanted)


def _same(found: Any, wanted: float) -> None:
    assert np.all(np.asarray(found) == wanted), (found, wanted)
