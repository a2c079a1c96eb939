"""Kernel of Sobol's sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel

_MOST_DIMENSIONS: Final = 21201
_MOST_NUMBERS: Final = 1 << 31
_END: Final = 1 << 31
"""TensorFlow counts points by int32."""


@kernel(
    "SobolSample",
    host_inputs=("dim", "num_results", "skip"),
    host_outputs=("samples",),
    grows=True,
)
def sobol_sample(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(dim: Any, num_results: Any, skip: Any) -> Any:
        if np.ndim(dim) or np.ndim(num_results) or np.ndim(skip):
            raise invalid("dim, num_results and skip must be scalars")
        size, count, first = int(dim), int(num_results), int(skip)
        if size < 1:
            raise invalid("dim must be at least one")
        if count < 1:
            raise invalid("num_results must be at least one")
        if first < 0:
            raise invalid("skip must be non-negative")
        if size > _MOST_DIMENSIONS:
            raise invalid(f"dim must be at most {_MOST_DIMENSIONS}")
        if size * count > _MOST_NUMBERS or first + count >= _END:
            raise invalid(f"There are no {count} points of {size} dimensions behind {first} others")
        from scipy.stats import qmc

        sequence = qmc.Sobol(size, scramble=False, bits=32)
        sequence.fast_forward(first + 1)
        return sequence.random(count).astype(dtype, copy=False)

    return run
