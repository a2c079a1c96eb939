"""Kernels of LSTMs that are one op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.sequences.lstm import Weights, backward, forward
from dataflow.values import dtypes

_TYPES = {"T": (dtypes.float16, dtypes.float32)}


def _check(x: Any, c: Any, h: Any, w: Any, diagonals: Sequence[Any], b: Any) -> None:
    """Fails unless inputs of a step have the sizes of one another."""
    for name, value, rank in (
        ("x", x, 2),
        ("cs_prev", c, 2),
        ("h_prev", h, 2),
        ("w", w, 2),
        *zip(("wci", "wcf", "wco"), diagonals, (1, 1, 1), strict=True),
        ("b", b, 1),
    ):
        if value.ndim != rank:
            raise invalid(f"{name} must be rank {rank} but is rank {value.ndim}")
    batch, units = x.shape[0], c.shape[1]
    _equal("cs_prev.dims(0) != batch_size", c.shape[0], batch)
    _equal("h_prev.dims(0) != batch_size", h.shape[0], batch)
    _equal("h_prev.dims(1) != cell_size", h.shape[1], units)
    _equal("w.dim_size(0) != input_size + cell_size", w.shape[0], x.shape[1] + units)
    _equal("w.dim_size(1) != cell_size * 4", w.shape[1], units * 4)
    _equal("b.dim_size(0) != cell_size * 4", b.shape[0], units * 4)
    for name, value in zip(("wci", "wcf", "wco"), diagonals, strict=True):
        _equal(f"{name}.dim_size(0) != cell_size", value.shape[0], units)


def _equal(what: str, found: int, expected: int) -> None:
    if found != expected:
        raise invalid(f"{what}: {found} vs. {expected}")


def _check_shape(name: str, value: Any, shape: tuple[int, ...]) -> None:
    if value.shape != shape:
        raise invalid(f"{name} has shape {list(value.shape)}, and should have {list(shape)}")


def _wide(values: Sequence[Any]) -> list[Any]:
    """Halves as single precision, in which steps are computed."""
    return [value.astype(np.float32, copy=False) for value in values]


def _weights(inputs: Sequence[Any], node: KernelNode, forget_first: bool = False) -> Weights:
    w, wci, wcf, wco, b = inputs
    peepholes = (wci, wcf, wco) if node.attr("use_peephole") else None
    return Weights(w, peepholes, b, forget_first)


def _cast(values: Sequence[Any], node: KernelNode) -> tuple[Any, ...]:
    dtype = node.output_dtypes[0].as_numpy_dtype
    return tuple(value.astype(dtype, copy=False) for value in values)


@kernel("LSTMBlockCell", dtypes=_TYPES)
def lstm_block_cell(node: KernelNode, xp: Any) -> Callable[..., Any]:
    bias, clip = float(node.attr("forget_bias")), float(node.attr("cell_clip"))

    def run(*inputs: Any) -> Any:
        x, c, h, *rest = inputs
        _check(x, c, h, rest[0], rest[1:4], rest[4])
        x, c, h, *rest = _wide(inputs)
        return _cast(forward(xp, x, c, h, _weights(rest, node), bias, clip), node)

    return run


@kernel("LSTMBlockCellGrad", dtypes=_TYPES)
def lstm_block_cell_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    names = ("i", "cs", "f", "o", "ci", "co", "cs_grad", "h_grad")

    def run(*inputs: Any) -> Any:
        x, c, h, *rest = inputs[:8]
        _check(x, c, h, rest[0], rest[1:4], rest[4])
        for name, value in zip(names, inputs[8:], strict=True):
            _check_shape(name, value, c.shape)
        wide = _wide(inputs)
        weights = _weights(wide[3:8], node)
        before, sums, seen = backward(xp, wide[1], wide[8:14], wide[14], wide[15], weights)
        none = xp.zeros(weights.units, np.float32)
        return _cast((before, sums, *(seen or (none, none, none))), node)

    return run


@kernel("BlockLSTM", "BlockLSTMV2", dtypes=_TYPES, host_inputs=("seq_len_max",))
def block_lstm(node: KernelNode, xp: Any) -> Callable[..., Any]:
    v2 = node.op == "BlockLSTMV2"
    bias = 0.0 if v2 else float(node.attr("forget_bias"))
    clip = float(node.attr("cell_clip"))

    def run(longest: Any, *inputs: Any) -> Any:
        steps = _steps(longest, inputs)
        x, c, h, *rest = _wide(inputs)
        weights = _weights(rest, node, v2)
        size = (*x.shape[:2], weights.units)
        found = [xp.zeros(size, node.output_dtypes[0].as_numpy_dtype) for _ in range(7)]
        for time in range(steps):
            parts = forward(xp, x[time], c, h, weights, bias, clip)
            c, h = parts[1], parts[6]
            for whole, part in zip(found, parts, strict=True):
                whole[time] = part
        return tuple(found)

    return run


def _steps(longest: Any, inputs: Sequence[Any]) -> int:
    """How many steps there are, of inputs that have the sizes of one another."""
    if longest.ndim:
        raise invalid(f"seq_len_max must be a scalar but is rank {longest.ndim}")
    x, c, h, w, *diagonals, b = inputs[:8]
    if x.ndim != 3:
        raise invalid(f"x must be rank 3 but is rank {x.ndim}")
    # Without a step, anything of the shape of one.
    one = x[0] if x.shape[0] else np.broadcast_to(x.dtype.type(0), x.shape[1:])
    _check(one, c, h, w, diagonals, b)
    steps = int(longest)
    if not 0 <= steps <= x.shape[0]:
        raise invalid(f"seq_len_max must be between 0 and {x.shape[0]} but is {steps}")
    return steps


@kernel("BlockLSTMGrad", "BlockLSTMGradV2", dtypes=_TYPES, host_inputs=("seq_len_max",))
def block_lstm_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    names = ("i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad")

    def run(longest: Any, *inputs: Any) -> Any:
        steps = _steps(longest, inputs)
        size = (*inputs[0].shape[:2], inputs[1].shape[1])
        for name, value in zip(names, inputs[8:], strict=True):
            _check_shape(name, value, size)
        x, first_c, first_h, *rest = _wide(inputs)
        weights = _weights(rest[:5], node, node.op == "BlockLSTMGradV2")
        parts, (cs_grads, h_grads) = rest[5:12], rest[12:]
        cs, hs = parts[1], parts[6]
        x_grad, w_grad = xp.zeros_like(x), xp.zeros_like(weights.w)
        c_grad, h_grad = xp.zeros_like(first_c), xp.zeros_like(first_h)
        seen_grads = [xp.zeros(weights.units, np.float32) for _ in range(3)]
        b_grad = xp.zeros_like(weights.b)
        for time in reversed(range(steps)):
            c, h = (cs[time - 1], hs[time - 1]) if time else (first_c, first_h)
            now = [each[time] for each in parts[:6]]
            c_grad, sums, seen = backward(
                xp, c, now, cs_grads[time] + c_grad, h_grads[time] + h_grad, weights
            )
            joined = sums @ weights.w.T
            x_grad[time], h_grad = joined[:, : x.shape[2]], joined[:, x.shape[2] :]
            w_grad += xp.concatenate([x[time], h], 1).T @ sums
            b_grad += sums.sum(0)
            for total, part in zip(seen_grads, seen or (), strict=False):
                total += part
        return _cast((x_grad, c_grad, h_grad, w_grad, *seen_grads, b_grad), node)

    return run
