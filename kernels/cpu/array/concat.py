"""The kernels that pack tensors: scalars become a vector at once, and handles are no arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, kernel, override
from dataflow.kernels.lists.stacking import stack_elements
from dataflow.kernels.ops.array import concat as generic
from dataflow.values import dtypes


@override(generic.pack, device="CPU")
def pack(node: KernelNode, xp: Any) -> Callable[..., Any]:
    pack_any = generic.pack(node, xp)

    def run(*values: Any) -> Any:
        for value in values:
            if value.ndim:
                return pack_any(*values)
        return np.array(values)

    is_vector = node.attr("axis") in (-1, 0) and node.output_dtypes[0] != dtypes.string
    return run if is_vector else pack_any


@kernel("Pack", device="CPU", dtypes={"T": (dtypes.resource, dtypes.variant)}, grows=True)
def pack_handles(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """A lone handle is what it stands for; several are an array of objects."""
    pack_arrays = generic.pack(node, xp)

    def run(*values: Any) -> Any:
        if isinstance(values[0], np.ndarray):
            return pack_arrays(*values)
        return stack_elements(np, values, node.output_dtypes[0])

    return run
