"""Kernel of places as coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


@kernel("UnravelIndex", host_inputs=("indices", "dims"), host_outputs=("output",))
def unravel_index(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = np.dtype(node.attr("Tidx").as_numpy_dtype)

    def run(indices: Any, dims: Any) -> Any:
        if np.ndim(indices) > 1:
            shape = shape_text(np.shape(indices))
            raise invalid(f'The indices can only be scalar or vector, got "{shape}"')
        if np.ndim(dims) != 1:
            raise invalid(f'The indices can only be 1-D, got "{shape_text(np.shape(dims))}"')
        if not np.size(indices):
            raise invalid(
                f"received empty tensor indices: Tensor<type: {dtype.name} shape: [0] values: >"
            )
        sizes = dims.tolist()
        for place, size in enumerate(sizes):
            if not size:
                raise invalid(
                    "Input dims cannot contain a dim of zero, but dims contains zero at index "
                    f"{place}"
                )
            if size < 0:
                raise invalid(f"Input dims cannot be negative. Got dim = {size} at index {place}")
        count = math.prod(sizes)
        if count > np.iinfo(dtype).max:
            shown = " ".join(map(str, sizes))
            raise invalid(f"Input dims product is causing integer overflow: ({shown})")
        if not sizes:
            return np.empty((0, *np.shape(indices)), dtype)
        if (np.asarray(indices) >= count).any():
            raise invalid("index is out of bound as with dims")
        rows, rest = [], np.asarray(indices)
        for place in range(len(sizes)):
            below = math.prod(sizes[place + 1 :])
            # Rounds towards zero, as C does.
            whole = np.abs(rest) // below * np.sign(rest)
            rows.append(whole)
            rest = rest - whole * below
        return np.stack(rows).astype(dtype)

    return run
