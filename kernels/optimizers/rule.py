"""What an update rule of an optimizer is, and what rules are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from dataflow.kernels.contract.element_types import COMPLEX, FLOATS
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

Update = Callable[..., None]
"""`f(variable, *slots, *arguments)`, in the schema's order; writes to the variable and slots."""


class Attrs(Protocol):
    """What a rule may know of its node."""

    def attr(self, name: str) -> Any:
        """Decoded attr value; defaults are filled in."""


Bind = Callable[[Attrs, Any], Update]
"""Takes the node and the array module."""

ANY: Final = (*FLOATS, *COMPLEX)
WIDE: Final = (dtypes.float32, dtypes.float64)


@dataclass(frozen=True, slots=True)
class Rule:
    """How an optimizer changes a variable and what it keeps of it."""

    bind: Bind
    variables: str
    """The variable and its slots, as messages call them, separated by blanks."""
    arguments: str
    """The other inputs of the op, in the schema's order, separated by blanks."""
    types: tuple[DType, ...] = ANY
    """Element types."""
    limits: Mapping[str, str] | None = None
    """Arguments that must be "positive", "non-negative" or "non-positive"."""
    needs_elements: bool = False
    """A row must have elements (sparse rules)."""


def one(array: Any) -> Any:
    """1 of the array's type: Python's could widen a 16-bit float."""
    return array.dtype.type(1)


def zero(array: Any) -> Any:
    """0 of the array's type."""
    return array.dtype.type(0)


def rsqrt(xp: Any, array: Any) -> Any:
    """1 / sqrt(array)."""
    return one(array) / xp.sqrt(array)


class Noted:
    """The attrs of a node, with a note of those that were asked for."""

    def __init__(self, node: Attrs) -> None:
        """Takes the node."""
        self._node = node
        self.asked: Final[dict[str, Any]] = {}
        """Their values by name."""

    def attr(self, name: str) -> Any:
        """Decoded attr value; defaults are filled in."""
        value = self.asked[name] = self._node.attr(name)
        return value


class Chosen:
    """Attrs without a node."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        """Takes their values by name."""
        self._values = values

    def attr(self, name: str) -> Any:
        """Decoded attr value."""
        return self._values[name]
