"""Layers as functions: tf.layers.conv2d makes a tf.layers.Conv2D and calls it once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any

from dataflow.graph.tracebacks import shortened
from dataflow.library.layers.naming import class_name


def function_of(layer: type, shares: bool = True) -> Callable[..., Any]:
    """The function that makes a layer of a class and calls it.

    It takes the inputs, the arguments of the class and, with `shares`, `reuse`: whether it takes
    the variables of an earlier layer of the same `name`.
    """
    own = [
        each
        for each in inspect.signature(layer).parameters.values()
        if each.kind is not Parameter.VAR_KEYWORD
    ]
    kind = Parameter.POSITIONAL_OR_KEYWORD
    last = [Parameter("reuse", kind, default=None)] if shares else []
    signature = inspect.Signature([Parameter("inputs", kind), *own, *last])

    @shortened
    def call_layer(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{call_layer.__name__}: {error}") from None
        inputs = given.pop("inputs")
        if shares:
            given |= {"_reuse": given.pop("reuse", None), "_scope": given.get("name")}
        return layer(**given)(inputs)

    # The name of the class as layers are named after it.
    call_layer.__name__ = call_layer.__qualname__ = class_name(layer)
    call_layer.__doc__ = f"Makes a `{layer.__name__}` of the arguments and calls it on `inputs`."
    call_layer.__signature__ = signature  # type: ignore[attr-defined]
    return call_layer
