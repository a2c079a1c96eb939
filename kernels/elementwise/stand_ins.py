"""What stands in for arrays and numbers while a formula is run to see what it computes.

The stand-ins know elementwise arithmetic. Whatever does anything else has no formula.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

Arguments = Sequence[Any]
"""What numbers are computed from."""


class NoFormula(Exception):
    """There is more than elementwise arithmetic."""


class Arithmetic:
    """Python's operators, either way round."""

    __slots__ = ()
    __array_ufunc__ = None
    """numpy's numbers leave their operators to these."""

    def __add__(self, other: Any) -> Any:
        return apply("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return apply("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return apply("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return apply("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return apply("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return apply("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return apply("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return apply("divide", other, self)

    def __neg__(self) -> Any:
        return apply("negative", self)

    def __lt__(self, other: Any) -> Any:
        return apply("less", self, other)

    def __le__(self, other: Any) -> Any:
        return apply("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return apply("greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return apply("greater_equal", self, other)

    def __and__(self, other: Any) -> Any:
        return apply("logical_and", self, other)

    def __bool__(self) -> bool:
        raise NoFormula("It depends on a value.")

    def read(self) -> Array | Number:
        """What stands for its value now."""
        raise NotImplementedError


class Number(Arithmetic):
    """Stands in for a value that is the same for all elements, and may differ from step to step."""

    __slots__ = ("compute", "is_one")

    def __init__(self, compute: Callable[[Arguments], Any], is_one: bool = False) -> None:
        self.compute: Final = compute
        """Its value for some arguments."""
        self.is_one: Final = is_one
        """It is 1 in all steps."""

    def read(self) -> Number:
        """Itself."""
        return self


class Array(Arithmetic):
    """Stands in for an array."""

    __slots__ = ("operands", "operation", "uses")

    dtype: Final = np.dtype(np.float32)

    def __init__(self, operation: str, operands: tuple[Array | Number, ...] = ()) -> None:
        """Makes what an operation makes of its operands; "" for one that is given."""
        self.operation: Final = operation
        """The name of a function of numpy's."""
        self.operands: Final = operands
        self.uses = 0
        """How many others are made of it."""
        for operand in operands:
            if isinstance(operand, Array):
                operand.uses += 1

    def read(self) -> Array:
        """Itself."""
        return self


class _Functions:
    """Stands in for numpy."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _FUNCTIONS:
            raise NoFormula(f"It calls {name}.")
        return lambda *operands: apply(name, *operands)


FUNCTIONS: Final[Any] = _Functions()

_FUNCTIONS: Final = frozenset(
    {
        *("absolute", "abs", "square", "sqrt", "reciprocal", "negative", "floor"),
        *("exp", "log", "log1p", "maximum", "minimum", "equal", "where"),
    }
)
_OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
}
"""Of numbers, which may be Python's own."""


def operand_of(value: Any) -> Array | Number:
    """A value as an operand.

    Raises:
      NoFormula: It is none of a known type.
    """
    if isinstance(value, Arithmetic):
        return value.read()
    if type(value) in (np.float32, int, float):
        return Number(lambda _: value, is_one=bool(value == 1))
    raise NoFormula("It computes with something of another type.")


def apply(operation: str, *values: Any) -> Array | Number:
    """What stands for the result of a function of numpy's."""
    operands = tuple(map(operand_of, values))
    numbers = [one for one in operands if isinstance(one, Number)]
    if len(numbers) < len(operands):
        return Array("absolute" if operation == "abs" else operation, operands)
    function = _OPERATORS.get(operation, getattr(np, operation))
    if function in (np.less, np.less_equal, np.greater, np.greater_equal, np.logical_and):
        raise NoFormula("It compares numbers.")
    return Number(lambda arguments: function(*[one.compute(arguments) for one in numbers]))
