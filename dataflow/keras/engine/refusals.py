"""Refusals: what TensorFlow lets run eagerly only, and layers of tf.layers among those of Keras."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_EAGER_ONLY = (
    "Your model contains layers that can only be successfully run in eager execution (layers "
    "constructed with `dynamic=True`). "
)


def check_mode(model: Any) -> None:
    """Checks that a model can run in a graph.

    Raises:
      ValueError: It was told not to, or a layer of it cannot.
    """
    if model._run_eagerly:
        raise ValueError("You can only set `run_eagerly=True` if eager execution is enabled.")
    if model.dynamic:
        raise ValueError(
            f"{_EAGER_ONLY}You must enable eager execution with `tf.enable_eager_execution()`."
        )


def refuse_legacy(layers: Iterable[Any]) -> None:
    """Checks that layers are those of tf.keras.

    Raises:
      TypeError: Some are those of tf.layers, whose variables are in variable scopes.
    """
    legacy = [each for each in layers if getattr(each, "_is_legacy_layer", False)]
    if legacy:
        told = "\n".join(f"  {each}" for each in legacy)
        raise TypeError(
            f"The following are legacy tf.layers.Layers:\n{told}\nTo use keras as a framework (for "
            "instance using the Network, Model, or Sequential classes), please use the "
            "tf.keras.layers implementation instead. (Or, if writing custom layers, subclass from "
            "tf.keras.layers rather than tf.layers)"
        )
