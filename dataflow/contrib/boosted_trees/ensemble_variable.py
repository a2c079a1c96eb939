"""An ensemble of trees as a resource of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from dataflow.contrib.boosted_trees import calls
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.resources import TrackableResource
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.variables.resources import register_resource


class TreeEnsembleVariableSavable(SaveableObject):
    """An ensemble and its stamp, as a checkpoint has them."""

    def __init__(self, tree_ensemble_handle: Tensor, create_op: Any, name: str) -> None:
        """Wraps the ensemble behind a handle.

        Args:
          tree_ensemble_handle: The handle.
          create_op: Creates the ensemble.
          name: Begins the names in the checkpoint.
        """
        stamp, config = calls.tree_ensemble_serialize(tree_ensemble_handle)
        specs = [SaveSpec(stamp, "", f"{name}_stamp"), SaveSpec(config, "", f"{name}_config")]
        super().__init__(tree_ensemble_handle, specs, name)
        self._tree_ensemble_handle = tree_ensemble_handle
        self._create_op = create_op

    def restore(self, restored_tensors: Sequence[Tensor], unused_restored_shapes: Any) -> Operation:
        """An operation that replaces the ensemble."""
        with control_dependencies([self._create_op]):
            made: Operation = calls.tree_ensemble_deserialize(
                self._tree_ensemble_handle,
                stamp_token=restored_tensors[0],
                tree_ensemble_config=restored_tensors[1],
            )
        return made


class TreeEnsembleVariable(TrackableResource):
    """An ensemble of trees, which grows while it is trained."""

    def __init__(
        self, stamp_token: Any, tree_ensemble_config: Any, name: str, container: str | None = None
    ) -> None:
        """Describes the resource.

        Args:
          stamp_token: The stamp that it begins with.
          tree_ensemble_config: A DecisionTreeEnsembleConfig message as bytes.
          name: Its name.
          container: Its container.
        """
        self._stamp_token = stamp_token
        self._tree_ensemble_config = tree_ensemble_config
        self._name = name
        self._container = container
        self._init_op: Operation | None = None
        super().__init__()

    def _create_resource(self) -> Any:
        return calls.decision_tree_ensemble_resource_handle_op(
            self._container, shared_name=self._name, name=self._name
        )

    def _initialize(self) -> Any:
        return calls.create_tree_ensemble_variable(
            self.resource_handle, self._stamp_token, self._tree_ensemble_config
        )

    @property
    def initializer(self) -> Operation:
        """The operation that creates the ensemble."""
        if self._init_op is None:
            self._init_op = self._initialize()
        return self._init_op

    def is_initialized(self) -> Tensor:
        """Whether the ensemble was created: a boolean scalar."""
        made: Tensor = calls.tree_ensemble_is_initialized_op(self.resource_handle)
        return made

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """What checkpoints of objects save of it."""
        return {
            f"{self.resource_handle.op.name}/tree_ensemble_variable": partial(
                TreeEnsembleVariableSavable,
                tree_ensemble_handle=self.resource_handle,
                create_op=self.initializer,
            )
        }


def tree_ensemble_variable(
    stamp_token: Any, tree_ensemble_config: Any, name: str, container: str | None = None
) -> Tensor:
    """Makes an ensemble, which checkpoints save.

    Args:
      stamp_token: The stamp that it begins with.
      tree_ensemble_config: A DecisionTreeEnsembleConfig message as bytes: what it begins with.
      name: Its name.
      container: Its container.

    Returns:
      The handle of the ensemble.
    """
    with name_scope(name, "TreeEnsembleVariable") as scope:
        variable = TreeEnsembleVariable(stamp_token, tree_ensemble_config, scope, container)
        handle = variable.resource_handle
        create_op, is_there = variable.initializer, variable.is_initialized()
        saveable = TreeEnsembleVariableSavable(handle, create_op, handle.name)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
        register_resource(handle, create_op, is_there)
    return handle
