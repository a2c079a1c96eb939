"""Programs whose loops and conditionals go over several devices, for either library."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

CPUS = [f"/cpu:{index}" for index in range(4)]


class Setting:
    """Where a program is built: in which library, on which devices, with which inputs.

    The inputs are `n`, how often to go round, `x`, three floats, and `p`, a condition; each lies on
    the first device.
    """

    def __init__(
        self, tf: Any, devices: Sequence[str] = CPUS, values: Mapping[str, Any] | None = None
    ) -> None:
        """Describes a setting.

        Args:
          tf: The library.
          devices: Four device names.
          values: What the inputs are, as constants; without it they are placeholders.
        """
        self.tf = tf
        self.inputs: dict[str, Any] = {}
        """The inputs that were made, by name."""
        self._devices = devices
        self._values = values

    def on(self, index: int) -> Any:
        """The scope of a device."""
        return self.tf.device(self._devices[index])

    def n(self) -> Any:
        """The input `n`, an int32 scalar."""
        return self._input("n", np.int32, [])

    def x(self) -> Any:
        """The input `x`, a vector of three float32."""
        return self._input("x", np.float32, [3])

    def p(self) -> Any:
        """The input `p`, a boolean scalar."""
        return self._input("p", np.bool_, [])

    def _input(self, name: str, dtype: Any, shape: list[int]) -> Any:
        if name not in self.inputs:
            with self.on(0):
                self.inputs[name] = self._make(name, dtype, shape)
        return self.inputs[name]

    def _make(self, name: str, dtype: Any, shape: list[int]) -> Any:
        if self._values is None:
            return self.tf.placeholder(dtype, shape, name=name)
        # TensorFlow would put copies of a small constant on each worker.
        return self.tf.identity(self.tf.constant(np.array(self._values[name], dtype)), name)


Program = Callable[[Setting], list[Any]]
"""Builds a graph in the default graph and returns what to fetch."""


def body_over_three(at: Setting) -> list[Any]:
    """The value goes round over three devices; the counter stays."""
    tf = at.tf
    n, x = at.n(), at.x()
    scale = tf.constant(0.5, name="scale")

    def body(i: Any, v: Any) -> Any:
        with at.on(1):
            y = v * scale
        with at.on(2):
            z = y + 1.0
        return i + 1, z

    return list(tf.while_loop(lambda i, _: i < n, body, [0, x]))


def condition_elsewhere(at: Setting) -> list[Any]:
    """The condition is computed away from the loop's variables, and depends on the value."""
    tf = at.tf
    n, x = at.n(), at.x()

    def goes_on(i: Any, v: Any) -> Any:
        with at.on(3):
            return tf.logical_and(tf.reduce_sum(v) < 1000.0, i < n)

    def body(i: Any, v: Any) -> Any:
        with at.on(1):
            return i + 1, v * 2.0

    with at.on(2):
        return list(tf.while_loop(goes_on, body, [0, x]))


def everything_elsewhere(at: Setting) -> list[Any]:
    """Each variable of the loop on a device of its own, each using the other."""
    tf = at.tf
    n = at.n()
    with at.on(1):
        a = tf.constant([1.0, 2.0])
    with at.on(2):
        b = tf.constant([3.0, 5.0])

    def body(i: Any, a: Any, b: Any) -> Any:
        with at.on(1):
            c = a + b * 0.1
        with at.on(2):
            d = b - a * 0.2
        with at.on(3):
            j = i + 1
        return j, c, d

    return list(tf.while_loop(lambda i, *_: i < n, body, [0, a, b]))


def invariants(at: Setting) -> list[Any]:
    """Loop invariants used on two devices, and only there."""
    tf = at.tf
    n, x = at.n(), at.x()
    with at.on(3):
        k = tf.constant(1.5) + tf.reduce_sum(x)

    def body(i: Any, v: Any) -> Any:
        with at.on(1):
            a = k * 2.0
        with at.on(2):
            b = k - a
        return i + 1, v + b

    return list(tf.while_loop(lambda i, _: i < n, body, [0, x]))


def nested_inner_away(at: Setting) -> list[Any]:
    """The inner loop runs on a device that takes no part in the outer one otherwise."""
    tf = at.tf
    n, x = at.n(), at.x()

    def inner(v: Any) -> Any:
        with at.on(1):
            zero = tf.constant(0)
            return tf.while_loop(lambda j, _: j < 3, lambda j, w: (j + 1, w + 1.0), [zero, v])[1]

    return list(tf.while_loop(lambda i, _: i < n, lambda i, v: (i + 1, inner(v * 0.5)), [0, x]))


