"""Python's operators on ragged tensors: those of tensors, on elements that are broadcast."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

_BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
_COMPARING: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
_UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "neg": operator.neg,
    "abs": abs,
    "invert": operator.invert,
}


class RaggedOperators:
    """The operators of `RaggedTensor`."""

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")


def _div(x: Any, y: Any) -> Any:
    return x.__div__(y)


def _pair(function: Callable[[Any, Any], Any], is_reflected: bool) -> Callable[[Any, Any], Any]:
    def apply(x: Any, y: Any) -> Any:
        from dataflow.library.ragged.elementwise import binary

        return binary(function, (y, x) if is_reflected else (x, y), {})

    return apply


def _single(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(x: Any) -> Any:
        return x.with_flat_values(function(x.flat_values))

    return apply


for _name, _function in {**_BINARY, "div": _div}.items():
    setattr(RaggedOperators, f"__{_name}__", _pair(_function, False))
    setattr(RaggedOperators, f"__r{_name}__", _pair(_function, True))
for _name, _function in _COMPARING.items():
    setattr(RaggedOperators, f"__{_name}__", _pair(_function, False))
for _name, _of_one in _UNARY.items():
    setattr(RaggedOperators, f"__{_name}__", _single(_of_one))
