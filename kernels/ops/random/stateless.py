"""Kernels of random numbers that depend on seeds, or on a key and a counter, alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.random.classes import check_classes, chosen_classes, doubles
from dataflow.kernels.random.fills import (
    Fill,
    many_normal,
    many_truncated,
    many_uniform,
)
from dataflow.kernels.random.integers import between, bits, check_bounds
from dataflow.kernels.random.keys import PHILOX, key_and_counter, stream_of_key, stream_of_seed
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.random.shuffling import shuffled
from dataflow.kernels.random.sizes import sizes_of
from dataflow.values import dtypes

_BY_SEED: Final = ("shape", "seed")
_BY_KEY: Final = ("shape", "key", "counter", "alg")


def _fill_of(op: str, dtype: Any) -> Fill:
    """What makes so many numbers of a stream, for one of the floating distributions."""
    if "Truncated" in op:
        return many_truncated(dtype)
    return many_normal(dtype) if "RandomNormal" in op else many_uniform(dtype)


def _filled(node: KernelNode) -> Callable[[Philox, Any], Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype
    make = _fill_of(node.op, dtype)

    def run(stream: Philox, shape: Any) -> Any:
        sizes = sizes_of(shape)
        count = math.prod(sizes)
        if not count:
            return np.empty(sizes, dtype)
        return make(stream, count).astype(dtype, copy=False).reshape(sizes)

    return run


@kernel(
    "StatelessRandomUniform",
    "StatelessRandomNormal",
    "StatelessTruncatedNormal",
    host_inputs=_BY_SEED,
    host_outputs=("output",),
    grows=True,
)
def floats_of_seed(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fill = _filled(node)
    return lambda shape, seed: fill(stream_of_seed(seed), shape)


@kernel(
    "StatelessRandomUniformV2",
    "StatelessRandomNormalV2",
    "StatelessTruncatedNormalV2",
    host_inputs=_BY_KEY,
    host_outputs=("output",),
    grows=True,
)
def floats_of_key(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fill = _filled(node)
    return lambda shape, key, counter, alg: fill(stream_of_key(key, counter, alg), shape)


def _whole(node: KernelNode) -> Callable[[Philox, Any], Any]:
    dtype = np.dtype(node.output_dtypes[0].as_numpy_dtype)

    def run(stream: Philox, shape: Any) -> Any:
        sizes = sizes_of(shape)
        return bits(stream, math.prod(sizes), dtype).view(dtype).reshape(sizes)

    return run


@kernel(
    "StatelessRandomUniformFullInt",
    host_inputs=_BY_SEED,
    host_outputs=("output",),
    grows=True,
)
def bits_of_seed(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fill = _whole(node)
    return lambda shape, seed: fill(stream_of_seed(seed), shape)


@kernel(
    "StatelessRandomUniformFullIntV2",
    host_inputs=_BY_KEY,
    host_outputs=("output",),
    grows=True,
)
def bits_of_key(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fill = _whole(node)
    return lambda shape, key, counter, alg: fill(stream_of_key(key, counter, alg), shape)


def _between(node: KernelNode) -> Callable[[Callable[[], Philox], Any, Any, Any], Any]:
    dtype = np.dtype(node.output_dtypes[0].as_numpy_dtype)

    def run(stream: Callable[[], Philox], shape: Any, low: Any, high: Any) -> Any:
        check_bounds(low, high)
        return between(stream, sizes_of(shape), low, high, dtype)

    return run


@kernel(
    "StatelessRandomUniformInt",
    dtypes={"dtype": (dtypes.int32, dtypes.int64)},
    host_inputs=(*_BY_SEED, "minval", "maxval"),
    host_outputs=("output",),
    grows=True,
)
def integers_of_seed(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fill = _between(node)
    return lambda shape, seed, low, high: fill(lambda: stream_of_seed(seed), shape, low, high)


@kernel(
    "StatelessRandomUniformIntV2",
    dtypes={"dtype": (dtypes.int32, dtypes.int64)},
    host_inputs=(*_BY_KEY, "minval", "maxval"),
    host_outputs=("output",),
    grows=True,
)
def integers_of_key(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fill = _between(node)
    return lambda shape, key, counter, alg, low, high: fill(
        lambda: stream_of_key(key, counter, alg), shape, low, high
    )


@kernel(
    "StatelessMultinomial",
    host_inputs=("logits", "num_samples", "seed"),
    host_outputs=("output",),
)
def classes_of_seed(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(logits: Any, num_samples: Any, seed: Any) -> Any:
        stream = stream_of_seed(seed)
        check_classes(logits, num_samples)
        rows, count = len(logits), int(num_samples)
        places = doubles(stream, rows * count).reshape(rows, count)
        return chosen_classes(logits, places, dtype)

    return run


@kernel(
    "StatelessRandomGetKeyCounter",
    host_inputs=("seed",),
    host_outputs=("key", "counter"),
)
def get_key_counter(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _key_and_counter


def _key_and_counter(seed: Any) -> tuple[np.ndarray, np.ndarray]:
    key, counter = key_and_counter(seed)
    return np.array([key], np.uint64), np.array([0, counter], np.uint64)


@kernel(
    "StatelessRandomGetKeyCounterAlg",
    host_inputs=("seed",),
    host_outputs=("key", "counter", "alg"),
)
def get_key_counter_alg(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda seed: (*_key_and_counter(seed), np.int32(PHILOX))


@kernel("StatelessRandomGetAlg", host_outputs=("alg",))
def get_alg(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda: np.int32(PHILOX)


@kernel("StatelessShuffle", host_inputs=("key", "counter", "alg"))
def shuffle(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any, key: Any, counter: Any, alg: Any) -> Any:
        stream = stream_of_key(key, counter, alg)
        if np.ndim(value) == 0 or len(value) < 2:
            return value
        return value[shuffled(stream.words(len(value) - 1))]

    return run
