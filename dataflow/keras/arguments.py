"""What constructors of layers take: kept as attributes, made of names, told again as a config."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from dataflow.keras import activations, constraints, initializers, regularizers
from dataflow.keras.objects import serialize_keras_object

_KINDS: dict[str, Any] = {
    "activation": activations,
    "constraint": constraints,
    "initializer": initializers,
    "regularizer": regularizers,
}
_OF_EVERY_LAYER = ("self", "name", "trainable", "dtype", "kwargs")


def _kind(name: str) -> Any:
    return _KINDS.get(name.rpartition("_")[2])


def takes_arguments(init: Callable[..., None], signature: Any = None) -> Callable[..., None]:
    """Decorates a constructor: its arguments become attributes, and `config_of` tells them.

    Functions and objects that are given by name or configuration are made of these: what is
    called `..._initializer`, `..._regularizer`, `..._constraint` or `..._activation`.

    Args:
      init: The constructor.
      signature: How it is called, if that is not as it says itself.
    """
    known = signature or inspect.signature(init)

    @functools.wraps(init)
    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            bound = known.bind(self, *args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}.__init__() {error}") from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if name in _OF_EVERY_LAYER:
                continue
            kind = _kind(name)
            if kind is not None:
                bound.arguments[name] = value = kind.get(value)
            if not isinstance(getattr(type(self), name, None), property):
                object.__setattr__(self, name, value)
            elif name == "activity_regularizer":
                object.__setattr__(self, _private(name), value)
        init(*bound.args, **bound.kwargs)

    construct.__signature__ = known  # type: ignore[attr-defined]
    construct.config_names = [  # type: ignore[attr-defined]
        name for name in known.parameters if name not in _OF_EVERY_LAYER
    ]
    return construct


def _private(name: str) -> str:
    """The attribute of an argument; the regularizer of outputs is a property."""
    return "_activity_regularizer" if name == "activity_regularizer" else name


def config_of(layer: Any) -> dict[str, Any]:
    """The arguments of the nearest constructor that `takes_arguments`, as plain values."""
    for cls in type(layer).__mro__:
        names = getattr(vars(cls).get("__init__"), "config_names", None)
        if names is not None:
            return {name: _told(name, getattr(layer, _private(name))) for name in names}
    return {}


def _told(name: str, value: Any) -> Any:
    kind = _kind(name)
    if kind is not None:
        return kind.serialize(value) if value is not None else None
    if isinstance(value, (list, tuple)):
        return type(value)(_told("", each) for each in value)
    return serialize_keras_object(value) if hasattr(value, "get_config") else value
