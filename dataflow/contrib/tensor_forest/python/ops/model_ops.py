"""Trees as resources of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from dataflow.contrib.tensor_forest.python.ops import gen_model_ops as gen_model_ops
from dataflow.contrib.tensor_forest.python.ops.gen_model_ops import (
    feature_usage_counts as feature_usage_counts,
)
from dataflow.contrib.tensor_forest.python.ops.gen_model_ops import (
    traverse_tree_v4 as traverse_tree_v4,
)
from dataflow.contrib.tensor_forest.python.ops.gen_model_ops import (
    tree_predictions_v4 as tree_predictions_v4,
)
from dataflow.contrib.tensor_forest.python.ops.gen_model_ops import tree_size as tree_size
from dataflow.contrib.tensor_forest.python.ops.gen_model_ops import (
    update_model_v4 as update_model_v4,
)
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.resources import TrackableResource
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.variables.resources import register_resource


class TreeVariableSavable(SaveableObject):
    """A tree, as a checkpoint has it."""

    def __init__(
        self, params: Any, tree_handle: Any, stats_handle: Any, create_op: Any, name: str
    ) -> None:
        """Wraps the tree behind a handle.

        Args:
          params: Hyperparameters, with `serialized_params_proto`.
          tree_handle: The handle.
          stats_handle: That of the statistics of its leaves.
          create_op: Creates the tree.
          name: The tree's name in the checkpoint.
        """
        self.params = params
        tensor = gen_model_ops.tree_serialize(tree_handle)
        super().__init__(tree_handle, [SaveSpec(tensor, "", name)], name)
        self._tree_handle = tree_handle
        self._create_op = create_op

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Operation:
        """An operation that replaces the tree."""
        with control_dependencies([self._create_op]):
            made: Operation = gen_model_ops.tree_deserialize(
                self._tree_handle,
                restored_tensors[0],
                params=self.params.serialized_params_proto,
            )
        return made


class TreeVariable(TrackableResource):
    """A tree."""

    def __init__(
        self,
        params: Any,
        tree_config: Any,
        stats_handle: Any,
        name: str,
        container: str | None = None,
    ) -> None:
        """Makes the handle.

        Args:
          params: Hyperparameters, with `serialized_params_proto`.
          tree_config: What it begins with: a Model message as bytes, or b"".
          stats_handle: The handle of the statistics of its leaves.
          name: Its name.
          container: Its container.
        """
        super().__init__()
        self._params = params
        self._tree_config = tree_config
        self._stats_handle = stats_handle
        self._name = name
        self._container = container
        self._init_op: Any = None
        self._resource_handle = self._create_resource()

    def _create_resource(self) -> Any:
        return gen_model_ops.decision_tree_resource_handle_op(
            self._container or "", shared_name=self._name, name=self._name
        )

    def _initialize(self) -> Any:
        return gen_model_ops.create_tree_variable(
            self.resource_handle, self._tree_config, params=self._params.serialized_params_proto
        )

    @property
    def initializer(self) -> Operation:
        """The operation that creates the tree."""
        if self._init_op is None:
            self._init_op = self._initialize()
        op: Operation = self._init_op
        return op

    def is_initialized(self) -> Tensor:
        """Whether the tree was created: a boolean scalar."""
        made: Tensor = gen_model_ops.tree_is_initialized_op(self.resource_handle)
        return made

    def _gather_saveables_for_checkpoint(self) -> dict[str, Callable[..., Any]]:
        """What checkpoints of objects save of it."""
        return {
            "tree_variable": partial(
                TreeVariableSavable,
                params=self._params,
                tree_handle=self.resource_handle,
                stats_handle=self._stats_handle,
                create_op=self.initializer,
            )
        }


def tree_variable(
    params: Any, tree_config: Any, stats_handle: Any, name: str, container: str | None = None
) -> Tensor:
    """The handle of a new tree, which sessions initialise and savers save.

    Args:
      params: Hyperparameters, with `serialized_params_proto`.
      tree_config: What it begins with: a Model message as bytes, or b"".
      stats_handle: The handle of the statistics of its leaves.
      name: Its name.
      container: Its container.
    """
    with name_scope(name, "TreeVariable") as scope:
        tree = TreeVariable(params, tree_config, stats_handle, scope, container)
        handle: Tensor = tree.resource_handle
        create_op, is_initialized = tree.initializer, tree.is_initialized()
        saveable = tree._gather_saveables_for_checkpoint()["tree_variable"](name=handle.name)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
        register_resource(handle, create_op, is_initialized)
        return handle
