"""What the kernels of optimizers check before they write, with TensorFlow's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dataflow.errors import InternalError
from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.optimizers.rule import Rule

GRADIENTS: Final = ("grad", "delta")
"""What the gradient is called among a rule's arguments."""

_SHOWN: Final = {
    "l1": "l1 regularization strength",
    "l2": "l2 regularization strength",
    "l2_shrinkage": "l2 shrinkage regularization strength",
}
_LIMITS: Final = {
    "positive": lambda value: value > 0,
    "non-negative": lambda value: value >= 0,
    "non-positive": lambda value: value <= 0,
}


def check_scalars(xp: Any, rule: Rule, arguments: Mapping[str, Any], may_be_zero: bool) -> None:
    """Checks the hyperparameters of an update.

    Args:
      xp: The array module.
      rule: The rule.
      arguments: Its arguments by name.
      may_be_zero: A learning rate of zero is taken where it must be positive.

    Raises:
      InvalidArgumentError: One is no scalar, or out of bounds.
    """
    for name, value in arguments.items():
        if name in GRADIENTS or name == "indices":
            continue
        limit = (rule.limits or {}).get(name, "")
        # On a GPU looking at the value would stop the host until all before it is done.
        fits = xp is not np or not limit or np.ndim(value) or _LIMITS[limit](value)
        if np.ndim(value) or not (fits or (may_be_zero and not value)):
            kind = f"{limit} " if limit else ""
            extra = ""
            if limit == "positive" and "lr_power" in arguments:
                extra = " (or zero if multiply_linear_by_lr is set)"
            raise invalid(
                f"{_SHOWN.get(name, name)} is not a {kind}scalar{extra}: "
                f"{shape_text(np.shape(value))}"
            )


def check_initialized(rule: Rule, cells: Sequence[Any], values: Sequence[Any]) -> None:
    """Raises InternalError if a variable or slot holds no value."""
    for cell, value in zip(cells, values, strict=True):
        if value is None:
            raise InternalError(
                None,
                None,
                f"Invalid variable reference. Variable {cell.path} holds no value: run its "
                "initializer first.",
            )


def check_slots(rule: Rule, values: Sequence[Any]) -> None:
    """Raises InvalidArgumentError if a slot differs from the variable in shape."""
    shape = np.shape(values[0])
    if all(np.shape(slot) == shape for slot in values[1:]):
        return
    for name, slot in zip(rule.variables.split()[1:], values[1:], strict=True):
        check_same_shape(shape, name, np.shape(slot))


def check_same_shape(shape: tuple[int, ...], name: str, other: tuple[int, ...]) -> None:
    """Raises InvalidArgumentError if what is called `name` differs from the variable in shape."""
    if shape != other:
        raise invalid(
            f"var and {name} do not have the same shape{shape_text(shape)} {shape_text(other)}"
        )


def check_rows(xp: Any, rule: Rule, shape: tuple[int, ...], grad: Any, indices: Any) -> None:
    """Checks that there is a gradient for each index, of the shape of a row, and that it exists.

    Raises:
      InvalidArgumentError: They do not fit a variable of this shape.
    """
    if not shape:
        raise invalid("var must be at least 1 dimensional")
    if np.ndim(indices) != 1:
        raise invalid("indices must be one-dimensional")
    given = np.shape(grad)
    for axis, size in enumerate(shape[1:], start=1):
        if axis >= len(given) or given[axis] != size:
            raise invalid(f"var and grad must match in dimension {axis}")
    if len(given) != len(shape) or given[0] != len(indices):
        raise invalid("grad must be the same size as indices in the first dimension.")
    if rule.needs_elements and 0 in shape[1:]:
        raise invalid("Inner dimension should be greater than zero.")
    if are_below(indices, shape[0]):
        return
    bad = (indices < 0) | (indices >= shape[0])
    if xp.any(bad):
        at = int(xp.argmax(bad))
        raise invalid(f"Index {int(indices[at])} at offset {at} in indices is out of range")
