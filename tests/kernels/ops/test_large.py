"""Kernels on arrays so large that threads share the work: right, and the same every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from scipy import signal, special

import dataflow as tf
from dataflow.graph.random_seed import DEFAULT_GRAPH_SEED
from dataflow.kernels.random import fills, philox
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.threads.parallel import Assisted
from tests.oracle import open_session

_RANDOM = np.random.default_rng(0)


def _normal(*shape: int) -> np.ndarray:
    return _RANDOM.standard_normal(shape).astype(np.float32)


@dataclass(frozen=True)
class Large:
    """A computation on large arrays, and what it should give."""

    name: str
    inputs: Mapping[str, np.ndarray]
    build: Callable[..., Any]
    reference: Callable[..., Any]
    """Takes the inputs in float64 where they are floats."""


def _convolution(x: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Cross-correlation of each image with each filter, the image's size kept."""
    y = np.zeros((*x.shape[:3], f.shape[3]))
    for image in range(x.shape[0]):
        for out in range(f.shape[3]):
            for channel in range(f.shape[2]):
                y[image, :, :, out] += signal.correlate2d(
                    x[image, :, :, channel], f[:, :, channel, out], mode="same"
                )
    return y


def _pool(x: np.ndarray) -> np.ndarray:
    n, h, w, c = x.shape
    return x.reshape(n, h // 2, 2, w // 2, 2, c).max(axis=(2, 4))


def _batch_norm(x: np.ndarray, scale: np.ndarray, offset: np.ndarray) -> np.ndarray:
    axes = (0, 1, 2)
    return (x - x.mean(axes)) / np.sqrt(x.var(axes) + 1e-3) * scale + offset


def _depthwise(x: np.ndarray, f: np.ndarray) -> np.ndarray:
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    h, w = x.shape[1:3]
    return sum(padded[:, i : i + h, j : j + w] * f[i, j, :, 0] for i in range(3) for j in range(3))


_IMAGES = {"x": _normal(16, 32, 32, 16)}
_POSITIVE = {name: 0.1 + np.abs(_normal(90, 71)) for name in "ax"}
_MATRIX = {"x": _normal(700, 513)}

CASES = [
    Large("matmul", {"a": _normal(600, 301), "b": _normal(301, 500)}, tf.matmul, np.matmul),
    Large("matmul columns", {"a": _normal(33, 801), "b": _normal(801, 1500)}, tf.matmul, np.matmul),
    Large(
        "matmul transposed",
        {"a": _normal(301, 600), "b": _normal(500, 301)},
        lambda a, b: tf.matmul(a, b, transpose_a=True, transpose_b=True),
        lambda a, b: a.T @ b.T,
    ),
    Large("batches", {"a": _normal(70, 65, 90), "b": _normal(70, 90, 80)}, tf.matmul, np.matmul),
    Large(
        "few batches", {"a": _normal(2, 515, 200), "b": _normal(2, 200, 260)}, tf.matmul, np.matmul
    ),
    Large(
        "broadcast batches",
        {"a": _normal(40, 1, 66, 70), "b": _normal(3, 70, 80)},
        tf.matmul,
        np.matmul,
    ),
    Large("sum", _MATRIX, tf.reduce_sum, np.sum),
    Large("sum of columns", _MATRIX, lambda x: tf.reduce_sum(x, 0), lambda x: x.sum(0)),
    Large("mean of rows", _MATRIX, lambda x: tf.reduce_mean(x, 1), lambda x: x.mean(1)),
    Large(
        "max, axes kept",
        _IMAGES,
        lambda x: tf.reduce_max(x, [0, 2], keepdims=True),
        lambda x: x.max((0, 2), keepdims=True),
    ),
    Large(
        "sum of a flat row",
        {"x": _normal(1, 300_000, 1)},
        lambda x: tf.reduce_sum(x, 1),
        lambda x: x.sum(1),
    ),
    Large("digamma", {"x": _POSITIVE["x"]}, tf.digamma, special.psi),
    Large("igamma", _POSITIVE, tf.igamma, special.gammainc),
    Large(
        "igamma of turned arrays",
        _POSITIVE,
        lambda a, x: tf.igamma(tf.transpose(a), tf.transpose(x)),
        lambda a, x: special.gammainc(a.T, x.T),
    ),
    Large(
        "igamma of an array and a row",
        _POSITIVE,
        lambda a, x: tf.igamma(a, x[0]),
        lambda a, x: special.gammainc(a, x[0]),
    ),
    Large("softmax", _MATRIX, tf.nn.softmax, lambda x: special.softmax(x, -1)),
    Large("log softmax", _MATRIX, tf.nn.log_softmax, lambda x: special.log_softmax(x, -1)),
    Large(
        "cross entropy",
        {**_MATRIX, "labels": _RANDOM.integers(0, 513, 700)},
        lambda x, labels: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x),
        lambda x, labels: -special.log_softmax(x, -1)[np.arange(700), labels],
    ),
    Large(
        "gather",
        {"x": _normal(400, 70), "i": _RANDOM.integers(0, 400, (90, 50))},
        tf.gather,
        lambda x, i: x[i],
    ),
    Large(
        "bias",
        {**_IMAGES, "b": _normal(16)},
        tf.nn.bias_add,
        lambda x, b: x + b,
    ),
    Large(
        "batch norm",
        {**_IMAGES, "scale": _normal(16), "offset": _normal(16)},
        lambda x, scale, offset: tf.nn.fused_batch_norm(x, scale, offset)[0],
        _batch_norm,
    ),
    Large(
        "max pool", _IMAGES, lambda x: tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), _pool
    ),
    Large(
        "convolution",
        {**_IMAGES, "f": _normal(5, 5, 16, 9)},
        lambda x, f: tf.nn.conv2d(x, f, [1, 1, 1, 1], "SAME"),
        _convolution,
    ),
    Large(
        "pointwise convolution",
        {"x": _normal(16, 32, 32, 64), "f": _normal(1, 1, 64, 40)},
        lambda x, f: tf.nn.conv2d(x, f, [1, 1, 1, 1], "SAME"),
        lambda x, f: x @ f[0, 0],
    ),
    Large(
        "depthwise",
        {**_IMAGES, "f": _normal(3, 3, 16, 1)},
        lambda x, f: tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "SAME"),
        _depthwise,
    ),
]


