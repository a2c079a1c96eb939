"""Sums of gradients and hessians by node and bucket, as a resource of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dataflow.contrib.boosted_trees import calls
from dataflow.contrib.boosted_trees.quantile_accumulator import NO_WORDS
from dataflow.contrib.boosted_trees.scheduled_ops import ScheduledStampedResourceOp
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.resources import TrackableResource
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.values.shapes import TensorShape
from dataflow.variables.resources import register_resource

_PARTS: Final = (
    "_stamp",
    "_num_updates",
    "_partition_ids",
    "_feature_ids",
    "_gradients",
    "hessians",
)
"""Ends of the names in checkpoints."""


def _call(kind: str, is_scalar: bool) -> Any:
    return getattr(calls, f"stats_accumulator_{'scalar' if is_scalar else 'tensor'}_{kind}")


class StatsAccumulatorSaveable(SaveableObject):
    """Sums and their stamp, as a checkpoint has them."""

    def __init__(self, resource_handle: Tensor, create_op: Any, is_scalar: bool, name: str) -> None:
        """Wraps the resource behind a handle.

        Args:
          resource_handle: The handle, whose name begins the names in the checkpoint.
          create_op: Creates the resource.
          is_scalar: Whether gradients are numbers.
          name: Its name.
        """
        self._create_op = create_op
        self._resource_handle = resource_handle
        self._is_scalar = is_scalar
        specs = [
            SaveSpec(part, "", resource_handle.name + ending)
            for part, ending in zip(self.serialize(), _PARTS, strict=True)
        ]
        super().__init__(resource_handle, specs, name)

    def serialize(self) -> Any:
        """Stamp, number of updates, nodes, buckets with dimensions, gradients and hessians."""
        return _call("serialize", self._is_scalar)(self._resource_handle)

    def deserialize(
        self,
        stamp_token: Any,
        num_updates: Any,
        partition_ids: Any,
        feature_ids: Any,
        gradients: Any,
        hessians: Any,
    ) -> Operation:
        """An operation that replaces the sums."""
        made: Operation = _call("deserialize", self._is_scalar)(
            self._resource_handle,
            stamp_token,
            num_updates,
            partition_ids,
            feature_ids,
            gradients,
            hessians,
        )
        return made

    def restore(self, restored_tensors: Sequence[Tensor], unused_restored_shapes: Any) -> Operation:
        """An operation that replaces the sums."""
        with control_dependencies([self._create_op]):
            return self.deserialize(*restored_tensors)


class StatsAccumulator(TrackableResource):
    """Sums with a stamp: what comes with another one is dropped."""

    def __init__(
        self,
        stamp_token: Any,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        name: str | None = None,
        container: str | None = None,
    ) -> None:
        """Makes the resource and what creates it, and puts both into the graph's collections.

        Args:
          stamp_token: The stamp that it begins with.
          gradient_shape: The shape of a gradient.
          hessian_shape: That of a hessian.
          name: Its name.
          container: Its container.
        """
        self._stamp_token = stamp_token
        self._gradient_shape = gradient_shape
        self._hessian_shape = hessian_shape
        self._container = container
        self._is_scalar = gradient_shape.rank == 0 and hessian_shape.rank == 0
        super().__init__()
        cleaned = None if name is None else NO_WORDS.sub("", name)
        with name_scope(cleaned, "StatsAccumulator") as scope:
            self._name = scope
            self._resource_handle = self._create_resource()
            self._init_op = self._initialize()
            is_there = self.is_initialized()
        register_resource(self.resource_handle, self.initializer, is_there)
        self._saveable = StatsAccumulatorSaveable(
            self.resource_handle, self.initializer, self._is_scalar, self._name
        )
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    def _create_resource(self) -> Any:
        return _call("resource_handle_op", self._is_scalar)(
            self._container, self._name, name=self._name
        )

    def _initialize(self) -> Any:
        if self._is_scalar:
            return calls.create_stats_accumulator_scalar(self.resource_handle, self._stamp_token)
        return calls.create_stats_accumulator_tensor(
            self.resource_handle,
            self._stamp_token,
            self._gradient_shape.as_list(),
            self._hessian_shape.as_list(),
        )

    @property
    def initializer(self) -> Operation:
        """The operation that creates the resource."""
        op: Operation = self._init_op
        return op

    def is_initialized(self) -> Tensor:
        """Whether the resource was created: a boolean scalar."""
        made: Tensor = _call("is_initialized", self._is_scalar)(self.resource_handle)
        return made

    @property
    def saveable(self) -> StatsAccumulatorSaveable:
        """What checkpoints save of it."""
        return self._saveable

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """What checkpoints of objects save of it."""
        return {"stats_accumulator": lambda name: self._saveable}

    def add(
        self,
        stamp_token: Any,
        partition_ids: Any,
        feature_ids: Any,
        gradients: Any,
        hessians: Any,
    ) -> Operation:
        """An operation that adds rows, unless the stamp is another one.

        Args:
          stamp_token: The stamp that the resource should have.
          partition_ids: The node of each row, int32.
          feature_ids: Bucket and dimension of each row, int64 [rows, 2].
          gradients: Floats, a row for each.
          hessians: Floats, a row for each.
        """
        rows = self._make_summary(partition_ids, feature_ids, gradients, hessians)
        made: Operation = _call("add", self._is_scalar)(
            [self.resource_handle], stamp_token, *([part] for part in rows)
        )
        return made

    def schedule_add(
        self, partition_ids: Any, feature_ids: Any, gradients: Any, hessians: Any
    ) -> ScheduledStampedResourceOp:
        """Plans `add`."""
        nodes, features, slopes, curvatures = self._make_summary(
            partition_ids, feature_ids, gradients, hessians
        )
        return ScheduledStampedResourceOp(
            op=_call("add", self._is_scalar),
            resource_handle=self.resource_handle,
            partition_ids=nodes,
            feature_ids=features,
            gradients=slopes,
            hessians=curvatures,
        )

    def _make_summary(
        self, partition_ids: Any, feature_ids: Any, gradients: Any, hessians: Any
    ) -> Any:
        make = _call("make_summary", self._is_scalar)
        return make(partition_ids, feature_ids, gradients, hessians)

    def flush(self, stamp_token: Any, next_stamp_token: Any) -> Any:
        """The number of updates and the sums, which are forgotten then.

        Args:
          stamp_token: The stamp that the resource has.
          next_stamp_token: The one that it gets.
        """
        return _call("flush", self._is_scalar)(self.resource_handle, stamp_token, next_stamp_token)
