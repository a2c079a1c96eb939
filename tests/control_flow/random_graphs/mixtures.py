"""Random mixtures of everything with control flow: conditionals, loops, maps, arrays, variables.

A program computes with square matrices. It is evaluated in plain Python by `mixture_plain`, built
as a graph by `mixture_graph`, and compared by `mixture_runs`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

NUM_DEVICES = 3
MAX_TRIPS = 3
"""How often a loop goes round at most."""


def rows(tf: Any, a: Any) -> Any:
    """The second row, twice.

    By gather where the shape is known: elsewhere its sparse gradient in a loop that is not entered
    has no shape, and neither TensorFlow nor we can make it dense.
    """
    return tf.gather(a, [1, 1]) if a.shape.is_fully_defined() else tf.stack([a[1], a[1]])


# Bounded and analytic, so that derivatives can be taken by a complex step; (graph, plain).
UNARY: list[tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] = [
    (lambda tf, a: tf.tanh(a), np.tanh),
    (lambda tf, a: tf.sin(a), np.sin),
    (lambda tf, a: tf.transpose(a), np.transpose),
    (lambda tf, a: tf.reverse(a, [0]), lambda a: a[::-1]),
    (lambda tf, a: rows(tf, a), lambda a: a[[1, 1]]),
    (lambda tf, a: a - tf.reduce_mean(a, 1, keepdims=True), lambda a: a - a.mean(1, keepdims=True)),
    (lambda tf, a: tf.concat(tf.split(a, 2, 1)[::-1], 1), lambda a: a[:, ::-1]),
    (lambda tf, a: tf.stop_gradient(a) * 0.5 + a * 0.25, lambda a: a.real * 0.5 + a * 0.25),
]
BINARY: list[tuple[Callable[[Any, Any, Any], Any], Callable[[Any, Any], Any]]] = [
    (lambda tf, a, b: (a + b) * 0.5, lambda a, b: (a + b) * 0.5),
    (lambda tf, a, b: tf.tanh(a) * b, lambda a, b: np.tanh(a) * b),
    (
        lambda tf, a, b: tf.matmul(tf.sin(a), tf.tanh(b)) * 0.5,
        lambda a, b: np.sin(a) @ np.tanh(b) * 0.5,
    ),
    (lambda tf, a, b: tf.sin(a + b[0]), lambda a, b: np.sin(a + b[0])),
    (lambda tf, a, b: tf.add_n([a, b, a]) / 3.0, lambda a, b: (a + b + a) / 3.0),
]

LEAVES = ("unary", "binary", "binary", "counted", "read", "assign", "check")
COMPOUND = {"cond": 2, "case": 3, "loop": 1, "array": 1, "map": 1, "scan": 1, "fold": 1, "after": 1}
"""How many blocks a compound statement has."""
LOOPS = ("loop", "array", "map", "scan", "fold")


@dataclass(frozen=True, slots=True)
class Step:
    """A statement; what the numbers choose depends on its kind.

    Attributes:
      kind: One of `LEAVES` and `COMPOUND`.
      numbers: Choices; the first two are operands, counted from the newest value back.
      place: The number of the device asked for, or -1.
      blocks: The bodies.
    """

    kind: str
    numbers: tuple[int, int, int, int]
    place: int
    blocks: tuple[Block, ...] = ()


Block = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Mixture:
    """A program and how it is built and fed.

    Attributes:
      block: The statements.
      trips: The loop count that is fed.
      seed: Of the matrices that are fed.
      rank: How much of the shapes is known: 2 the sizes, 1 the rank, 0 nothing.
      resource: Whether the variables are resources.
    """

    block: Block
    trips: int
    seed: int
    rank: int
    resource: bool

    def matrices(self) -> np.ndarray:
        """The two inputs and the first values of the two variables."""
        return np.random.default_rng(self.seed).uniform(-1, 1, (4, 2, 2))


def generate(source: random.Random, depth: int, devices: int) -> Mixture:
    """A program with a nest of this depth, on this many devices (1: none is asked for)."""
    return Mixture(
        _block(source, depth, devices, effects=source.random() < 0.5),
        trips=source.randint(0, MAX_TRIPS),
        seed=source.randint(0, 2**31),
        rank=source.randint(0, 2),
        resource=source.random() < 0.5,
    )


def _block(source: random.Random, depth: int, devices: int, effects: bool) -> Block:
    steps = [_leaf(source, devices, effects) for _ in range(source.randint(0, 2))]
    if depth:
        kind = source.choice([*COMPOUND, "cond", "loop"])
        # The order of iterations is not promised where nothing is carried from one to the next.
        inner = effects and kind != "map"
        depths = [depth - 1, *[source.randint(0, min(1, depth - 1)) for _ in range(2)]]
        depths = depths[: COMPOUND[kind]]
        source.shuffle(depths)
        blocks = tuple(_block(source, each, devices, inner) for each in depths)
        steps.append(Step(kind, _numbers(source), _place(source, devices), blocks))
        steps += [_leaf(source, devices, effects) for _ in range(source.randint(0, 1))]
    return tuple(steps)


def _leaf(source: random.Random, devices: int, effects: bool) -> Step:
    kind = source.choice(LEAVES if effects else LEAVES[:4])
    return Step(kind, _numbers(source), _place(source, devices))


def _numbers(source: random.Random) -> tuple[int, int, int, int]:
    return tuple(source.randint(0, 11) for _ in range(4))  # type: ignore[return-value]


def _place(source: random.Random, devices: int) -> int:
    return source.randint(-1, devices - 1) if devices > 1 else -1


def pick(values: list[Any], number: int) -> Any:
    """An operand, counted from the newest value back."""
    return values[-1 - number % len(values)]


def depth_of(block: Block) -> int:
    """How many compound statements are around each other at most."""
    return max((1 + max(map(depth_of, s.blocks)) for s in block if s.blocks), default=0)


def loop_depth(block: Block) -> int:
    """How many loops are around each other at most."""
    inside = (max(map(loop_depth, s.blocks)) + (s.kind in LOOPS) for s in block if s.blocks)
    return max(inside, default=0)


def size_of(block: Block) -> int:
    """How many statements there are."""
    return sum(1 + sum(map(size_of, step.blocks)) for step in block)


def has_effects(block: Block) -> bool:
    """Whether the order of some statements matters though no values say it."""
    return any(s.kind in LEAVES[4:] or any(map(has_effects, s.blocks)) for s in block)


def smaller(block: Block) -> Iterator[Block]:
    """Blocks with a little less in them: to find the least that fails."""
    for index, step in enumerate(block):
        before, after = block[:index], block[index + 1 :]
        yield before + after
        for inner in step.blocks:
            yield before + inner + after
        for number, inner in enumerate(step.blocks):
            for less in smaller(inner):
                blocks = (*step.blocks[:number], less, *step.blocks[number + 1 :])
                yield (*before, replace(step, blocks=blocks), *after)
        if step.place >= 0:
            yield (*before, replace(step, place=-1), *after)
        for number, value in enumerate(step.numbers):
            if value:
                numbers = (*step.numbers[:number], 0, *step.numbers[number + 1 :])
                yield (*before, replace(step, numbers=numbers), *after)
