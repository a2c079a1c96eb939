"""Kernels of optional values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.lists.optional import NOTHING, Optional
from dataflow.kernels.lists.partial_shapes import agree
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


@kernel("OptionalFromValue", passes=True)
def from_value(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Keeps the tensors themselves: nobody writes to them."""
    dtypes = tuple(dtype.base_dtype for dtype in node.input_dtypes)
    return lambda *components: Optional(components, dtypes)


@kernel("OptionalNone")
def none(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda: NOTHING


@kernel("OptionalHasValue", host_outputs=("has_value",))
def has_value(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda optional: np.bool_(_checked(optional, node.op).components is not None)


@kernel("OptionalGetValue", passes=True)
def get_value(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtypes: tuple[DType, ...] = node.attr("output_types")
    shapes: tuple[TensorShape, ...] = node.attr("output_shapes")
    number = len(dtypes)

    def run(optional: Any) -> Any:
        components = _checked(optional, node.op).components
        if components is None:
            raise invalid("The given optional does not have a value.")
        if len(components) != number:
            raise invalid(f"The given optional has {len(components)} components, expected {number}")
        for index, (have, want) in enumerate(zip(optional.dtypes, dtypes, strict=True)):
            if have is not want:
                raise invalid(
                    f"The given optional does not match the expected type for component {index}. "
                    f"Expected: {type_name(want)}. Actual: {type_name(have)}."
                )
        for index, (value, shape) in enumerate(zip(components, shapes, strict=True)):
            if not agree(shape.dims_tuple, getattr(value, "shape", ())):
                raise invalid(
                    f"The given optional does not match the expected shape for component {index}. "
                    f"Expected: {_shown(shape)}. Actual: {shape_text(value.shape)}."
                )
        return components if number > 1 else components[0]

    return run


def _checked(value: Any, op: str) -> Optional:
    if not isinstance(value, Optional):
        raise invalid(f"Input to {op} must be an OptionalVariant object.")
    return value


def _shown(shape: TensorShape) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in shape.dims_tuple or ()) + "]"
