"""Layer: the base of tf.layers, which counts as one of tf.keras as soon as that is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.library.layers.base import BaseLayer


class Layer(BaseLayer):
    """Base class of layers: subclasses make variables in `build` and operations in `call`.

    The first call makes the variables, in a variable scope named after the layer, later calls
    share them.

    Args:
      trainable: Whether optimizers train the layer's variables.
      name: Name of the layer and of its variable scope; that of the class, made unique, if None.
      dtype: Element type of the variables; that of the first input if None.
      activity_regularizer: Function of an output whose result, over the size of the batch, is
        added to the losses.
      **kwargs: `_scope`, a variable scope or name of one to use instead of a new one, and
        `_reuse`, whether variables that exist in it are shared.

    Attributes:
      built: Whether the variables are made.
      input_spec: An `InputSpec` or a list of them, or None.
      trainable: Whether optimizers train the layer's variables.
    """

    _is_legacy_layer = True


class _Hidden:
    """An attribute of a base that objects are not to have."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        raise AttributeError(f"{owner.__name__!r} object has no attribute {self._name!r}")


def count_as(other: type, shared: frozenset[str]) -> None:
    """Makes `Layer`, and all that derive from it, subclasses of another kind of layer.

    They go on as before: what the other kind does in its own way is theirs to do, and what only it
    has they have not.

    Args:
      other: A subclass of `BaseLayer`.
      shared: Names of the attributes of the other kind that they take on.
    """
    ours = _attributes(BaseLayer.__mro__)
    for name in _attributes([each for each in other.__mro__ if each not in BaseLayer.__mro__]):
        is_methods = not name.startswith("__") or callable(ours.get(name))
        if is_methods and name not in shared and name not in vars(Layer):
            setattr(Layer, name, ours.get(name, _Hidden(name)))
    Layer.__bases__ = (other,)


def _attributes(classes: Sequence[type]) -> dict[str, Any]:
    """The attributes of classes, as they are written there, those of the first ones over others."""
    return {name: item for each in reversed(classes) for name, item in vars(each).items()}
