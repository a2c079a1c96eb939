"""Functions of TensorFlow 1 with the arguments in the order, and by the names, that 2.x has."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any, NoReturn

_NOTHING: Mapping[str, Any] = {}


def respelled(
    path: str,
    required: str,
    /,
    *,
    fixed: Mapping[str, Any] = _NOTHING,
    **optional: Any,
) -> Callable[..., Any]:
    """The public function at a path, taking 2.x's arguments.

    Args:
      path: Of the function below this library, such as "nn.conv2d".
      required: The arguments that must be given, in their order. "labels:targets" is one that the
        function calls `targets`.
      fixed: Arguments of the function that 2.x does not let one choose.
      **optional: The others, in their order, with their defaults.
    """
    renamed = dict(word.split(":") for word in required.split() if ":" in word)
    names = [word.split(":")[0] for word in required.split()]
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    parameters += [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default)
        for name, default in optional.items()
    ]
    signature = Signature(parameters)
    name = path.rpartition(".")[2]

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        bound.apply_defaults()
        arguments = {renamed.get(key, key): value for key, value in bound.arguments.items()}
        return _function(path)(**arguments, **fixed)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`tf.{path}`, with the arguments of TensorFlow 2."
    call.__dict__["__signature__"] = signature
    return call


@functools.cache
def _function(path: str) -> Callable[..., Any]:
    module, _, name = f"dataflow.{path}".rpartition(".")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def unavailable(path: str, why: str) -> Callable[..., NoReturn]:
    """A function that says, when it is called, that it is not here and why."""

    def call(*_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(f"dataflow has no tf.compat.v2.{path}: {why}.")

    call.__name__ = call.__qualname__ = path.rpartition(".")[2]
    call.__doc__ = f"Is not here: {why}."
    return call
