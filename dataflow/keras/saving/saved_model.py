"""Models as SavedModels for serving, with what makes the model again beside the graph."""

from __future__ import annotations

import json
import os
import shutil
from typing import Any

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.saving.configs import (
    compile_as_told,
    json_value,
    model_config,
    model_from_config,
    training_config,
)
from dataflow.keras.saving.weights import load_weights, savers_names
from dataflow.saving.saved_model.builder import SavedModelBuilder
from dataflow.saving.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from dataflow.saving.saved_model.signature_defs import predict_signature_def
from dataflow.saving.saved_model.tag_constants import SERVING
from dataflow.saving.saver import Saver

_CONFIG = os.path.join("assets", "saved_model.json")
_VARIABLES = os.path.join("variables", "variables")


def export_saved_model(
    model: Any,
    saved_model_path: Any,
    custom_objects: Any = None,
    as_text: bool = False,
    input_signature: Any = None,
    serving_only: bool = False,
) -> None:
    """Writes a model as a SavedModel: the graph of its predictions, its weights, and itself.

    Args:
      model: The model; one with a `call` of its own must have been called, and be `serving_only`.
      saved_model_path: The folder.
      custom_objects: Not needed: layers are made again by their classes.
      as_text: Whether the graph is written as text.
      input_signature: Not needed: the inputs are those that the model was called on.
      serving_only: Whether what makes the model again is left out.

    Raises:
      AssertionError: The folder is not empty.
      NotImplementedError: The model has no configuration, and is to be made again.
      ValueError: The model has not been called.
    """
    if not serving_only and not model._is_graph_network:
        raise NotImplementedError(
            "Subclassed models can only be exported with `serving_only=True`."
        )
    write_saved_model(model, saved_model_path, with_model=not serving_only, as_text=as_text)


def load_from_saved_model(saved_model_path: Any, custom_objects: Any = None) -> Any:
    """The model that `export_saved_model` wrote, with its weights; it is not compiled.

    Raises:
      OSError: The folder has no such model.
    """
    return read_saved_model(saved_model_path, custom_objects, compile=False)


def write_saved_model(
    model: Any,
    path: Any,
    with_model: bool = True,
    with_training: bool = False,
    as_text: bool = False,
    overwrite: bool = False,
) -> None:
    """Writes a model into a folder.

    Args:
      model: The model.
      path: The folder.
      with_model: Whether the model's configuration is written.
      with_training: Whether what it was compiled with is.
      as_text: Whether the graph is written as text.
      overwrite: Whether a SavedModel in the folder is replaced.
    """
    if model.inputs is None:
        raise ValueError(
            f"Model {model.name} cannot be saved because the input shapes have not been set. Call "
            "it, or `fit` or `predict`, first."
        )
    folder = os.fspath(path)
    if overwrite and is_saved_model(folder):
        shutil.rmtree(folder)
    builder = SavedModelBuilder(folder)
    if model._is_graph_network:
        _add_clone(builder, model)
    else:
        _add(builder, model, K.get_session())
    builder.save(as_text)
    if with_model and model._is_graph_network:
        told = model_config(model)
        training = training_config(model) if with_training else None
        if training is not None:
            told["training_config"] = training
        os.makedirs(os.path.join(folder, "assets"), exist_ok=True)
        with open(os.path.join(folder, _CONFIG), "w", encoding="utf-8") as file:
            json.dump(told, file, default=json_value)


def _add_clone(builder: SavedModelBuilder, model: Any) -> None:
    """Adds a graph that has nothing but predictions."""
    from dataflow.keras.models import clone_model

    values = model.get_weights()
    with ops.Graph().as_default(), ops.Session() as session:
        K.set_learning_phase(0)
        clone = clone_model(model)
        clone.set_weights(values)
        _add(builder, clone, session)


def _add(builder: SavedModelBuilder, model: Any, session: Any) -> None:
    ends = (
        dict(zip(names, tensors, strict=True))
        for names, tensors in (
            (model.input_names, model.inputs),
            (model.output_names, model.outputs),
        )
    )
    names = savers_names(model)
    builder.add_meta_graph_and_variables(
        session,
        [SERVING],
        {DEFAULT_SERVING_SIGNATURE_DEF_KEY: predict_signature_def(*ends)},
        saver=Saver(names) if names else None,
        clear_devices=True,
    )


def is_saved_model(path: str) -> bool:
    """Whether a folder has a SavedModel."""
    return any(
        os.path.exists(os.path.join(path, name)) for name in ("saved_model.pb", "saved_model.pbtxt")
    )


def read_saved_model(path: Any, custom_objects: Any = None, compile: bool = True) -> Any:
    """The model of a folder.

    Raises:
      OSError: The folder does not tell how the model is made.
    """
    folder = os.fspath(path)
    config = os.path.join(folder, _CONFIG)
    if not os.path.exists(config):
        raise OSError(
            f"{folder} has no {_CONFIG}, which tells how the model is made: its graph is loaded by "
            "`tf.saved_model.load`."
        )
    with open(config, encoding="utf-8") as file:
        told = json.load(file)
    training = told.pop("training_config", None)
    model = model_from_config(told, custom_objects)
    if model.weights:
        load_weights(model, os.path.join(folder, _VARIABLES))
    if compile and training is not None:
        compile_as_told(model, training, custom_objects)
    return model
