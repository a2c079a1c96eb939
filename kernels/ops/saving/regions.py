"""Kernel of constants whose values are files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import InternalError, UnimplementedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.type_names import type_name
from dataflow.values import dtypes
from dataflow.values.system_errors import system_errors


@kernel("ImmutableConst", host_outputs=("tensor",))
def immutable_const(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, shape = node.attr("dtype"), node.attr("shape")
    path = os.fsdecode(node.attr("memory_region_name"))
    if dtype in (dtypes.resource, dtypes.variant):
        raise invalid("Resource and variant dtypes are invalid for this op.")
    if not dtype.size:
        name = type_name(dtype).upper()
        raise UnimplementedError(
            None, None, f"Sorry, DT_{name} is not currently supported for ImmutableConstOp."
        )
    if not shape.is_fully_defined():
        raise invalid(f"The shape of a constant must be known, got {shape}.")
    count = shape.num_elements()

    def run() -> Any:
        with system_errors():
            size, wanted = os.path.getsize(path), count * dtype.size
            if size < wanted:
                raise InternalError(
                    None,
                    None,
                    f"Readonly memory region has wrong length ({size}) when allocating {wanted}",
                )
            return np.fromfile(path, dtype.as_numpy_dtype, count).reshape(shape.as_list())

    return run
