"""Kernels that find the place of an extreme element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.reductions.parts import LARGE
from dataflow.kernels.threads.parallel import split_rows
from dataflow.values import dtypes

_ORDERED = (*REAL, dtypes.bool)

_ROWS: Final = 64
"""Rows from which several threads may share them."""
_SECONDS: Final = 5e-10
"""What an element takes, about."""


@kernel("ArgMax", "ArgMin", dtypes={"T": _ORDERED}, host_inputs=("dimension",))
def arg(node: KernelNode, xp: Any) -> Callable[..., Any]:
    find = xp.argmax if node.op == "ArgMax" else xp.argmin
    dtype = node.attr("output_type").as_numpy_dtype

    def run(x: Any, dimension: Any) -> Any:
        if dimension.ndim:
            raise invalid(
                f"dim must be a scalar, but received tensor of shape: {shape_text(dimension.shape)}"
            )
        axis, rank = int(dimension), x.ndim
        if not -rank <= axis < rank:
            raise invalid(f"Expected dimension in the range [{-rank}, {rank}), but got {axis}")
        if not x.shape[axis]:
            raise invalid(f"Reduction axis {axis} is empty in shape {shape_text(x.shape)}")
        if xp is np and x.size >= LARGE and rank > 1 and x.shape[0] >= _ROWS and axis % rank:
            found = np.empty(x.shape[: axis % rank] + x.shape[axis % rank + 1 :], dtype)

            def part(rows: slice) -> None:
                found[rows] = find(x[rows], axis=axis)

            split_rows(x.shape[0], x.size, _SECONDS, part)
            return found
        return find(x, axis=axis).astype(dtype)

    return run
