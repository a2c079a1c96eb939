"""Random nests of conditionals and loops: as graphs of a library, and as plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

# Smooth and bounded, so that finite differences say the truth; each as (graph, plain).
UNARY: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] = {
    "tanh": (lambda tf, a: tf.tanh(a), np.tanh),
    "sin": (lambda tf, a: tf.sin(a), np.sin),
    "halved": (lambda tf, a: a * 0.5, lambda a: a * 0.5),
    "transposed": (lambda tf, a: tf.transpose(a), np.transpose),
    "reversed": (lambda tf, a: tf.reverse(a, [0]), lambda a: a[::-1]),
    "spread": (
        lambda tf, a: a - tf.reduce_mean(a, axis=1, keepdims=True),
        lambda a: a - np.mean(a, axis=1, keepdims=True),
    ),
}
BINARY: dict[str, tuple[Callable[[Any, Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "sum": (lambda tf, a, b: a + b, lambda a, b: a + b),
    "product": (lambda tf, a, b: tf.tanh(a) * b, lambda a, b: np.tanh(a) * b),
    "quotient": (lambda tf, a, b: a / (b * b + 1.0), lambda a, b: a / (b * b + 1.0)),
    "matmul": (
        lambda tf, a, b: tf.matmul(tf.tanh(a), tf.tanh(b)),
        lambda a, b: np.tanh(a) @ np.tanh(b),
    ),
    "row added": (lambda tf, a, b: a + b[0], lambda a, b: a + b[0]),
}


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation; operands count from the newest value back."""

    operator: str
    operands: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Cond:
    """A conditional on the mean of a value, or on the parity of the innermost loop's counter."""

    operand: int
    threshold: float
    on_counter: bool
    then: Block
    otherwise: Block


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop over the two newest values; it runs `trips` times, or as the outer counter says."""

    trips: int
    by_counter: bool
    parallel_iterations: int
    body: Block


Statement = Apply | Cond | Loop
Block = tuple[Statement, ...]

_APPLY = st.builds(
    Apply, st.sampled_from([*UNARY, *BINARY]), st.tuples(st.integers(0, 5), st.integers(0, 5))
)


def _around(statements: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
    blocks = st.lists(st.one_of(_APPLY, statements), max_size=3).map(tuple)
    conds = st.builds(
        Cond, st.integers(0, 3), st.sampled_from([-0.3, 0.05, 0.4]), st.booleans(), blocks, blocks
    )
    loops = st.builds(Loop, st.integers(0, 3), st.booleans(), st.sampled_from([1, 2, 10]), blocks)
    return st.one_of(conds, loops)


NESTS: st.SearchStrategy[Block] = st.lists(
    st.one_of(_APPLY, st.recursive(_around(_APPLY), _around, max_leaves=5)),
    min_size=1,
    max_size=4,
).map(tuple)
"""Programs over two square matrices."""


class Plain:
    """Runs a program as Python."""

    def apply(self, step: Apply, values: Sequence[Any]) -> Any:
        """The value of an operation."""
        first, second = operands(step, values)
        if step.operator in UNARY:
            return UNARY[step.operator][1](first)
        return BINARY[step.operator][1](first, second)

    def cond(self, step: Cond, values: Sequence[Any], counter: Any) -> Any:
        """The value of a conditional."""
        if step.on_counter and counter is not None:
            taken = counter % 2 == 0
        else:
            taken = np.mean(pick(values, step.operand)) > step.threshold
        return evaluate(self, step.then if taken else step.otherwise, values, counter)[-1]

    def loop(self, step: Loop, values: Sequence[Any], counter: Any) -> tuple[Any, Any]:
        """The final values of the two loop variables."""
        trips = counter if step.by_counter and counter is not None else step.trips
        first, second = values[-2:]
        for index in range(trips):
            inside = evaluate(self, step.body, [*values, first, second], index)
            first, second = inside[-1], np.sin(inside[-2])
        return first, second


class Graph:
    """Makes the graph of a program in a library."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf

    def apply(self, step: Apply, values: Sequence[Any]) -> Any:
        """The tensor of an operation."""
        first, second = operands(step, values)
        if step.operator in UNARY:
            return UNARY[step.operator][0](self._tf, first)
        return BINARY[step.operator][0](self._tf, first, second)

    def cond(self, step: Cond, values: Sequence[Any], counter: Any) -> Any:
        """The result of a `cond`."""
        tf = self._tf
        if step.on_counter and counter is not None:
            taken = tf.equal(counter % 2, 0)
        else:
            taken = tf.reduce_mean(pick(values, step.operand)) > step.threshold
        return tf.cond(
            taken,
            lambda: evaluate(self, step.then, values, counter)[-1],
            lambda: evaluate(self, step.otherwise, values, counter)[-1],
        )

    def loop(self, step: Loop, values: Sequence[Any], counter: Any) -> tuple[Any, Any]:
        """The exits of a `while_loop`."""
        tf = self._tf
        trips = counter if step.by_counter and counter is not None else step.trips

        def body(index: Any, first: Any, second: Any) -> tuple[Any, Any, Any]:
            inside = evaluate(self, step.body, [*values, first, second], index)
            return index + 1, inside[-1], tf.sin(inside[-2])

        shapes = (tf.TensorShape([]), values[0].shape, values[0].shape)
        _, first, second = tf.while_loop(
            lambda index, first, second: index < trips,
            body,
            (0, values[-2], values[-1]),
            shape_invariants=shapes,
            parallel_iterations=step.parallel_iterations,
        )
        return first, second


def evaluate(
    backend: Plain | Graph, block: Block, values: Sequence[Any], counter: Any = None
) -> list[Any]:
    """All values after a block, newest last."""
    known = list(values)
    for step in block:
        if isinstance(step, Apply):
            known.append(backend.apply(step, known))
        elif isinstance(step, Cond):
            known.append(backend.cond(step, known, counter))
        else:
            known += backend.loop(step, known, counter)
    return known


def operands(step: Apply, values: Sequence[Any]) -> tuple[Any, Any]:
    """The two operands an operation may use."""
    return pick(values, step.operands[0]), pick(values, step.operands[1])


def pick(values: Sequence[Any], index: int) -> Any:
    """A value, counted from the newest back."""
    return values[-1 - index % len(values)]


def depth(block: Block) -> int:
    """How many conditionals and loops are around each other at most."""
    inner = [0]
    for step in block:
        if isinstance(step, Cond):
            inner.append(1 + max(depth(step.then), depth(step.otherwise)))
        elif isinstance(step, Loop):
            inner.append(1 + depth(step.body))
    return max(inner)
