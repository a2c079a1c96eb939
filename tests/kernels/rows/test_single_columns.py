"""Softmaxes, their losses and reductions of rows of one number and of none, whatever their number:
values as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow
from dataflow.kernels.reductions.contiguous import reduce_rows
from tests.kernels.helped import helpers
from tests.oracle import open_session
from tests.pairwise import pairwise

Program = Callable[[Any, Any], Any]

_SIDES = [n for size in (1 << 10, 1 << 11, 1 << 16, 1 << 18) for n in (size - 1, size, size + 1)]
"""Rows on both sides of each number from which they are taken in another way."""
_COUNTS = (1, 2, 4096, 4097, 150_001, *_SIDES)


def _dense_loss(tf: Any, x: Any) -> Any:
    return tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=tf.cast(x > 0, x.dtype))


def _sparse_loss(tf: Any, x: Any) -> Any:
    labels = tf.zeros(tf.shape(x)[:1], tf.int32)
    return tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=labels)


SOFTMAXES: dict[str, Program] = {
    "softmax": lambda tf, x: [tf.nn.softmax(x)],
    "log_softmax": lambda tf, x: [tf.nn.log_softmax(x)],
    "softmax between others": lambda tf, x: [tf.nn.softmax(x * 2.0) + 1.0],
    "softmax of the first axis": lambda tf, x: [tf.nn.softmax(tf.transpose(x), axis=0)],
    "gradients": lambda tf, x: tf.gradients([tf.nn.softmax(x), tf.nn.log_softmax(x)], x),
    "softmax of a remainder": lambda tf, x: [tf.nn.softmax(tf.floormod(x, x))],
}
LOSSES: dict[str, Program] = {"dense loss": _dense_loss, "sparse loss": _sparse_loss}
REDUCTIONS: dict[str, Program] = {
    name: lambda tf, x, name=name: [getattr(tf, name)(x * 2.0, axis=-1)]
    for name in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod")
} | {"reduce_logsumexp": lambda tf, x: [tf.reduce_logsumexp(x, axis=-1, keepdims=True)]}
PROGRAMS = SOFTMAXES | LOSSES | REDUCTIONS


def _numbers(shape: tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(0).normal(0, 3, shape).astype(dtype)


def _assert_as_in_tensorflow(program: Program, x: np.ndarray) -> None:
    results = []
    for library in (oracle, dataflow):
        with library.Graph().as_default() as graph, open_session(library, graph) as session:
            fed = library.placeholder(x.dtype, x.shape)
            results.append(session.run(list(program(library, fed)), {fed: x}))
    for want, have in zip(*results, strict=True):
        assert have.shape == want.shape and have.dtype == want.dtype
        np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("count", _COUNTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_rows_of_one_number(program: str, count: int) -> None:
    x = _numbers((count, 1))
    x[0], x[count // 2], x[-1] = np.nan, np.inf, -np.inf
    _assert_as_in_tensorflow(PROGRAMS[program], x)


@pairwise(
    {
        "program": SOFTMAXES | LOSSES,
        "count": [2047, 2048, 65_536],
        "dtype": [np.float16, np.float64],
    }
)
def test_of_other_types(program: str, count: int, dtype: Any) -> None:
    _assert_as_in_tensorflow(PROGRAMS[program], _numbers((count, 1), dtype))


@pytest.mark.parametrize("shape", [(1, 3000, 1), (3000, 1, 1), (260, 260, 1), (3000, 1, 2)])
@pytest.mark.parametrize("program", ["softmax", "log_softmax", "gradients", *REDUCTIONS])
def test_of_other_ranks(program: str, shape: tuple[int, ...]) -> None:
    _assert_as_in_tensorflow(PROGRAMS[program], _numbers(shape))


@pytest.mark.parametrize("shape", [(0, 1), (1, 0), (0, 3000), (3000, 0)])
@pytest.mark.parametrize("program", [name for name in PROGRAMS if name != "sparse loss"])
def test_of_nothing(program: str, shape: tuple[int, ...]) -> None:
    _assert_as_in_tensorflow(PROGRAMS[program], _numbers(shape))


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("program", SOFTMAXES | LOSSES)
def test_rows_without_a_finite_number(program: str, special: float) -> None:
    _assert_as_in_tensorflow(PROGRAMS[program], np.full((4097, 1), special, np.float32))


def test_by_several_threads() -> None:
    with helpers(3):
        _assert_as_in_tensorflow(PROGRAMS["softmax"], _numbers((150_001, 1)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint8, bool])
@pytest.mark.parametrize("ufunc", [np.maximum, np.minimum, np.add, np.multiply])
def test_a_reduction_of_one_number_is_a_copy(ufunc: Any, dtype: Any) -> None:
    x = _numbers((3000, 1)).astype(dtype)
    found = reduce_rows(ufunc, x)
    np.testing.assert_array_equal(found, x)
    assert found.dtype == x.dtype and not np.shares_memory(found, x)
