"""ObjectSaver: writes the objects below a root, and finds them again in a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from dataflow.errors import NotFoundError
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import no_op
from dataflow.saving.checkpoint.load_status import LoadStatus, NameStatus, ObjectStatus
from dataflow.saving.checkpoint.object_graph import Node, nodes_below, saved_value, to_proto
from dataflow.saving.checkpoint.sessions import session_of
from dataflow.saving.object_names import OBJECT_GRAPH, saved_objects
from dataflow.saving.reading import new_checkpoint_reader
from dataflow.saving.saver import Saver
from dataflow.saving.state import checkpoint_exists
from dataflow.values import dtypes


class _ObjectGraph(SaveableObject):
    """The message about the objects, beside their values."""

    def __init__(self, message: bytes) -> None:
        with scopes.device("/cpu:0"):
            text = constant(message, dtypes.string)
        super().__init__(text.op, [SaveSpec(text, "", OBJECT_GRAPH)], OBJECT_GRAPH)

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Any:
        return no_op()


class ObjectSaver:
    """Writes and finds the objects below a root; equal objects get no second operations.

    Args:
      root: The object that they are reached from.
    """

    def __init__(self, root: Any) -> None:
        self._root = root
        self._savers: dict[tuple[Any, ...], Saver] = {}
        self._restorers: dict[tuple[Any, ...], Saver] = {}

    def write(self, file_prefix: Any, session: Any = None) -> str:
        """Writes a checkpoint, and no list of checkpoints.

        Args:
          file_prefix: What the names of its files begin with.
          session: Holds the variables; the default one if None.

        Returns:
          The prefix.
        """
        nodes = nodes_below(self._root)
        message = to_proto(nodes).SerializeToString(deterministic=True)
        saved = {node.key: node.value for node in nodes if node.attribute}
        wanted = (message, *sorted((key, id(value)) for key, value in saved.items()))
        saver = self._savers.get(wanted)
        if saver is None:
            saver = self._savers[wanted] = saver_of(nodes)
        path: str = os.fsdecode(file_prefix)
        if folder := os.path.dirname(path):
            os.makedirs(folder, exist_ok=True)
        saver.save(session_of(session), path, write_meta_graph=False, write_state=False)
        return path

    def restore(self, save_path: Any) -> LoadStatus:
        """Finds the objects' values in a checkpoint: of objects, or of a `tf.train.Saver`.

        Args:
          save_path: The checkpoint.

        Raises:
          NotFoundError: There is no such checkpoint.
          DataLossError: What it says of its objects is damaged.
        """
        path = os.fsdecode(save_path)
        if not checkpoint_exists(path):
            raise NotFoundError(
                None,
                None,
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
                f"{path}",
            )
        reader = new_checkpoint_reader(path)
        saved = saved_objects(reader)
        if saved is None:
            return NameStatus(self._root, path, reader.get_variable_to_shape_map())
        return ObjectStatus(self._root, saved, path, self._restorers)


def saver_of(nodes: Sequence[Node]) -> Saver:
    """What writes objects, and the values below their keys."""
    message = to_proto(list(nodes)).SerializeToString(deterministic=True)
    values = {node.key: saved_value(node.value, node.key) for node in nodes if node.attribute}
    return Saver({OBJECT_GRAPH: _ObjectGraph(message), **values}, max_to_keep=None)
