"""An ensemble of trees as a resource of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.boosted_trees import calls
from dataflow.library.lookup.resources import TrackableResource
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.ops.basic.identity import identity
from dataflow.variables.resources import register_resource


class _TreeEnsembleSavable(SaveableObject):
    """An ensemble and its stamp, as a checkpoint has them."""

    def __init__(self, resource_handle: Tensor, create_op: Any, name: str) -> None:
        """Wraps the ensemble behind a handle.

        Args:
          resource_handle: The handle.
          create_op: Creates the ensemble.
          name: Begins the names in the checkpoint.
        """
        stamp, serialized = calls.serialize_ensemble(resource_handle)
        specs = [
            SaveSpec(stamp, "", f"{name}_stamp"),
            SaveSpec(serialized, "", f"{name}_serialized"),
        ]
        super().__init__(resource_handle, specs, name)
        self._resource_handle = resource_handle
        self._create_op = create_op

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Operation:
        """An operation that replaces the ensemble."""
        with control_dependencies([self._create_op]):
            made: Operation = calls.deserialize_ensemble(
                self._resource_handle,
                stamp_token=restored_tensors[0],
                tree_ensemble_serialized=restored_tensors[1],
            )
        return made


class TreeEnsemble(TrackableResource):
    """An ensemble of trees, which grows while it is trained."""

    def __init__(
        self,
        name: str | None,
        stamp_token: int = 0,
        is_local: bool = False,
        serialized_proto: Any = "",
    ) -> None:
        """Makes the resource and what creates it, and puts both into the graph's collections.

        Args:
          name: Name of the resource.
          stamp_token: The stamp that it begins with.
          is_local: Whether each session has its own, which checkpoints do not hold.
          serialized_proto: A TreeEnsemble message as bytes: what it begins with.
        """
        super().__init__()
        self._stamp_token = stamp_token
        self._serialized_proto = serialized_proto
        self._is_local = is_local
        with name_scope(name, "TreeEnsemble") as scope:
            self._name = scope
            self._resource_handle = self._create_resource()
            self._init_op = self._initialize()
            is_initialized = self.is_initialized()
            if not is_local:
                saveable = self._saveable_of(self.resource_handle.name)
                add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
                self._saveable = saveable
            register_resource(
                self.resource_handle, self.initializer, is_initialized, is_shared=not is_local
            )

    def _create_resource(self) -> Any:
        return calls.ensemble_resource_handle_op(
            container="", shared_name=self._name, name=self._name
        )

    def _initialize(self) -> Any:
        return calls.create_ensemble(
            self.resource_handle,
            self._stamp_token,
            tree_ensemble_serialized=self._serialized_proto,
        )

    @property
    def initializer(self) -> Operation:
        """The operation that creates the ensemble."""
        op: Operation = self._init_op
        return op

    def is_initialized(self) -> Tensor:
        """Whether the ensemble was created: a boolean scalar."""
        made: Tensor = calls.is_ensemble_initialized(self.resource_handle)
        return made

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """What checkpoints of objects save of it."""
        return {} if self._is_local else {"tree_ensemble": self._saveable_of}

    def _saveable_of(self, name: str) -> _TreeEnsembleSavable:
        return _TreeEnsembleSavable(self.resource_handle, self.initializer, name)

    def get_stamp_token(self) -> Tensor:
        """The stamp: an int64 scalar, which each change makes greater."""
        stamp: Tensor = calls.get_ensemble_states(self.resource_handle)[0]
        return stamp

    def get_states(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """The stamp, the numbers of trees, of those that are done and of layers attempted, and the
        first id of the last layer's nodes and the one behind the last."""
        stamp, trees, finalized, layers, nodes = calls.get_ensemble_states(self.resource_handle)
        return (
            identity(stamp, name="stamp_token"),
            identity(trees, name="num_trees"),
            identity(finalized, name="num_finalized_trees"),
            identity(layers, name="num_attempted_layers"),
            identity(nodes, name="last_layer_nodes_range"),
        )

    def serialize(self) -> Any:
        """The stamp, an int64 scalar, and the ensemble as bytes of a message, a string scalar."""
        return calls.serialize_ensemble(self.resource_handle)

    def deserialize(self, stamp_token: Any, serialized_proto: Any) -> Operation:
        """An operation that replaces the ensemble.

        Args:
          stamp_token: The stamp, an int64 scalar.
          serialized_proto: A TreeEnsemble message as bytes, a string scalar.
        """
        made: Operation = calls.deserialize_ensemble(
            self.resource_handle, stamp_token, serialized_proto
        )
        return made
