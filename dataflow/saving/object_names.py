"""What a checkpoint of objects says of its variables: their names when it was written."""

from __future__ import annotations

from typing import Any, Final

from google.protobuf.message import DecodeError

from dataflow.errors import DataLossError
from dataflow.proto.trackable_object_graph_pb2 import TrackableObjectGraph
from dataflow.saving.reading import CheckpointReader, load_checkpoint

OBJECT_GRAPH: Final = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""The key of the message about the objects."""


def saved_objects(reader: CheckpointReader) -> TrackableObjectGraph | None:
    """The message about the objects, the root first; None if names are keys.

    Raises:
      DataLossError: It is damaged.
    """
    if not reader.has_tensor(OBJECT_GRAPH):
        return None
    try:
        objects = TrackableObjectGraph.FromString(reader.get_tensor(OBJECT_GRAPH))
    except (DecodeError, TypeError) as error:
        raise DataLossError(
            None, None, f"The checkpoint's objects are no message: {error}"
        ) from None
    if not objects.nodes:
        raise DataLossError(None, None, "The checkpoint's objects have no root.")
    return objects


def keys_of_objects(checkpoint: Any) -> dict[str, str] | None:
    """The key of each variable by the name that a Saver gives to it; None if names are keys.

    Args:
      checkpoint: The checkpoint's prefix, or its folder.
    """
    objects = saved_objects(load_checkpoint(checkpoint))
    if objects is None:
        return None
    return {
        attribute.full_name: attribute.checkpoint_key
        for node in objects.nodes
        for attribute in node.attributes
    }
