"""tensorflow.python.keras.saving.saved_model: models as SavedModels, and back."""

from __future__ import annotations

from typing import Any, Final

from dataflow.keras.models import load_model, save_model

KERAS_ATTR: Final = "keras_api"


def save(
    model: Any, filepath: Any, overwrite: bool, include_optimizer: bool, signatures: Any = None
) -> None:
    """Writes a model as a SavedModel; see `tf.keras.models.save_model`."""
    save_model(model, filepath, overwrite, include_optimizer, "tf", signatures)


def load(path: Any, compile: bool = True) -> Any:
    """The model of a SavedModel; see `tf.keras.models.load_model`."""
    return load_model(path, compile=compile)
