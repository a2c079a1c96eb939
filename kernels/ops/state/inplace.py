"""Kernels of tensors with some of their rows changed: inputs are never written to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes


@kernel("InplaceUpdate", device="CPU", dtypes={"T": (*NUMBERS, dtypes.bool, dtypes.string)})
@kernel("InplaceAdd", "InplaceSub", device="CPU", dtypes={"T": NUMBERS})
def changed(node: KernelNode, xp: Any) -> Callable[..., Any]:
    op = {"InplaceAdd": np.add, "InplaceSub": np.subtract}.get(node.op)

    def run(x: Any, i: Any, v: Any) -> Any:
        if i.ndim != 1:
            raise invalid(f"i must be a vector. {shape_text(i.shape)}")
        have, given = shape_text(np.shape(x)), shape_text(np.shape(v))
        if np.ndim(x) != np.ndim(v) or not np.ndim(x):
            raise invalid(f"x and v shape doesn't match (ranks differ): {have} vs. {given}")
        for axis in range(1, x.ndim):
            if x.shape[axis] != v.shape[axis]:
                raise invalid(f"x and v shape doesn't match at index {axis} : {have} vs. {given}")
        if len(i) != len(v):
            raise invalid(
                f"i and x shape doesn't match at index 0: {shape_text(i.shape)} vs. {given}"
            )
        found = x.copy()
        if not len(i):
            return found
        if not len(x):
            raise invalid("There are no rows that could be changed.")
        rows = i % len(x)
        if op is not None:
            op.at(found, rows, v)
            return found
        # Of several values for a row the last one stays.
        for row, value in zip(rows.tolist(), v, strict=True):
            found[row] = value
        return found

    return run
