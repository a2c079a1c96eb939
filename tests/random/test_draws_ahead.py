"""Small draws that are made ahead are TensorFlow's, invocation for invocation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.random.philox_rounds import blocks_into, round_keys
from tests.kernels.random.blocks import block

oracle.disable_v2_behavior()

_RUNS = 80
Program = Callable[[Any, Any], Any]
_PROGRAMS: dict[str, tuple[Program, int]] = {
    "uniform": (lambda t, n: t.random_uniform([n], seed=3), 0),
    "doubles": (lambda t, n: t.random_uniform([n], dtype=t.float64, seed=3), 0),
    "normal": (lambda t, n: t.random_normal([n], seed=3), 4),
    "truncated": (lambda t, n: t.truncated_normal([n], seed=3), 4),
    "integers": (lambda t, n: t.random_uniform([n], 0, 99, t.int32, seed=3), 0),
    "longs": (lambda t, n: t.random_uniform([n], 0, 99, t.int64, seed=3), 0),
    "shuffled": (lambda t, n: t.random_shuffle(t.range(n), seed=3), 0),
    "chosen": (lambda t, n: t.multinomial(t.ones([3, 5]), n, seed=3), 0),
}


def _runs(library: Any, program: Program, sizes: list[int]) -> list[np.ndarray]:
    with library.Graph().as_default(), library.Session() as session:
        size = library.placeholder(library.int32, [])
        value = program(library, size)
        return [np.asarray(session.run(value, {size: n})) for n in sizes]


@pytest.mark.parametrize("kind", sorted(_PROGRAMS))
@pytest.mark.parametrize("size", [1, 5, 32])
def test_every_invocation_draws_what_tensorflows_does(kind: str, size: int) -> None:
    program, ulps = _PROGRAMS[kind]
    # Sizes that change in between leave the stream where it is. Of large multinomial draws
    # TensorFlow's numbers depend on how it cuts them for its threads.
    large = 9 if kind == "chosen" else 3000
    sizes = [size] * _RUNS + [size + 3, 0, large, size + 3] + [size] * 12
    wanted, found = (_runs(library, program, sizes) for library in (oracle, tf))
    for theirs, ours in zip(wanted, found, strict=True):
        assert ours.dtype == theirs.dtype
        if ulps:
            np.testing.assert_array_max_ulp(ours, theirs, ulps)
        else:
            np.testing.assert_array_equal(ours, theirs)


def test_what_was_drawn_may_be_written_to() -> None:
    (first, *others), again = (_runs(tf, _PROGRAMS["uniform"][0], [7] * 20) for _ in range(2))
    first[:] = -1
    for ours, same in zip(others, again[1:], strict=True):
        np.testing.assert_array_equal(ours, same)
        ours[:] = -1


@pytest.mark.parametrize("count", [1, 2, 37])
@pytest.mark.parametrize("start", [0, 2**64 - 3, 2**100 + 7, 2**128 - 5])
def test_rounds_are_philoxs_also_where_the_counter_carries(count: int, start: int) -> None:
    key = 0x0123456789ABCDEF
    offsets = np.arange(count, dtype=np.uint64) * np.uint64(3)
    out = np.empty((4, count), np.uint32)
    blocks_into(out, offsets, start, round_keys(key))
    for place, offset in enumerate(offsets.tolist()):
        assert out[:, place].tolist() == block((start + offset) % 2**128, key)


def test_repeated_stretches_are_those_of_the_stream() -> None:
    stream = Philox(5, 7)
    words = stream.repeated(3, 100).blocks(9)
    parts = [stream.at(start).blocks(3) for start in (0, 100, 200)]
    for number in range(4):
        np.testing.assert_array_equal(words[number], np.concatenate([p[number] for p in parts]))