def nested_over_devices(at: Setting) -> list[Any]:
    """Both loops go over devices, a third of them takes part only in the inner one."""
    tf = at.tf
    n, x = at.n(), at.x()

    def inner_body(j: Any, w: Any) -> Any:
        with at.on(2):
            doubled = w * 2.0
        with at.on(1):
            return j + 1, doubled - 1.0

    def body(i: Any, v: Any) -> Any:
        with at.on(1):
            start = v + 1.0
        _, w = tf.while_loop(lambda j, _: j < i, inner_body, [0, start])
        with at.on(0):
            return i + 1, w * 0.25

    return list(tf.while_loop(lambda i, _: i < n, body, [0, x]))


def three_deep(at: Setting) -> list[Any]:
    """Three loops in each other, each with its body on another device."""
    tf = at.tf
    n, x = at.n(), at.x()

    def innermost(k: Any, u: Any) -> Any:
        with at.on(3):
            return k + 1, u + 0.5

    def middle(j: Any, w: Any) -> Any:
        with at.on(2):
            return j + 1, tf.while_loop(lambda k, _: k < 2, innermost, [0, w])[1] * 2.0

    def outer(i: Any, v: Any) -> Any:
        with at.on(1):
            return i + 1, tf.while_loop(lambda j, _: j < i, middle, [0, v])[1] * 0.1

    return list(tf.while_loop(lambda i, _: i < n, outer, [0, x]))


def one_after_the_other(at: Setting) -> list[Any]:
    """Two loops that use the same devices, the second starting from the first."""
    tf = at.tf
    n, x = at.n(), at.x()

    def body(i: Any, v: Any) -> Any:
        with at.on(1):
            return i + 1, v * 2.0

    def back(i: Any, v: Any) -> Any:
        with at.on(1):
            return i - 1, v - 3.0

    i, v = tf.while_loop(lambda i, _: i < n, body, [0, x])
    return list(tf.while_loop(lambda i, _: i > 0, back, [i, v]))


def order_over_devices(at: Setting) -> list[Any]:
    """Devices that share nothing with the loop but the order of things."""
    tf = at.tf
    n, x = at.n(), at.x()
    with at.on(1):
        total = tf.Variable(0.0, use_resource=True, name="total")
        ready = total.assign(5.0)

    def body(i: Any, v: Any) -> Any:
        with at.on(1):
            more = total.assign_add(1.0, read_value=False)
        with at.on(2), tf.control_dependencies([more]):
            noted = tf.no_op()
        with tf.control_dependencies([noted]):
            return i + 1, v + 1.0

    with tf.control_dependencies([ready.op if hasattr(ready, "op") else ready]):
        i, v = tf.while_loop(lambda i, _: i < n, body, [tf.constant(0), x])
    with tf.control_dependencies([v]):
        return [i, v, total.read_value()]


def variable_in_body(at: Setting) -> list[Any]:
    """A reference variable elsewhere is read and written in each iteration."""
    tf = at.tf
    n, x = at.n(), at.x()
    with at.on(1):
        total = tf.Variable([0.0, 0.0, 0.0], name="total", use_resource=False)
        start = total.assign([1.0, 2.0, 3.0])

    def body(i: Any, v: Any) -> Any:
        with at.on(1):
            added = total.assign_add(v)
        with at.on(2):
            return i + 1, v + added * 0.5

    with tf.control_dependencies([start]):
        i, v = tf.while_loop(lambda i, _: i < n, body, [tf.constant(0), tf.identity(x)])
    return [i, v]


def branches_elsewhere(at: Setting) -> list[Any]:
    """A conditional with each branch on another device, and its result on a fourth."""
    tf = at.tf
    p, x = at.p(), at.x()

    def yes() -> Any:
        with at.on(1):
            return x * 2.0

    def no() -> Any:
        with at.on(2):
            return x - 1.0

    y = tf.cond(p, yes, no)
    with at.on(3):
        return [y + 1.0]


def branch_over_devices(at: Setting) -> list[Any]:
    """Branches that go to and fro themselves, with constants of their own."""
    tf = at.tf
    p, x = at.p(), at.x()
    with at.on(3):
        far = x * 3.0

    def yes() -> Any:
        with at.on(1):
            a = far + tf.constant([1.0, 2.0, 3.0])
        with at.on(2):
            return a * x, tf.constant(1)

    def no() -> Any:
        with at.on(2):
            a = tf.constant([7.0, 7.0, 7.0])
        with at.on(1):
            return a - far, tf.constant(0)

    y, which = tf.cond(p, yes, no)
    return [y, which]


def nested_conditionals(at: Setting) -> list[Any]:
    """A conditional in a branch of another one, on other devices."""
    tf = at.tf
    p, x, n = at.p(), at.x(), at.n()

    def inner() -> Any:
        with at.on(1):
            even = tf.equal(n % 2, 0)

        def yes() -> Any:
            with at.on(2):
                return x * 10.0

        def no() -> Any:
            with at.on(3):
                return x * 100.0

        return tf.cond(even, yes, no)

    with at.on(3):
        shift = tf.reduce_max(x)
    y = tf.cond(p, inner, lambda: x - shift)
    with at.on(2):
        return [y + shift, tf.identity(shift)]


