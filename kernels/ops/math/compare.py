"""Kernels of comparisons and logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import ANY
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes

_FUNCTIONS: Final = {
    "Less": "less",
    "LessEqual": "less_equal",
    "Greater": "greater",
    "GreaterEqual": "greater_equal",
    "LogicalAnd": "logical_and",
    "LogicalOr": "logical_or",
    "LogicalNot": "logical_not",
}
_COMPARABLE = (
    *ANY,
    dtypes.qint8,
    dtypes.quint8,
    dtypes.qint16,
    dtypes.quint16,
    dtypes.qint32,
)


@kernel(*_FUNCTIONS, elementwise=True)
def function(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return getattr(xp, _FUNCTIONS[node.op])  # type: ignore[no-any-return]


@kernel("Equal", "NotEqual", elementwise=True, dtypes={"T": _COMPARABLE})
def equality(node: KernelNode, xp: Any) -> Callable[..., Any]:
    compare = xp.equal if node.op == "Equal" else xp.not_equal
    dtype = node.input_dtypes[0]
    if dtype.is_quantized:
        # A record of one number, that is compared by its number.
        number = dtype.as_numpy_dtype.fields[dtype.base_dtype.name][0]
        records = compare

        def compare(x: Any, y: Any) -> Any:
            return records(x.view(number), y.view(number))

    if node.attr("incompatible_shape_error"):
        return compare  # type: ignore[no-any-return]
    different = np.bool_(node.op == "NotEqual")

    def run(x: Any, y: Any) -> Any:
        try:
            return compare(x, y)
        except ValueError:
            return different

    return run


@kernel("ApproximateEqual", elementwise=True, dtypes={"T": (dtypes.float32, dtypes.float64)})
def approximately_equal(node: KernelNode, xp: Any) -> Callable[..., Any]:
    tolerance = node.input_dtypes[0].as_numpy_dtype(node.attr("tolerance"))

    def run(x: Any, y: Any) -> Any:
        if x.shape != y.shape:
            raise invalid(
                "x and y must be of the same shape. x shape: "
                f"{shape_text(x.shape)}. y shape: {shape_text(y.shape)}",
            )
        return xp.absolute(x - y) < tolerance

    return run