def _run(case: Large, threads: int, gradients: bool) -> list[Any]:
    """The result, or its gradients by the floating inputs, twice."""
    graph = tf.Graph()
    with graph.as_default():
        inputs = {k: tf.placeholder(tf.as_dtype(v.dtype)) for k, v in case.inputs.items()}
        for name, array in case.inputs.items():
            inputs[name].set_shape(array.shape)
        y = case.build(*inputs.values())
        floats = [x for x in inputs.values() if x.dtype.is_floating]
        fetches = tf.gradients(tf.square(y), floats) if gradients else [y]
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Session(graph=graph, config=config) as session:
        feeds = dict(zip(inputs.values(), case.inputs.values(), strict=True))
        first, second = session.run(fetches, feeds), session.run(fetches, feeds)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(_dense(a), _dense(b))
    return [_dense(a) for a in first]


def _dense(value: Any) -> np.ndarray:
    return np.asarray(getattr(value, "values", value))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_values(case: Large) -> None:
    wide = [a.astype(np.float64) if a.dtype == np.float32 else a for a in case.inputs.values()]
    expected = np.asarray(case.reference(*wide))
    for threads in (1, 4):
        (found,) = _run(case, threads, gradients=False)
        assert found.shape == expected.shape
        largest = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * largest)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_threads_change_no_gradient(case: Large) -> None:
    alone, together = _run(case, 1, gradients=True), _run(case, 4, gradients=True)
    for a, b in zip(alone, together, strict=True):
        largest = max(1.0, float(np.abs(a).max()))
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5 * largest)


def test_adam_by_blocks() -> None:
    size = 200_001
    start, slope = _normal(size), _normal(size)
    found = []
    for threads in (1, 4):
        graph = tf.Graph()
        with graph.as_default():
            v = tf.Variable(start)
            train = tf.train.AdamOptimizer(0.1).apply_gradients([(tf.constant(slope), v)])
            init = tf.global_variables_initializer()
        config = tf.ConfigProto(intra_op_parallelism_threads=threads)
        with tf.Session(graph=graph, config=config) as session:
            session.run(init)
            before = session.run(v)
            session.run(train)
            found.append(session.run(v))
            np.testing.assert_array_equal(before, start)
    np.testing.assert_array_equal(found[0], found[1])
    expected = start - 0.1 * slope / (np.abs(slope) + 1e-8 / np.sqrt(1 - 0.999))
    np.testing.assert_allclose(found[0], expected, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_many_uniform_numbers_are_tensorflows(dtype: str) -> None:
    count = 2 * fills._LONG_PIECE + 7
    drawn = []
    for library in (tf, oracle):
        with library.Graph().as_default() as graph, open_session(library, graph) as session:
            kind = library.as_dtype(dtype)
            drawn.append(session.run(library.random_uniform([count], dtype=kind, seed=3)))
    np.testing.assert_array_equal(*drawn)


@pytest.mark.parametrize("op", ["random_normal", "truncated_normal"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_random_numbers_are_those_of_the_whole_stream(op: str, dtype: str) -> None:
    count = 2 * fills._PIECE + 7
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(getattr(tf, op)([count], dtype=tf.as_dtype(dtype), seed=3))
    draws = {
        "random_normal": fills.normal,
        "truncated_normal": fills.truncated,
    }
    numpy_type = tf.as_dtype(dtype).as_numpy_dtype
    stream = Philox(DEFAULT_GRAPH_SEED, 3)
    with Assisted(None):
        whole = draws[op](numpy_type)(stream, count).astype(numpy_type)
    np.testing.assert_array_equal(found, whole)


def test_blocks_of_the_stream_are_independent() -> None:
    stream = Philox(5, 7)
    count = 3 * philox._CHUNK + 5
    whole = stream.blocks(count)
    for start in (0, 1, philox._CHUNK, count - 1):
        (one, *_) = stream.at(start).blocks(1)
        assert one[0] == whole[0][start]