def conditional_in_loop(at: Setting) -> list[Any]:
    """Each iteration takes a branch on one device or on another."""
    tf = at.tf
    n, x = at.n(), at.x()

    def body(i: Any, v: Any) -> Any:
        def even() -> Any:
            with at.on(1):
                return v * 2.0

        def odd() -> Any:
            with at.on(2):
                return v - 3.0

        return i + 1, tf.cond(tf.equal(i % 2, 0), even, odd)

    return list(tf.while_loop(lambda i, _: i < n, body, [0, x]))


def loop_in_conditional(at: Setting) -> list[Any]:
    """A loop over devices that is entered only if the condition says so."""
    tf = at.tf
    p, n, x = at.p(), at.n(), at.x()

    def body(i: Any, v: Any) -> Any:
        with at.on(1):
            return i + 1, v * 2.0

    def yes() -> Any:
        return tf.while_loop(lambda i, _: i < n, body, [tf.constant(0), x])[1]

    def no() -> Any:
        with at.on(2):
            return x - 1.0

    y = tf.cond(p, yes, no)
    with at.on(3):
        return [y * 2.0]


def variable_in_branches(at: Setting) -> list[Any]:
    """A reference variable elsewhere is written in one branch and read in both."""
    tf = at.tf
    p, x = at.p(), at.x()
    with at.on(1):
        total = tf.Variable([0.0, 0.0, 0.0], name="total", use_resource=False)
        start = total.assign([1.0, 2.0, 3.0])

    def yes() -> Any:
        with at.on(1):
            added = tf.assign_add(start, x)
        with at.on(2):
            return added * 2.0

    def no() -> Any:
        with at.on(3):
            return start - x

    return [tf.cond(p, yes, no)]


def loop_in_conditional_in_loop(at: Setting) -> list[Any]:
    """An inner loop over devices that some iterations of the outer one leave out."""
    tf = at.tf
    n, x = at.n(), at.x()

    def inner_body(j: Any, w: Any) -> Any:
        with at.on(2):
            return j + 1, w + 1.0

    def body(i: Any, v: Any) -> Any:
        def yes() -> Any:
            return tf.while_loop(lambda j, _: j < i, inner_body, [tf.constant(0), v])[1]

        def no() -> Any:
            with at.on(1):
                return v * 0.5

        return i + 1, tf.cond(tf.equal(i % 2, 1), yes, no)

    return list(tf.while_loop(lambda i, _: i < n, body, [0, x]))


def arrays(at: Setting) -> list[Any]:
    """An array lives on one device, a loop that fills it runs on others."""
    tf = at.tf
    n, x = at.n(), at.x()
    with at.on(1):
        rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True, name="rows")

    def body(i: Any, v: Any, rows: Any) -> Any:
        with at.on(2):
            w = v + tf.cast(i, tf.float32)
        return i + 1, w, rows.write(i, w)

    _, v, rows = tf.while_loop(lambda i, *_: i < n, body, [0, x, rows])
    with at.on(3):
        return [v, rows.stack() * 2.0]


def gradient_of(program: Program) -> Program:
    """The program that fetches the gradient of another one's floats by the input `x`."""

    @functools.wraps(program)
    def run(at: Setting) -> list[Any]:
        tf = at.tf
        floats = [tensor for tensor in program(at) if tensor.dtype.base_dtype == tf.float32]
        x = at.x()
        # Where gradients are added up is for the library to say.
        return list(tf.gradients([tensor * tensor for tensor in floats], [x]))

    run.__name__ = f"gradient_of_{program.__name__}"
    return run


LOOPS: list[Program] = [
    body_over_three,
    condition_elsewhere,
    everything_elsewhere,
    invariants,
    nested_inner_away,
    nested_over_devices,
    three_deep,
    one_after_the_other,
    order_over_devices,
    variable_in_body,
    conditional_in_loop,
    loop_in_conditional_in_loop,
]
ARRAYS: list[Program] = [arrays]
CONDITIONALS: list[Program] = [
    branches_elsewhere,
    branch_over_devices,
    nested_conditionals,
    loop_in_conditional,
    variable_in_branches,
]
GRADIENTS: list[Program] = [
    gradient_of(program)
    for program in (
        body_over_three,
        condition_elsewhere,
        invariants,
        nested_inner_away,
        nested_over_devices,
        three_deep,
        one_after_the_other,
        conditional_in_loop,
        loop_in_conditional_in_loop,
        arrays,
        branches_elsewhere,
        branch_over_devices,
        nested_conditionals,
        loop_in_conditional,
    )
]
