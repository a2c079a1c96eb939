"""tensorflow.python.keras.saving.saving_utils: what files tell of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dataflow.keras.saving.configs import VERSION, training_config
from dataflow.keras.saving.files import ask_to_proceed_with_overwrite
from dataflow.library.datasets.specs import TensorSpec
from dataflow.values import nest


def extract_model_metrics(model: Any) -> dict[str, Any] | None:
    """The metrics that a model was compiled with, by their names; None if there are none."""
    if not getattr(model, "_compile_metrics", None):
        return None
    return {each.name: each for each in model._compile_metrics}


def model_input_signature(model: Any) -> list[Any] | None:
    """The inputs of a model as a list of one `TensorSpec`, or of one structure of them."""
    if getattr(model, "inputs", None) is None:
        return None
    specs = [
        TensorSpec([None, *tensor.shape.as_list()[1:]], tensor.dtype, name=name)
        for tensor, name in zip(nest.flatten(model.inputs), model.input_names, strict=True)
    ]
    found = nest.pack_sequence_as(model.inputs, specs)
    return found if isinstance(found, list) and len(found) == 1 else [found]


def raise_model_input_error(model: Any) -> None:
    """Refuses to save a model.

    Raises:
      ValueError: Always.
    """
    raise ValueError(
        f"Model {model} cannot be saved because the input shapes have not been set. Usually, input "
        "shapes are automatically determined from calling .fit() or .predict(). To manually set "
        "the shapes, call model._set_inputs(inputs)."
    )


def model_metadata(
    model: Any, include_optimizer: bool = True, require_config: bool = True
) -> dict[str, Any]:
    """The class and configuration of a model, what it was compiled with, and who tells this.

    Args:
      model: The model.
      include_optimizer: Whether the second is told.
      require_config: Whether a model without a configuration is refused.

    Raises:
      NotImplementedError: It is.
    """
    config: dict[str, Any] = {"class_name": type(model).__name__}
    try:
        config["config"] = model.get_config()
    except NotImplementedError:
        if require_config:
            raise
    told: dict[str, Any] = {
        "keras_version": VERSION,
        "backend": "tensorflow",
        "model_config": config,
    }
    training = training_config(model) if include_optimizer else None
    return told if training is None else {**told, "training_config": training}


def should_overwrite(filepath: str, overwrite: bool) -> bool:
    """Whether a file may be written: where one is, someone may be asked."""
    if not overwrite and Path(filepath).is_file():
        return bool(ask_to_proceed_with_overwrite(filepath))
    return True
