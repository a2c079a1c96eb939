"""tf.saved_model.save: writes an object with its variables and functions as a SavedModel."""

from __future__ import annotations

import os
from typing import Any

from dataflow.functions.func_graph import FuncGraph
from dataflow.graph import scopes
from dataflow.proto.saved_model_pb2 import SavedModel
from dataflow.saving.checkpoint.object_graph import nodes_below
from dataflow.saving.checkpoint.object_saver import saver_of
from dataflow.saving.checkpoint.sessions import session_of
from dataflow.saving.objects.exporting import exported
from dataflow.saving.objects.options import SaveOptions
from dataflow.saving.objects.signatures import signatures_of
from dataflow.saving.saved_model import constants
from dataflow.saving.saved_model.files import write_saved_model
from dataflow.saving.saved_model.paths import folder_path, get_or_create_variables_dir
from dataflow.variables.tracked import is_trackable


def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Writes an object as a SavedModel, with the values that its variables have in a session.

    Variables, tables, and the functions of `tf.function`, `tf.wrap_function` and loaded SavedModels
    are found by the attributes of the object, of those in it, and of lists and dictionaries. What
    `tf.function` made is saved as it was traced so far. The session is the default one.

    Args:
      obj: A `tf.Module`, a `tf.train.Checkpoint`, or what `tf.saved_model.load_v2` returned.
      export_dir: The folder.
      signatures: A function, or functions by the keys of signatures; one of `tf.function` needs an
        input signature. If None, it is the only function of the object that fits.
      options: A `SaveOptions`, or None.

    Raises:
      ValueError: The object, a signature or a captured tensor cannot be saved; there is no session.
      AssertionError: A function uses a variable or a table that is no part of the object.
    """
    if isinstance(scopes.get_default_graph(), FuncGraph):
        raise AssertionError(
            "tf.saved_model.save is not supported inside a traced @tf.function. Move the call to "
            "the outer eagerly-executed context."
        )
    if not is_trackable(obj):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the "
            f"`Trackable` class, for export. Got {obj} with type {type(obj)}."
        )
    options = SaveOptions() if options is None else options
    folder = folder_path(export_dir)
    session = session_of(None)
    functions = signatures_of(obj, signatures)
    nodes = nodes_below(obj)
    meta_graph = exported(nodes, functions, folder, options)
    prefix = os.path.join(get_or_create_variables_dir(folder), constants.VARIABLES_FILENAME)
    saver_of(nodes).save(session, prefix, write_meta_graph=False, write_state=False)
    model = SavedModel(saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
    model.meta_graphs.append(meta_graph)
    write_saved_model(model, folder, as_text=False)
