"""tensorflow.python.training.tracking.layer_utils: the layers and variables of what holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.library.layers.base import BaseLayer


def is_layer(obj: Any) -> bool:
    """Whether it is a layer."""
    return isinstance(obj, BaseLayer)


def has_weights(obj: Any) -> bool:
    """Whether it is an object, of a class that tells its variables."""
    kind = type(obj)
    tells = hasattr(kind, "trainable_weights") and hasattr(kind, "non_trainable_weights")
    return tells and not isinstance(obj, type)


def filter_empty_layer_containers(layer_list: Sequence[Any]) -> list[Any]:
    """The layers among some objects and in the containers among them, each once."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    pending = list(layer_list)
    while pending:
        each = pending.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        if is_layer(each):
            found[id(each)] = each
        else:
            pending[:0] = getattr(each, "layers", ())
    return list(found.values())


def gather_trainable_weights(
    trainable: bool, sub_layers: Sequence[Any], extra_variables: Sequence[Any]
) -> list[Any]:
    """The variables that are trained, of layers and then others; none if nothing is trained."""
    if not trainable:
        return []
    inner = [each for layer in sub_layers for each in layer.trainable_weights]
    return [*inner, *(each for each in extra_variables if each.trainable)]


def gather_non_trainable_weights(
    trainable: bool, sub_layers: Sequence[Any], extra_variables: Sequence[Any]
) -> list[Any]:
    """The other variables of layers and of their holder; all if nothing is trained."""
    inner = [each for layer in sub_layers for each in layer.non_trainable_weights]
    others = [*inner, *(each for each in extra_variables if not each.trainable)]
    if trainable:
        return others
    return [*gather_trainable_weights(True, sub_layers, extra_variables), *others]
