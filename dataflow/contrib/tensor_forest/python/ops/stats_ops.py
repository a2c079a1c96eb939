"""What the leaves of a tree count, as resources of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from dataflow.contrib.tensor_forest.python.ops import gen_stats_ops as gen_stats_ops
from dataflow.contrib.tensor_forest.python.ops.gen_stats_ops import finalize_tree as finalize_tree
from dataflow.contrib.tensor_forest.python.ops.gen_stats_ops import grow_tree_v4 as grow_tree_v4
from dataflow.contrib.tensor_forest.python.ops.gen_stats_ops import (
    process_input_v4 as process_input_v4,
)
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.resources import TrackableResource
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.variables.resources import register_resource


class FertileStatsVariableSavable(SaveableObject):
    """Statistics, as a checkpoint has them."""

    def __init__(self, params: Any, stats_handle: Any, create_op: Any, name: str) -> None:
        """Wraps the statistics behind a handle.

        Args:
          params: Hyperparameters, with `serialized_params_proto`.
          stats_handle: The handle.
          create_op: Creates the statistics.
          name: Their name in the checkpoint.
        """
        self.params = params
        tensor = gen_stats_ops.fertile_stats_serialize(
            stats_handle, params=params.serialized_params_proto
        )
        super().__init__(stats_handle, [SaveSpec(tensor, "", name)], name)
        self._stats_handle = stats_handle
        self._create_op = create_op

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Operation:
        """An operation that replaces the statistics."""
        with control_dependencies([self._create_op]):
            made: Operation = gen_stats_ops.fertile_stats_deserialize(
                self._stats_handle,
                restored_tensors[0],
                params=self.params.serialized_params_proto,
            )
        return made


class FertileStatsVariable(TrackableResource):
    """The statistics of a tree's leaves."""

    def __init__(
        self, params: Any, stats_config: Any, name: str, container: str | None = None
    ) -> None:
        """Makes the handle.

        Args:
          params: Hyperparameters, with `serialized_params_proto`.
          stats_config: What they begin with: a FertileStats message as bytes, or b"".
          name: Their name.
          container: Their container.
        """
        super().__init__()
        self._params = params
        self._stats_config = stats_config
        self._name = name
        self._container = container
        self._init_op: Any = None
        self._resource_handle = self._create_resource()

    def _create_resource(self) -> Any:
        return gen_stats_ops.fertile_stats_resource_handle_op(
            self._container or "", shared_name=self._name, name=self._name
        )

    def _initialize(self) -> Any:
        return gen_stats_ops.create_fertile_stats_variable(
            self.resource_handle, self._stats_config, params=self._params.serialized_params_proto
        )

    @property
    def initializer(self) -> Operation:
        """The operation that creates the statistics."""
        if self._init_op is None:
            self._init_op = self._initialize()
        op: Operation = self._init_op
        return op

    def is_initialized(self) -> Tensor:
        """Whether the statistics were created: a boolean scalar."""
        made: Tensor = gen_stats_ops.fertile_stats_is_initialized_op(self.resource_handle)
        return made

    def _gather_saveables_for_checkpoint(self) -> dict[str, Callable[..., Any]]:
        """What checkpoints of objects save of them."""
        return {
            "fertile_stats_variable": partial(
                FertileStatsVariableSavable,
                params=self._params,
                stats_handle=self.resource_handle,
                create_op=self.initializer,
            )
        }


def fertile_stats_variable(
    params: Any, stats_config: Any, name: str, container: str | None = None
) -> Tensor:
    """The handle of new statistics, which sessions initialise and savers save.

    Args:
      params: Hyperparameters, with `serialized_params_proto`.
      stats_config: What they begin with: a FertileStats message as bytes, or b"".
      name: Their name.
      container: Their container.
    """
    with name_scope(name, "FertileStatsVariable") as scope:
        stats = FertileStatsVariable(params, stats_config, scope, container)
        handle: Tensor = stats.resource_handle
        create_op, is_initialized = stats.initializer, stats.is_initialized()
        kind = "fertile_stats_variable"
        saveable = stats._gather_saveables_for_checkpoint()[kind](name=handle.name)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
        register_resource(handle, create_op, is_initialized)
        return handle
