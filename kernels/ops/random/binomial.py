"""Kernels of numbers of binomial distributions, and of words that nothing decides."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import Variable
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.random.generators import check_algorithm, take
from dataflow.kernels.random.keys import stream_of_seed
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.random.rejection import binomial
from dataflow.kernels.random.sizes import sizes_of
from dataflow.values import dtypes

_NUMBERS = (dtypes.half, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
_TYPES = {"T": _NUMBERS, "dtype": _NUMBERS}


def _filled(node: KernelNode) -> Callable[[Callable[[int], Philox], Any, Any, Any], Any]:
    """The function of what gives a stream, of which so many numbers count as taken."""
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(stream: Callable[[int], Philox], shape: Any, counts: Any, probs: Any) -> Any:
        sizes = sizes_of(shape)
        try:
            counts, probs = np.broadcast_arrays(counts, probs)
        except ValueError:
            raise invalid(
                "counts and probs must have compatible batch dimensions: "
                f"{shape_text(np.shape(counts))} vs. {shape_text(np.shape(probs))}"
            ) from None
        rank = counts.ndim
        if rank > len(sizes) or sizes[len(sizes) - rank :] != counts.shape:
            raise invalid("Shape passed in must end with broadcasted shape.")
        if not math.prod(sizes):
            return np.empty(sizes, dtype)
        samples = math.prod(sizes[: len(sizes) - rank])
        taken = 2 * 100 * counts.size * (samples + 3) // 4
        drawn = binomial(stream(taken), counts, probs, samples, dtype)
        return np.ascontiguousarray(drawn).reshape(sizes)

    return run


@kernel(
    "StatelessRandomBinomial",
    dtypes=_TYPES,
    host_inputs=("shape", "seed", "counts", "probs"),
    host_outputs=("output",),
    grows=True,
)
def of_seed(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fill = _filled(node)
    return lambda shape, seed, counts, probs: fill(
        lambda _: stream_of_seed(seed), shape, counts, probs
    )


@kernel(
    "StatefulRandomBinomial",
    dtypes=_TYPES,
    host_inputs=("algorithm", "shape", "counts", "probs"),
    host_outputs=("output",),
    grows=True,
    handle=Variable,
)
def of_generator(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fill = _filled(node)

    def run(cell: Variable, algorithm: Any, shape: Any, counts: Any, probs: Any) -> Any:
        check_algorithm(algorithm, "algorithm")
        return fill(lambda taken: take(cell, taken)[1], shape, counts, probs)

    return run


@kernel(
    "NonDeterministicInts",
    dtypes={"dtype": (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)},
    host_inputs=("shape",),
    host_outputs=("output",),
    grows=True,
)
def words(node: KernelNode, xp: Any) -> Callable[[Any], Any]:
    dtype = np.dtype(node.output_dtypes[0].as_numpy_dtype)

    def run(shape: Any) -> Any:
        sizes = sizes_of(shape)
        data = secrets.token_bytes(math.prod(sizes) * dtype.itemsize)
        return np.frombuffer(data, dtype).reshape(sizes)

    return run
