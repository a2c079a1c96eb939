"""Programs with loops and conditionals, built with either library, in both forms of control flow.

`tests.importing.programs` says how they are run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np


def floats(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Numbers between -1 and 1."""
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def functional(build: Callable[[Any], None]) -> Callable[[Any], None]:
    """The program with its control flow made of If and While, as TensorFlow 2 makes it."""

    @functools.wraps(build)
    def built(lib: Any) -> None:
        lib.enable_control_flow_v2()
        try:
            build(lib)
        finally:
            lib.disable_control_flow_v2()

    return built


def nested_loops(lib: Any) -> None:
    """A triangle of products; how often the inner loop goes round is the outer counter."""
    x = lib.placeholder(lib.float32, [3], name="x")
    n = lib.placeholder(lib.int32, [], name="n")

    def row(i: Any, total: Any) -> tuple[Any, Any]:
        _, inner = lib.while_loop(
            lambda j, _: j < i, lambda j, a: (j + 1, lib.tanh(a) + x), (0, total)
        )
        return i + 1, inner * 0.5

    _, total = lib.while_loop(lambda i, _: i < n, row, (0, x), parallel_iterations=3)
    lib.identity(total, name="y")
    lib.identity(lib.gradients(total, [x])[0], name="g")


def cond_in_loop(lib: Any) -> None:
    """The steps of Collatz's sequence, with its largest number; conditionals inside a loop."""
    start = lib.placeholder(lib.int64, [], name="x")

    def step(number: Any, count: Any, most: Any) -> list[Any]:
        number = lib.cond(lib.equal(number % 2, 0), lambda: number // 2, lambda: number * 3 + 1)
        most = lib.case([(number > most, lambda: number)], default=lambda: lib.identity(most))
        return [number, count + 1, most]

    _, count, most = lib.while_loop(
        lambda number, *_: number > 1, step, [start, 0, start], maximum_iterations=200
    )
    lib.identity(count, name="y")
    lib.identity(most, name="z")


def maps(lib: Any) -> None:
    """What map_fn, scan and the folds make, of an unknown number of rows."""
    x = lib.placeholder(lib.float32, [None, 2], name="x")
    mapped, sums = lib.map_fn(
        lambda row: (row * 2.0, lib.reduce_sum(row)), x, dtype=(lib.float32, lib.float32)
    )
    lib.identity(mapped + sums[:, lib.newaxis], name="y")
    lib.identity(lib.scan(lambda a, row: lib.sin(a + row), x), name="z")
    folded = lib.foldr(lambda a, row: a * 0.5 + row, x, lib.zeros([2]))
    lib.identity(lib.gradients(folded, [x])[0], name="w")


def sequence(lib: Any) -> None:
    """A recurrence over a TensorArray, trained for a few steps with its variable in the loop."""
    x = lib.placeholder(lib.float32, [None, 2, 3], name="x")
    weights = lib.get_variable(
        "w",
        initializer=lib.constant(floats(3, 3, seed=9)),
        use_resource=lib.control_flow_v2_enabled(),
    )
    length = lib.shape(x)[0]
    rows = lib.TensorArray(lib.float32, length).unstack(x)

    def step(t: Any, state: Any, states: Any) -> list[Any]:
        state = lib.tanh(lib.matmul(state, weights) + rows.read(t))
        return [t + 1, state, states.write(t, state)]

    states = lib.while_loop(
        lambda t, *_: t < length,
        step,
        [0, lib.zeros([2, 3]), lib.TensorArray(lib.float32, length, element_shape=[2, 3])],
        swap_memory=True,
    )[2].stack()
    loss = lib.reduce_mean(lib.squared_difference(states, x), name="loss")
    lib.group(lib.train.GradientDescentOptimizer(0.5).minimize(loss), name="step")
    lib.identity(states, name="y")
    lib.identity(weights, name="z")
    lib.variables_initializer([weights], name="init")


def suppression(lib: Any) -> None:
    """The best boxes that do not overlap, chosen one by one: detection without special ops."""
    boxes = lib.placeholder(lib.float32, [None, 4], name="boxes")
    scores = lib.placeholder(lib.float32, [None], name="scores")
    chosen = lib.TensorArray(lib.int32, 0, dynamic_size=True, element_shape=[])

    def area(box: Any) -> Any:
        size = lib.maximum(box[..., 2:] - box[..., :2], 0.0)
        return size[..., 0] * size[..., 1]

    def choose(left: Any, count: Any, chosen: Any) -> list[Any]:
        best = lib.argmax(left, output_type=lib.int32)
        box = boxes[best]
        shared = lib.concat(
            [lib.maximum(boxes[:, :2], box[:2]), lib.minimum(boxes[:, 2:], box[2:])], 1
        )
        overlap = area(shared) / (area(boxes) + area(box) - area(shared))
        left = lib.where(overlap > 0.3, lib.zeros_like(left), left)
        return [left, count + 1, chosen.write(count, best)]

    _, count, chosen = lib.while_loop(
        lambda left, count, _: lib.logical_and(count < 5, lib.reduce_max(left) > 0.1),
        choose,
        [scores, 0, chosen],
    )
    picked = lib.identity(chosen.stack(), name="y")
    lib.gather(boxes, picked, name="z")
    lib.identity(count, name="n")


def corners(seed: int = 12) -> np.ndarray[Any, Any]:
    """Boxes, some of which overlap."""
    low = np.random.default_rng(seed).uniform(0, 3, (12, 2))
    return np.concatenate([low, low + 1.5], 1).astype(np.float32)
