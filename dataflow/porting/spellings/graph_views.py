"""tensorflow.python.training.tracking.graph_view: the objects below a root, as saved."""

from __future__ import annotations

import weakref
from typing import Any

from dataflow.porting.spellings.util.identity import ObjectIdentityDictionary
from dataflow.proto.trackable_object_graph_pb2 import TrackableObjectGraph
from dataflow.saving.checkpoint.object_graph import Node, nodes_below, saved_value, to_proto
from dataflow.saving.checkpoint.trackables import children
from dataflow.saving.saveables import saveables
from dataflow.variables.tracked import TrackableReference


class ObjectGraphView:
    """What a root is made of, and what is saved of it."""

    def __init__(self, root: Any, saveables_cache: Any = None) -> None:
        """Takes a root, or a weak reference to it.

        Args:
          root: An object of which checkpoints are made.
          saveables_cache: Kept for those that ask for it.
        """
        self._root_ref = root
        self._saveables_cache = saveables_cache

    @property
    def root(self) -> Any:
        """The object at the top."""
        if isinstance(self._root_ref, weakref.ref):
            return self._root_ref()
        return self._root_ref

    @property
    def saveables_cache(self) -> Any:
        """What was given."""
        return self._saveables_cache

    def list_dependencies(self, obj: Any) -> list[TrackableReference]:
        """The objects that one is made of, with the names that they have in it."""
        return [TrackableReference(name, part) for name, part in children(obj).items()]

    def list_objects(self) -> list[Any]:
        """All objects, the root first, slots of optimizers last."""
        return [node.value for node in nodes_below(self.root)]

    def objects_ids_and_slot_variables(self) -> tuple[list[Any], Any, Any]:
        """All objects, their numbers, and the messages that tell of slots, by optimizer."""
        nodes = nodes_below(self.root)
        numbers = ObjectIdentityDictionary()
        slots = ObjectIdentityDictionary()
        for number, (node, message) in enumerate(zip(nodes, to_proto(nodes).nodes, strict=True)):
            numbers[node.value] = number
            if message.slot_variables:
                slots[node.value] = list(message.slot_variables)
        return [node.value for node in nodes], numbers, slots

    def serialize_object_graph(self) -> tuple[list[Any], TrackableObjectGraph, None]:
        """What is to be saved, the message of all objects, and None: nothing is fed."""
        nodes = nodes_below(self.root)
        return _saved(nodes), to_proto(nodes), None


def _saved(nodes: list[Node]) -> list[Any]:
    named = {node.key: saved_value(node.value, node.key) for node in nodes if node.attribute}
    made = {item.name: item for item in saveables(named)}
    return [made[name] for name in named if name in made]
