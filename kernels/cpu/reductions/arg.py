"""The kernels that find the place of an extreme element, in many rows by several threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.reductions import arg as generic
from dataflow.kernels.reductions.parts import LARGE
from dataflow.kernels.threads.parallel import split_rows

_ROWS: Final = 64
"""Rows from which several threads may share them."""
_SECONDS: Final = 5e-10
"""What an element takes, about."""


@override(generic.arg, device="CPU")
def arg(node: KernelNode, xp: Any) -> Callable[..., Any]:
    search = generic.searching(node, np)
    dtype = node.attr("output_type").as_numpy_dtype

    def find(x: Any, axis: int) -> Any:
        rank = x.ndim
        if x.size < LARGE or rank == 1 or x.shape[0] < _ROWS or not axis % rank:
            return search(x, axis).astype(dtype)
        found = np.empty(x.shape[: axis % rank] + x.shape[axis % rank + 1 :], dtype)

        def part(rows: slice) -> None:
            found[rows] = search(x[rows], axis)

        split_rows(x.shape[0], x.size, _SECONDS, part)
        return found

    return generic.arg_by(find)
