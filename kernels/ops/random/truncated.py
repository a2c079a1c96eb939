"""Kernels of normal numbers between bounds."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.random.between import MOST_TRIES, Source
from dataflow.kernels.random.keys import stream_of_seed
from dataflow.kernels.random.philox import GuardedPhilox
from dataflow.kernels.random.sizes import sizes_of
from dataflow.values import dtypes

_TYPES: Final = {"dtype": (dtypes.half, dtypes.float32, dtypes.float64)}
_NAMES: Final = ("means", "stddevs", "minvals", "maxvals")
_GROUP: Final = 100
"""How many numbers of one distribution go together."""


@kernel(
    "ParameterizedTruncatedNormal",
    dtypes=_TYPES,
    host_inputs=("shape", "means", "stdevs", "minvals", "maxvals"),
    host_outputs=("output",),
    grows=True,
)
def of_op(node: KernelNode, xp: Any) -> Callable[..., Any]:
    seeds = node.attr("seed"), node.attr("seed2")
    generator = GuardedPhilox(*(seeds if any(seeds) else (secrets.randbits(63),) * 2))
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(shape: Any, *parameters: Any) -> Any:
        if np.ndim(shape) != 1:
            raise invalid(f"Input shape should be a vector, got shape: {shape_text(shape.shape)}")
        sizes = sizes_of(shape)
        if not sizes:
            raise invalid("Shape tensor must not be empty")
        values = [np.asarray(value) for value in parameters]
        for name, value in zip(_NAMES, values, strict=True):
            if value.ndim > 1:
                raise invalid(
                    f"Input {name} should be a scalar or vector, got shape: "
                    f"{shape_text(value.shape)}"
                )
        groups, per_group = sizes[0], math.prod(sizes[1:])
        count = groups * per_group
        is_one = all(value.size == 1 for value in values[:2]) and not any(
            value.ndim for value in values[2:]
        )
        if is_one:
            groups, per_group = -(-count // _GROUP), _GROUP
        else:
            for name, value in zip(_NAMES, values, strict=True):
                if value.ndim and value.size not in (1, groups):
                    raise invalid(
                        f"Input {name} should have length 1 or shape[0], got shape: "
                        f"{shape_text(value.shape)}"
                    )
        stream = generator.reserve(groups * 2 * MOST_TRIES * (per_group + 3) // 4)
        if not count:
            return np.empty(sizes, dtype)
        source = Source(stream, dtype)
        if is_one:
            rest = count - (groups - 1) * per_group
            one: Any = tuple(value.reshape(-1)[0] for value in values)
            return source.draw(one, [per_group] * (groups - 1) + [rest]).reshape(sizes)
        rows = zip(*(np.broadcast_to(value, groups) for value in values), strict=True)
        return np.concatenate([source.draw(row, [per_group]) for row in rows]).reshape(sizes)

    return run


@kernel(
    "StatelessParameterizedTruncatedNormal",
    dtypes=_TYPES,
    host_inputs=("shape", "seed", *_NAMES),
    host_outputs=("output",),
    grows=True,
)
def of_seed(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(shape: Any, seed: Any, *parameters: Any) -> Any:
        stream = stream_of_seed(seed)
        shapes = [np.shape(value) for value in parameters]
        try:
            common = np.broadcast_shapes(*shapes)
        except ValueError:
            raise invalid(
                "means, stddevs, minvals, maxvals must have compatible batch dimensions: "
                + " vs. ".join(map(shape_text, shapes))
            ) from None
        if np.ndim(shape) != 1:
            raise invalid(f"Input shape should be a vector, got shape: {shape_text(shape.shape)}")
        sizes = sizes_of(shape)
        rank = len(sizes) - len(common)
        if rank < 0 or sizes[rank:] != common:
            raise invalid("Shape passed in must end with broadcasted shape.")
        if not math.prod(sizes):
            return np.empty(sizes, dtype)
        source, samples = Source(stream, dtype), math.prod(sizes[:rank])
        rows = zip(*(np.broadcast_to(value, common).ravel() for value in parameters), strict=True)
        # The samples of one distribution follow each other in the stream.
        made = np.stack([source.draw(row, [samples]) for row in rows], axis=-1)
        return made.reshape(sizes)

    return run
