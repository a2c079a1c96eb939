"""Kernels of random numbers that their inputs decide on alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.random.stateful import check_multinomial, running_weights
from dataflow.kernels.random.philox import uniform_float64
from dataflow.kernels.random.scrambled import scrambled


@kernel(
    "StatelessMultinomial",
    host_inputs=("logits", "num_samples", "seed"),
    host_outputs=("output",),
)
def stateless_multinomial(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype

    def draw(logits: Any, num_samples: Any, seed: Any) -> Any:
        check_multinomial(logits, num_samples)
        if np.shape(seed) != (2,):
            raise invalid(f"seed must have shape [2], not {shape_text(np.shape(seed))}")
        rows, count = len(logits), int(num_samples)
        totals, _ = running_weights(np.asarray(logits).astype(np.float64))
        words = scrambled(seed).words(2 * rows * count)
        targets = uniform_float64(words[0::2], words[1::2]).reshape(rows, count) * totals[:, -1:]
        picks = np.empty((rows, count), dtype)
        for pick, total, target in zip(picks, totals, targets, strict=True):
            pick[:] = total.searchsorted(target, "right")
        return picks

    return draw
