"""What a program does when Ctrl-C comes, and how it sees afterwards that its session is whole."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import dataflow as tf
from dataflow.actors.direct import DirectRuntime

CPUS = ("/cpu:0", "/cpu:1")


class Scene:
    """Something to interrupt, again and again."""

    target = ""

    def __init__(self) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.build()
        self.session = self.open()
        self.seconds = 0.0
        """What it takes uninterrupted, about."""
        for _ in range(20):
            # Until plans are compiled.
            self.prepare()
            start = time.perf_counter()
            self.act()
            self.seconds = time.perf_counter() - start
            self.check()

    def open(self) -> tf.Session:
        """A session over two devices."""
        config = tf.ConfigProto(device_count={"CPU": 2})
        return tf.Session(self.target, graph=self.graph, config=config)

    def build(self) -> None:
        """Makes the graph."""
        self.x = tf.placeholder(tf.float32, [None], name="x")
        self.y = self.x * 2.0 - 0.5
        self.fed = np.arange(100, dtype=np.float32)
        self.right = 2 * self.fed - np.float32(0.5)

    def prepare(self) -> None:
        """What comes before and is not interrupted."""

    def act(self) -> None:
        """What is interrupted."""
        raise NotImplementedError

    def check_devices(self) -> None:
        """No step is left on a device of this process."""
        if not self.target:
            link = self.session._link
            assert isinstance(link.runtime, DirectRuntime)
            for device in link.runtime._sessions[link.handle].devices.values():
                assert not device.steps_in_flight
                assert not len(device.rendezvous)

    def check(self) -> None:
        """The next step is right."""
        np.testing.assert_array_equal(self.session.run(self.y, {self.x: self.fed}), self.right)

    def end(self) -> None:
        """The session closes."""
        self.session.close()


class OneDevice(Scene):
    """Straight code on the calling thread."""

    def act(self) -> None:
        self.session.run(self.y, {self.x: self.fed})


class Traced(Scene):
    """A step with a time-out, of which each node is noted."""

    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, timeout_in_ms=60_000)

    def act(self) -> None:
        self.session.run(self.y, {self.x: self.fed}, self.options, tf.RunMetadata())

    def check(self) -> None:
        self.act()
        super().check()


class TwoDevices(Scene):
    """A step that goes from one device to the other and back."""

    def build(self) -> None:
        self.x = tf.placeholder(tf.float32, [None], name="x")
        with tf.device(CPUS[0]):
            a = self.x * 2.0
        with tf.device(CPUS[1]):
            b = a + 1.0
        with tf.device(CPUS[0]):
            self.y = b - 0.5
        self.fed = np.arange(20_000, dtype=np.float32)
        self.right = 2 * self.fed + np.float32(1) - np.float32(0.5)

    def act(self) -> None:
        self.session.run(self.y, {self.x: self.fed})


class Loop(Scene):
    """A loop over two devices, in the general executor."""

    def build(self) -> None:
        def body(i: Any, value: Any) -> Any:
            with tf.device(CPUS[1]):
                value = value + 1.0
            with tf.device(CPUS[0]):
                return i + 1, value * 2.0

        self.x = tf.placeholder(tf.float32, [None], name="x")
        with tf.device(CPUS[0]):
            self.y = tf.while_loop(lambda i, _: i < 3, body, [0, self.x])[1]
        self.fed = np.arange(10, dtype=np.float32)
        self.right = 8 * self.fed + 14

    def act(self) -> None:
        self.session.run(self.y, {self.x: self.fed})


class Updates(Scene):
    """Variables on two devices: each is updated as a whole or not at all."""

    def build(self) -> None:
        with tf.device(CPUS[0]):
            first = tf.Variable(np.zeros(50_000, np.float32))
            one = tf.assign_add(first, np.ones(50_000, np.float32))
        with tf.device(CPUS[1]):
            second = tf.Variable(np.zeros(100, np.float32))
            two = tf.assign_add(second, np.ones(100, np.float32))
        self.variables = first, second
        self.update = tf.group(one, two)

    def open(self) -> tf.Session:
        session = super().open()
        session.run(tf.variables_initializer(self.variables))
        self.before = [0.0, 0.0]
        return session

    def act(self) -> None:
        self.session.run(self.update)

    def check(self) -> None:
        for place, variable in enumerate(self.variables):
            value = self.session.run(variable)
            assert value.min() == value.max()
            assert value[0] - self.before[place] in (0, 1)
            self.before[place] = float(value[0])


class Asynchronous(Scene):
    """Steps in the background, of which one is waited for."""

    def act(self) -> None:
        self.session.run_async(self.y, {self.x: self.fed})
        self.session.run_async(self.y, {self.x: self.fed}).result()

    def check(self) -> None:
        future = self.session.run_async(self.y, {self.x: self.fed})
        np.testing.assert_array_equal(future.result(), self.right)


class Piecewise(Scene):
    """A step that is fed and fetched piece by piece, over two devices."""

    def build(self) -> None:
        self.x = tf.placeholder(tf.float32, [None], name="x")
        self.z = tf.placeholder(tf.float32, [None], name="z")
        with tf.device(CPUS[0]):
            self.y = self.x * 2.0
        with tf.device(CPUS[1]):
            self.w = self.y + self.z
        self.fed = np.arange(100, dtype=np.float32)

    def act(self) -> None:
        handle = self.session.partial_run_setup([self.y, self.w], [self.x, self.z])
        first = self.session.partial_run(handle, self.y, {self.x: self.fed})
        second = self.session.partial_run(handle, self.w, {self.z: self.fed})
        np.testing.assert_array_equal(first, 2 * self.fed)
        np.testing.assert_array_equal(second, 3 * self.fed)

    check = act

    def check_devices(self) -> None:
        """A step whose handle the program has got, before the interrupt, may go on."""


class Extension(Scene):
    """The first step with nodes that the session has not seen."""

    def prepare(self) -> None:
        with self.graph.as_default():
            self.z = self.y + 1.0

    def act(self) -> None:
        self.session.run(self.z, {self.x: self.fed})

    def check(self) -> None:
        np.testing.assert_array_equal(self.session.run(self.z, {self.x: self.fed}), self.right + 1)


class Callables(Scene):
    """A function for a step: made, and called."""

    def act(self) -> None:
        self.call = self.session.make_callable(self.y, [self.x])
        self.call(self.fed)

    def check(self) -> None:
        np.testing.assert_array_equal(self.call(self.fed), self.right)


class Life(Scene):
    """Sessions that are opened, used and closed."""

    def act(self) -> None:
        session = self.open()
        session.run(self.y, {self.x: self.fed})
        session.close()


class Closing(Scene):
    """A session that is closed, while a step of it may run in the background."""

    def prepare(self) -> None:
        self.other = self.open()
        self.future = self.other.run_async(self.y, {self.x: self.fed})

    def act(self) -> None:
        self.other.close()

    def check(self) -> None:
        self.other.close()
        try:
            np.testing.assert_array_equal(self.future.result(20), self.right)
        except tf.errors.CancelledError:
            pass
        super().check()


SCENES: dict[str, Callable[[], Scene]] = {
    "one device": OneDevice,
    "trace and time-out": Traced,
    "two devices": TwoDevices,
    "loop over two devices": Loop,
    "updates": Updates,
    "run_async": Asynchronous,
    "partial_run": Piecewise,
    "extension": Extension,
    "make_callable": Callables,
    "open, run and close": Life,
    "close": Closing,
}


def _on_ray(kind: type[Scene]) -> Callable[[], Scene]:
    return type(f"Ray{kind.__name__}", (kind,), {"target": "ray", "__doc__": kind.__doc__})


RAY_SCENES: dict[str, Callable[[], Scene]] = {
    f"{name}, on Ray": _on_ray(kind)
    for name, kind in (
        ("one device", OneDevice),
        ("two devices", TwoDevices),
        ("loop over two devices", Loop),
        ("updates", Updates),
        ("run_async", Asynchronous),
        ("partial_run", Piecewise),
        ("extension", Extension),
        ("make_callable", Callables),
    )
}
"""Scenes on the actors of a Ray that has been started."""
