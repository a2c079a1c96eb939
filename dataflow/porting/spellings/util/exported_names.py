"""tensorflow.python.util.tf_export: the public names that functions, classes and constants have."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from dataflow.porting.spellings.decorators import kwarg_only as kwarg_only
from dataflow.porting.spellings.util.wrappers import unwrap

_F = TypeVar("_F")
ESTIMATOR_API_NAME: Final = "estimator"
KERAS_API_NAME: Final = "keras"
TENSORFLOW_API_NAME: Final = "tensorflow"
SUBPACKAGE_NAMESPACES: Final = [ESTIMATOR_API_NAME]
"""Beginnings of names that belong to another interface than TensorFlow's own."""


class _Attributes(NamedTuple):
    names: str
    constants: str


API_ATTRS: Final = {
    TENSORFLOW_API_NAME: _Attributes("_tf_api_names", "_tf_api_constants"),
    ESTIMATOR_API_NAME: _Attributes("_estimator_api_names", "_estimator_api_constants"),
    KERAS_API_NAME: _Attributes("_keras_api_names", "_keras_api_constants"),
}
"""Interface -> the attributes that hold names in it, of functions and classes and of modules."""
API_ATTRS_V1: Final = {
    api: _Attributes(*(f"{attribute}_v1" for attribute in attributes))
    for api, attributes in API_ATTRS.items()
}
"""The same for names that only TensorFlow 1 has."""


class SymbolAlreadyExposedError(Exception):
    """A function or class has public names already."""


class InvalidSymbolNameError(Exception):
    """A name does not belong to the interface."""


class api_export:
    """A decorator that notes the public names of a function or class."""

    def __init__(self, *args: str, **kwargs: Any) -> None:
        """Takes the names.

        Args:
          *args: The names.
          **kwargs: `v1`, the names in TensorFlow 1 if they are others; `overrides`, functions that
            give up their names; `api_name`, the interface; `allow_multiple_exports`, whether what
            has names gets these in their place.

        Raises:
          InvalidSymbolNameError: A name belongs to another interface.
        """
        self._names = args
        self._names_v1 = kwargs.get("v1", args)
        self._api_name = kwargs.get("api_name", TENSORFLOW_API_NAME)
        self._overrides = kwargs.get("overrides", [])
        self._allow_multiple_exports = kwargs.get("allow_multiple_exports", False)
        self._validate_symbol_names()

    def _validate_symbol_names(self) -> None:
        names = {*self._names, *self._names_v1}
        if self._api_name == TENSORFLOW_API_NAME:
            foreign = [n for n in names if n.startswith(tuple(SUBPACKAGE_NAMESPACES))]
        else:
            foreign = [n for n in names if not n.startswith(self._api_name)]
        if foreign and self._api_name == TENSORFLOW_API_NAME:
            raise InvalidSymbolNameError(
                f"@tf_export is not allowed to export symbols under {foreign[0].split('.')[0]}.*"
            )
        if foreign:
            raise InvalidSymbolNameError(
                f"Can only export symbols under package name of component. e.g. "
                f"tensorflow_estimator must export all symbols under tf.estimator: {foreign[0]}"
            )

    def __call__(self, func: _F) -> _F:
        """Notes the names of a function or class.

        Raises:
          SymbolAlreadyExposedError: It has some.
        """
        attributes, of_v1 = API_ATTRS[self._api_name], API_ATTRS_V1[self._api_name]
        for other in self._overrides:
            below = unwrap(other)[1]
            for name in (attributes.names, of_v1.names):
                if name in vars(below):
                    delattr(below, name)
        below = unwrap(func)[1]
        self.set_attr(below, attributes.names, self._names)
        self.set_attr(below, of_v1.names, self._names_v1)
        return func

    def set_attr(self, func: Any, api_names_attr: str, names: Sequence[str]) -> None:
        """Notes names in an attribute.

        Raises:
          SymbolAlreadyExposedError: There are some in it.
        """
        given = getattr(func, "__dict__", {}).get(api_names_attr)
        if given is not None and not self._allow_multiple_exports:
            raise SymbolAlreadyExposedError(
                f"Symbol {func.__name__} is already exposed as {given}."
            )
        setattr(func, api_names_attr, names)

    def export_constant(self, module_name: str, name: str) -> None:
        """Notes in a module that a constant of it has the names."""
        module: Any = sys.modules[module_name]
        for attributes, names in (
            (API_ATTRS[self._api_name], self._names),
            (API_ATTRS_V1[self._api_name], self._names_v1),
        ):
            if not hasattr(module, attributes.constants):
                setattr(module, attributes.constants, [])
            getattr(module, attributes.constants).append((names, name))


tf_export = functools.partial(api_export, api_name=TENSORFLOW_API_NAME)
estimator_export = functools.partial(api_export, api_name=ESTIMATOR_API_NAME)
keras_export = functools.partial(api_export, api_name=KERAS_API_NAME)


def get_v1_names(symbol: Any) -> list[str]:
    """The names of a function or class in TensorFlow 1, its own and the estimators'."""
    return _noted(symbol, API_ATTRS_V1)


def get_v2_names(symbol: Any) -> list[str]:
    """The names of a function or class in TensorFlow 2, its own and the estimators'."""
    return _noted(symbol, API_ATTRS)


def get_v1_constants(module: Any) -> list[Any]:
    """For the constants of a module: the names in TensorFlow 1, and the constant's own."""
    return _of_module(module, API_ATTRS_V1)


def get_v2_constants(module: Any) -> list[Any]:
    """For the constants of a module: the names in TensorFlow 2, and the constant's own."""
    return _of_module(module, API_ATTRS)


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = TENSORFLOW_API_NAME, add_prefix_to_v1_names: bool = False
) -> str | None:
    """The name to call a function or class by, or None if it has none.

    Args:
      symbol: The function or class.
      api_name: The interface.
      add_prefix_to_v1_names: Whether a name that only TensorFlow 1 has begins with compat.v1.
    """
    noted = getattr(unwrap(symbol)[1], "__dict__", {})
    of_v2 = noted.get(API_ATTRS[api_name].names)
    found = get_canonical_name(of_v2, None) if of_v2 else None
    if found:
        return found
    of_v1 = get_canonical_name(noted.get(API_ATTRS_V1[api_name].names, ()), None)
    return f"compat.v1.{of_v1}" if of_v1 and add_prefix_to_v1_names else of_v1


def get_canonical_name(api_names: Iterable[str], deprecated_api_names: Any) -> str | None:
    """The first of names that is not on its way out, or of all."""
    gone = deprecated_api_names or ()
    names = [*api_names]
    return next((name for name in names if name not in gone), names[0] if names else None)


def _noted(symbol: Any, attributes: dict[str, _Attributes]) -> list[str]:
    kept = getattr(symbol, "__dict__", {})
    apis = (TENSORFLOW_API_NAME, ESTIMATOR_API_NAME)
    return [name for api in apis for name in kept.get(attributes[api].names, ())]


def _of_module(module: Any, attributes: dict[str, _Attributes]) -> list[Any]:
    apis = (TENSORFLOW_API_NAME, ESTIMATOR_API_NAME)
    return [each for api in apis for each in getattr(module, attributes[api].constants, ())]
