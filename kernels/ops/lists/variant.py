"""Kernels of ops on values of dtype variant, which know themselves how to be added or zeroed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.values import dtypes

_VARIANT = {"T": (dtypes.variant,)}


@kernel("AddN", dtypes=_VARIANT)
def add_n(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(first: Any, *others: Any) -> Any:
        total = first
        for other in others:
            total = _added(total, other, xp)
        return total

    return run


def _added(a: Any, b: Any, xp: Any) -> Any:
    if type(a) is np.ndarray and type(b) is np.ndarray:
        if a.shape != b.shape:
            raise invalid("Inputs of AddN must have the same size and shape.")
        sums = np.empty(a.shape, object)
        for place in np.ndindex(*a.shape):
            sums[place] = _added(a[place], b[place], xp)
        return sums
    if not hasattr(a, "added_to"):
        raise invalid(
            "No binary variant binary_op function found for binary variant op enum: ADD, Variant "
            f"type_name: {type(a).__name__}"
        )
    return a.added_to(b, xp)


@kernel("ZerosLike", dtypes=_VARIANT)
def zeros_like(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda value: _zeroed(value, xp)


def _zeroed(value: Any, xp: Any) -> Any:
    if type(value) is np.ndarray:
        zeros = np.empty(value.shape, object)
        for place in np.ndindex(*value.shape):
            zeros[place] = _zeroed(value[place], xp)
        return zeros
    if not hasattr(value, "zeros_like"):
        raise invalid(
            "No unary variant unary_op function found for unary variant op enum: ZEROS_LIKE, "
            f"Variant type_name: {type(value).__name__}"
        )
    return value.zeros_like(xp)


@kernel("Conj", dtypes=_VARIANT)
def conj(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _conjugate


def _conjugate(value: Any) -> Any:
    if not hasattr(value, "conjugate") or type(value) is np.ndarray:
        raise invalid(
            "No unary variant unary_op function found for op CONJ Variant type_name: "
            f"{type(value).__name__}"
        )
    return value.conjugate()
