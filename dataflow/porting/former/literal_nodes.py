"""The classes of literals that syntax trees had: `Num`, `Str` ... before all were `Constant`."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "Num": (int, float, complex),
    "Str": (str,),
    "Bytes": (bytes,),
    "NameConstant": (bool, type(None)),
    "Ellipsis": (type(...),),
}
"""By class, whose types' values its nodes had."""


def literal_nodes(module: ModuleType) -> None:
    """Gives `ast` or `gast` these classes: constants are instances; a call makes a constant."""
    for name in _TYPES:
        if not hasattr(module, name):
            setattr(module, name, _Former(name, (), {"_constant": module.Constant}))


class _Former(type):
    """A class that has no instances of its own."""

    _constant: Any

    def __instancecheck__(cls, node: Any) -> bool:
        if not isinstance(node, cls._constant):
            return False
        if isinstance(node.value, bool):  # Which is an int, too.
            return cls.__name__ == "NameConstant"
        return isinstance(node.value, _TYPES[cls.__name__])

    def __call__(cls, value: Any = ...) -> Any:
        return cls._constant(value, None)
