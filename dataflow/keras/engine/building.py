"""Building: the call of a model's own that makes its variables when only shapes are known."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from dataflow.errors import InvalidArgumentError
from dataflow.keras import backend, ops
from dataflow.keras.engine import context


def call_on_placeholders(call: Callable[..., Any], shapes: Any) -> None:
    """Calls it on placeholders of floats, in the name scope that is open.

    Args:
      call: A model's bound method.
      shapes: A shape, or a list of shapes for a list of inputs.

    Raises:
      ValueError: It takes no inputs, or more than these, or none of floats.
    """
    arguments = _arguments(call)
    if isinstance(shapes, list):
        inputs: Any = [_placeholder(each) for each in shapes]
    else:
        inputs = _placeholder(shapes)
    try:
        with context.calling(None, inputs):
            call(inputs, **arguments)
    except (InvalidArgumentError, TypeError) as error:
        raise ValueError(
            "You cannot build your model by calling `build` if your layers do not support float "
            "type inputs. Instead, in order to instantiate and build your model, `call` your model "
            f"on real tensor data (of the correct dtype). The call failed: {error}"
        ) from error


def _placeholder(shape: Any) -> Any:
    return backend.placeholder(ops.TensorShape(shape).as_list())


def _arguments(call: Callable[..., Any]) -> dict[str, Any]:
    """What the call must be told besides its inputs."""
    places = [
        each
        for each in inspect.signature(call).parameters.values()
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    if not places:
        raise ValueError(
            "You can only call `build` on a model if its `call` method accepts an `inputs` "
            "argument."
        )
    needed = [each.name for each in places[1:] if each.default is each.empty]
    others = [each for each in needed if each != "training"]
    if others:
        raise ValueError(
            "Currently, you cannot build your model if it has positional or keyword arguments that "
            "are not inputs to the model, but are required for its `call` method. Instead, in "
            "order to instantiate and build your model, `call` your model on real tensor data with "
            f"all expected call arguments. `call` requires: {', '.join(others)}"
        )
    return dict.fromkeys(needed, False)
