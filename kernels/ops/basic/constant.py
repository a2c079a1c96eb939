"""Kernels of constants and of placeholders that nobody fed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.registry import KernelNode, kernel


@kernel("Const")
def const(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The attr's value, brought to the device once."""
    value = node.attr("value")
    if value.dtype != object:
        value = xp.asarray(value)
    return lambda: value


@kernel("Placeholder", "PlaceholderV2")
def placeholder(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """An error: a placeholder that runs was not fed."""
    dtype, shape = node.attr("dtype"), node.attr("shape")
    known = f" and shape [{_dims(shape.dims_tuple)}]" if shape.rank else ""
    names = {"float32": "float", "float64": "double", "float16": "half"}

    def refuse() -> Any:
        raise InvalidArgumentError(
            None,
            None,
            f"You must feed a value for placeholder tensor '{node.name}' with dtype "
            f"{names.get(dtype.name, dtype.name)}{known}",
        )

    return refuse


def _dims(dims: tuple[int | None, ...]) -> str:
    return ",".join("?" if d is None else str(d) for d in dims)
