"""Quantiles of a feature's values, accumulated over steps, as a resource of the graph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from dataflow.contrib.boosted_trees import calls
from dataflow.contrib.boosted_trees.scheduled_ops import ScheduledStampedResourceOp
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, control_dependencies, name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.resources import TrackableResource
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.variables.resources import register_resource

NO_WORDS: Final = re.compile(r"[\W_]+")
"""What names of resources are rid of."""


class QuantileAccumulatorSaveable(SaveableObject):
    """A stream, its stamp and its boundaries, as a checkpoint has them."""

    def __init__(self, resource_handle: Tensor, create_op: Any, name: str) -> None:
        """Wraps the resource behind a handle.

        Args:
          resource_handle: The handle.
          create_op: Creates the resource.
          name: Begins the names in the checkpoint.
        """
        self._resource_handle = resource_handle
        self._create_op = create_op
        parts = calls.quantile_accumulator_serialize(resource_handle)
        endings = ("_stamp", "_state", "_are_buckets_ready", "buckets")
        specs = [
            SaveSpec(part, "", name + ending) for part, ending in zip(parts, endings, strict=True)
        ]
        super().__init__(resource_handle, specs, name)

    def restore(self, restored_tensors: Sequence[Tensor], unused_restored_shapes: Any) -> Operation:
        """An operation that replaces the stream."""
        stamp, state, are_ready, buckets = restored_tensors
        with control_dependencies([self._create_op]):
            made: Operation = calls.quantile_accumulator_deserialize(
                self._resource_handle,
                stamp_token=stamp,
                stream_state=state,
                are_buckets_ready=are_ready,
                buckets=buckets,
            )
        return made


class QuantileAccumulator(TrackableResource):
    """A stream of values, from which boundaries of buckets are made."""

    def __init__(
        self,
        init_stamp_token: Any,
        epsilon: float,
        num_quantiles: int,
        max_elements: int | None = None,
        name: str = "",
        container: str | None = None,
        generate_quantiles: bool = False,
    ) -> None:
        """Makes the resource and what creates it, and puts both into the graph's collections.

        Args:
          init_stamp_token: The stamp that it begins with.
          epsilon: By which part of all weight ranks may be off.
          num_quantiles: How many boundaries are wanted.
          max_elements: How many values will come at most.
          name: Its name.
          container: Its container.
          generate_quantiles: Whether there are exactly as many, equal ones among them.
        """
        self._init_stamp_token = init_stamp_token
        self._epsilon = epsilon
        self._num_quantiles = num_quantiles
        self._max_elements = max_elements
        self._container = container
        self._generate_quantiles = generate_quantiles
        super().__init__()
        with name_scope(NO_WORDS.sub("", name), "QuantileAccumulator") as scope:
            self._name = scope
            self._resource_handle = self._create_resource()
            self._init_op = self._initialize()
            is_there = self.is_initialized()
        register_resource(self.resource_handle, self._init_op, is_there)
        self._saveable = QuantileAccumulatorSaveable(
            self.resource_handle, self._init_op, self._name
        )
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    def _create_resource(self) -> Any:
        return calls.quantile_stream_resource_handle_op(
            container=self._container, shared_name=self._name, name=self._name
        )

    def _initialize(self) -> Any:
        return calls.create_quantile_accumulator(
            self.resource_handle,
            self._init_stamp_token,
            epsilon=self._epsilon,
            max_elements=self._max_elements,
            num_quantiles=self._num_quantiles,
            generate_quantiles=self._generate_quantiles,
        )

    @property
    def initializer(self) -> Operation:
        """The operation that creates the resource."""
        op: Operation = self._init_op
        return op

    def is_initialized(self) -> Tensor:
        """Whether the resource was created: a boolean scalar."""
        made: Tensor = calls.quantile_accumulator_is_initialized(self.resource_handle)
        return made

    @property
    def saveable(self) -> QuantileAccumulatorSaveable:
        """What checkpoints save of it."""
        return self._saveable

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """What checkpoints of objects save of it."""
        return {
            "quantile_accumulator": lambda name: QuantileAccumulatorSaveable(
                self.resource_handle, self._init_op, name
            )
        }

    def get_buckets(self, stamp_token: Any) -> tuple[Tensor, Tensor]:
        """Whether there are boundaries, and those of the last flush."""
        are_ready, buckets = calls.quantile_accumulator_get_buckets(
            [self.resource_handle], stamp_token
        )
        return are_ready[0], buckets[0]

    def schedule_get_buckets(self) -> ScheduledStampedResourceOp:
        """Plans `get_buckets`."""
        return ScheduledStampedResourceOp(
            resource_handle=self.resource_handle, op=calls.quantile_accumulator_get_buckets
        )

    def _make_summary(self, column: Any, example_weights: Any) -> Tensor:
        error = self._epsilon / 2
        if isinstance(column, SparseTensor):
            made = calls.make_quantile_summaries(
                [],
                [column.indices],
                [column.values],
                [column.dense_shape],
                example_weights,
                epsilon=error,
            )
            summary: Tensor = made.sparse_summaries[0]
            return summary
        made = calls.make_quantile_summaries([column], [], [], [], example_weights, epsilon=error)
        summary = made.dense_summaries[0]
        return summary

    def add_summary(self, stamp_token: Any, column: Any, example_weights: Any) -> Operation:
        """An operation that adds values, unless the stamp is another one.

        Args:
          stamp_token: The stamp that the resource should have.
          column: Floats [batch_size, 1], or a sparse tensor of floats.
          example_weights: Floats [batch_size, 1].
        """
        return self.add_prebuilt_summary(stamp_token, self._make_summary(column, example_weights))

    def add_prebuilt_summary(self, stamp_token: Any, summary: Any) -> Operation:
        """The same for a summary that `make_quantile_summaries` has made."""
        made: Operation = calls.quantile_accumulator_add_summaries(
            [self.resource_handle], stamp_token, [summary]
        )
        return made

    def schedule_add_summary(
        self, stamp_token: Any, column: Any, example_weights: Any
    ) -> ScheduledStampedResourceOp:
        """Plans `add_summary`; the stamp is that of the plan."""
        return ScheduledStampedResourceOp(
            op=calls.quantile_accumulator_add_summaries,
            resource_handle=self.resource_handle,
            summaries=self._make_summary(column, example_weights),
        )

    def flush(self, stamp_token: Any, next_stamp_token: Any) -> Operation:
        """An operation that makes boundaries of what was added, and forgets that.

        Args:
          stamp_token: The stamp that the resource has.
          next_stamp_token: The one that it gets.
        """
        made: Operation = calls.quantile_accumulator_flush(
            self.resource_handle, stamp_token, next_stamp_token
        )
        return made

    def flush_summary(self, stamp_token: Any, next_stamp_token: Any) -> Tensor:
        """What was added, as a summary, which is forgotten then; see `flush`."""
        made: Tensor = calls.quantile_accumulator_flush_summary(
            self.resource_handle, stamp_token, next_stamp_token
        )
        return made
