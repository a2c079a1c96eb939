"""Kernels of special functions, on cupyx."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupyx.scipy.special

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise import special as functions

_special: Any = cupyx.scipy.special


def _register(op: str, bind: Callable[[KernelNode, Any], Callable[..., Any]]) -> None:
    kernel(op, device="GPU", elementwise=True, dtypes=functions.types_of(op))(bind)


def _named(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return functions.in_type(node, getattr(_special, functions.UNARY[node.op]))


def _binary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return functions.in_type(node, functions.binary(node.op, _special, xp))


for _op, _name in (*functions.UNARY.items(), *functions.BINARY.items()):
    # cupyx lacks some; placement then falls back on the CPU, or says so.
    if hasattr(_special, _name):
        _register(_op, _binary if _op in functions.BINARY else _named)


def _lgamma(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return functions.in_type(node, functions.lgamma(_special, xp))


def _digamma(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return functions.in_type(node, functions.digamma(_special, xp))


def _polygamma(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return functions.in_type(node, functions.polygamma(_special, xp))


_register("Lgamma", _lgamma)
_register("Digamma", _digamma)
_register("Polygamma", _polygamma)
