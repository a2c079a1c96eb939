"""Kernels of a step of a GRU that is one op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise.quick import quick
from dataflow.kernels.sequences.lstm import sigmoid
from dataflow.values import dtypes

_TYPES = {"T": (dtypes.float32,)}
_RANKS = (("x", 2), ("h_prev", 2), ("w_ru", 2), ("w_c", 2), ("b_ru", 1), ("b_c", 1))


def _check(inputs: Sequence[Any]) -> None:
    """Fails unless inputs have the sizes of one another."""
    for (name, rank), value in zip(_RANKS, inputs, strict=True):
        if value.ndim != rank:
            raise invalid(f"Rank of {name} must be {rank}, got {value.ndim}")
    x, h, w_ru, w_c, b_ru, b_c = inputs
    batch, units = x.shape[0], h.shape[1]
    for what, found, expected in (
        ("h_prev.dims(0) != batch_size", h.shape[0], batch),
        ("w_ru.dim_size(0) != input_size + cell_size", w_ru.shape[0], x.shape[1] + units),
        ("w_ru.dim_size(1) != cell_size * 2", w_ru.shape[1], units * 2),
        ("w_c.dim_size(0) != input_size + cell_size", w_c.shape[0], x.shape[1] + units),
        ("w_c.dim_size(1) != cell_size", w_c.shape[1], units),
        ("b_ru.dim_size(0) != cell_size * 2", b_ru.shape[0], units * 2),
        ("b_c.dim_size(0) != cell_size", b_c.shape[0], units),
    ):
        if found != expected:
            raise invalid(f"{what}: {found} vs. {expected}")


@kernel("GRUBlockCell", dtypes=_TYPES)
def gru_block_cell(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        _check(inputs)
        x, h, w_ru, w_c, b_ru, b_c = inputs
        gates = sigmoid(xp, xp.concatenate([x, h], 1) @ w_ru + b_ru)
        r, u = gates[:, : h.shape[1]], gates[:, h.shape[1] :]
        c = quick(xp).tanh(xp.concatenate([x, r * h], 1) @ w_c + b_c)
        return r, u, c, u * h + (1 - u) * c

    return run


@kernel("GRUBlockCellGrad", dtypes=_TYPES)
def gru_block_cell_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        _check(inputs[:6])
        x, h, w_ru, w_c, _, _, *parts = inputs
        for name, value in zip(("r", "u", "c", "d_h"), parts, strict=True):
            if value.shape != h.shape:
                raise invalid(
                    f"{name} has shape {list(value.shape)}, and should have {list(h.shape)}"
                )
        r, u, c, d_h = parts
        size = x.shape[1]
        d_c = d_h * (1 - u) * (1 - c * c)
        of_candidate = d_c @ w_c.T
        d_seen = of_candidate[:, size:]
        d_r = d_seen * h * r * (1 - r)
        d_u = d_h * (h - c) * u * (1 - u)
        d_gates = xp.concatenate([d_r, d_u], 1)
        of_gates = d_gates @ w_ru.T
        d_x = of_candidate[:, :size] + of_gates[:, :size]
        return d_x, of_gates[:, size:] + d_h * u + d_seen * r, d_c, d_gates

    return run
