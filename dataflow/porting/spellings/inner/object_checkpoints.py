"""tensorflow.python.training.saver: Savers that read what tf.train.Checkpoint has written."""

from __future__ import annotations

from typing import Any

from dataflow.errors import NotFoundError
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import get_collection
from dataflow.porting.spellings.saving import validate_and_slice_inputs
from dataflow.saving.object_names import OBJECT_GRAPH, keys_of_objects
from dataflow.saving.saver import Saver


def object_graph_key_mapping(checkpoint_path: Any) -> dict[str, str]:
    """The key in a checkpoint of objects of each variable, by the name that the variable had.

    Raises:
      NotFoundError: The checkpoint is none of objects.
    """
    keys = keys_of_objects(checkpoint_path)
    if keys is None:
        raise NotFoundError(None, None, f"Key {OBJECT_GRAPH} not found in checkpoint")
    return keys


def saver_from_object_based_checkpoint(
    checkpoint_path: Any,
    var_list: Any = None,
    builder: Any = None,
    names_to_keys: dict[str, str] | None = None,
    cached_saver: Saver | None = None,
) -> Saver:
    """A Saver that finds variables by their names in a checkpoint of objects.

    Args:
      checkpoint_path: The checkpoint's prefix.
      var_list: Variables and other objects that are saved; None for all.
      builder: Is not needed.
      names_to_keys: The keys by name, if not those that the checkpoint tells.
      cached_saver: What this gave for other checkpoints of these objects; it is given again.

    Raises:
      ValueError: The checkpoint is none of objects.
      NotFoundError: It lacks a variable.
    """
    if names_to_keys is None:
        try:
            names_to_keys = object_graph_key_mapping(checkpoint_path)
        except NotFoundError:
            raise ValueError(
                f"Checkpoint in {checkpoint_path} not an object-based checkpoint."
            ) from None
    if var_list is None:
        keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.SAVEABLE_OBJECTS)
        var_list = [each for key in keys for each in get_collection(key)]
    saveables = validate_and_slice_inputs(var_list)
    specs = [spec for saveable in saveables for spec in saveable.specs]
    names = {spec.name for spec in specs}
    if lacking := names - names_to_keys.keys():
        more = names_to_keys.keys() - names
        raise NotFoundError(
            None,
            None,
            f"\n\nExisting variables not in the checkpoint: {', '.join(sorted(lacking))}\n\n"
            "Variables names when this checkpoint was written which don't exist now: "
            f"{', '.join(sorted(more))}\n\n"
            f"({len(names & names_to_keys.keys())} variable name(s) did match)\n\n"
            "Could not find some variables in the checkpoint (see names above). Saver was "
            "attempting to load an object-based checkpoint (saved using tf.train.Checkpoint or "
            "tf.keras.Model.save_weights) using variable names. If the checkpoint was written with "
            "eager execution enabled, it's possible that variable names have changed (for example "
            "missing a '_1' suffix). It's also possible that there are new variables which did not "
            "exist when the checkpoint was written. You can construct a Saver(var_list=...) with "
            "only the variables which previously existed, and if variable names have changed you "
            "may need to make this a dictionary with the old names as keys. If you're using an "
            "Estimator, you'll need to return a tf.train.Saver inside a tf.train.Scaffold from "
            "your model_fn.",
        )
    for spec in specs:
        spec.name = names_to_keys[spec.name]
    return Saver(saveables) if cached_saver is None else cached_saver
