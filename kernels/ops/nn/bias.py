"""Kernels of the bias vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import accumulator, module_for
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.elementwise.formula import steps_of, tells
from dataflow.kernels.reductions.channels import as_long_rows, channel_sum, map_rows, repeated

_FEW_ROWS: Final = 128
"""Rows up to which it costs little that each of them is started anew."""
_LARGE: Final = 1 << 18
"""Elements from which several threads may add."""


@kernel("BiasAdd", "BiasAddV1")
def bias_add(node: KernelNode, xp: Any) -> Callable[..., Any]:
    add = module_for(xp, node.input_dtypes[0]).add
    if node.op == "BiasAdd" and node.attr("data_format") == b"NCHW":

        def run_channels_first(value: Any, bias: Any) -> Any:
            _check(value, bias, 1)
            return add(value, bias.reshape((-1,) + (1,) * (value.ndim - 2)))

        return run_channels_first

    def run(value: Any, bias: Any) -> Any:
        _check(value, bias, -1)
        if value.size <= _FEW_ROWS * bias.size:
            return add(value, bias)
        rows = as_long_rows(value)
        long = repeated(bias, rows)
        if rows.size < _LARGE:
            return add(rows, long).reshape(value.shape)
        y = map_rows(xp, rows, value.dtype, lambda part, out: add(rows[part], long, out=out))
        return y.reshape(value.shape)

    return tells(run, steps_of(_biased, 2))


def _biased(xp: Any, value: Any, bias: Any) -> Any:
    return value + bias


def _check(value: Any, bias: Any, axis: int) -> None:
    if value.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {shape_text(value.shape)}")
    if bias.ndim != 1:
        raise invalid(f"Biases must be 1D: {shape_text(bias.shape)}")
    if bias.shape[0] != value.shape[axis]:
        raise invalid(
            "Must provide as many biases as the last dimension of the input tensor: "
            f"{shape_text(bias.shape)} vs. {shape_text(value.shape)}"
        )


@kernel("BiasAddGrad")
def bias_add_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    result = node.output_dtypes[0].as_numpy_dtype
    dtype = accumulator(node.output_dtypes[0])
    channels_first = node.attr("data_format") == b"NCHW"

    def run(grad: Any) -> Any:
        if grad.ndim < 2:
            raise invalid(f"Input tensor must be at least 2D: {shape_text(grad.shape)}")
        if channels_first:
            axes = tuple(axis for axis in range(grad.ndim) if axis != 1)
            total = grad.sum(axis=axes, dtype=dtype)
        else:
            total = channel_sum(grad, dtype)
        return total.astype(result, copy=False)

    return run
