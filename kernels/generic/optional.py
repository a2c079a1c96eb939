"""Kernels of optional values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.invalid import invalid
from dataflow.kernels.optional import NOTHING, Optional
from dataflow.kernels.registry import KernelNode, kernel


@kernel("OptionalFromValue", aliases_input=True)
def from_value(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Keeps the tensors themselves: nobody writes to them."""
    return lambda *components: Optional(components)


@kernel("OptionalNone")
def none(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda: NOTHING


@kernel("OptionalHasValue", host_outputs=("has_value",))
def has_value(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda optional: np.bool_(_checked(optional).components is not None)


@kernel("OptionalGetValue", aliases_input=True)
def get_value(node: KernelNode, xp: Any) -> Callable[..., Any]:
    number = len(node.attr("output_types"))

    def run(optional: Any) -> Any:
        components = _checked(optional).components
        if components is None:
            raise invalid("The given optional does not have a value.")
        if len(components) != number:
            raise invalid(
                f"The given optional has {len(components)} components, expected {number}."
            )
        return components if number > 1 else components[0]

    return run


def _checked(value: Any) -> Optional:
    if not isinstance(value, Optional):
        raise invalid("OptionalVariant was expected, but the variant holds another kind of value.")
    return value
