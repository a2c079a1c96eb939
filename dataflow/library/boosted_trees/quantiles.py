"""Quantiles of features' values, that are accumulated over steps, as a resource of the graph."""

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
from dataflow.variables.resources import register_resource


class QuantileAccumulatorSaveable(SaveableObject):
    """The boundaries of buckets, as a checkpoint has them."""

    def __init__(
        self, resource_handle: Tensor, create_op: Any, num_streams: int, name: str
    ) -> None:
        """Wraps the resource behind a handle.

        Args:
          resource_handle: The handle.
          create_op: Creates the resource.
          num_streams: How many features there are.
          name: Begins the names in the checkpoint.
        """
        self._resource_handle = resource_handle
        self._create_op = create_op
        boundaries = calls.get_bucket_boundaries(resource_handle, num_streams)
        specs = [
            SaveSpec(values, "", f"{name}_bucket_boundaries_{stream}")
            for stream, values in enumerate(boundaries)
        ]
        super().__init__(resource_handle, specs, name)

    def restore(
        self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[Any] | None
    ) -> Operation:
        """An operation that gives the streams their boundaries."""
        with control_dependencies([self._create_op]):
            made: Operation = calls.quantile_resource_deserialize(
                self._resource_handle, bucket_boundaries=list(restored_tensors)
            )
        return made


class QuantileAccumulator(TrackableResource):
    """Streams of features' values, from which the boundaries of buckets are made.

    Checkpoints hold the boundaries, and not what is in the streams.
    """

    def __init__(
        self,
        epsilon: float,
        num_streams: int,
        num_quantiles: int,
        name: str | None = None,
        max_elements: int | None = None,
    ) -> None:
        """Makes the resource and what creates it, and puts both into the graph's collections.

        Args:
          epsilon: By which part of all weight ranks may be off.
          num_streams: How many features there are.
          num_quantiles: How many boundaries are wanted.
          name: Name of the resource.
          max_elements: Not used, as in TensorFlow.
        """
        super().__init__()
        self._eps = epsilon
        self._num_streams = num_streams
        self._num_quantiles = num_quantiles
        with name_scope(name, "QuantileAccumulator") as scope:
            self._name = scope
            self._resource_handle = self._create_resource()
            self._init_op = self._initialize()
            is_initialized = self.is_initialized()
        register_resource(self.resource_handle, self._init_op, is_initialized)
        self._saveable = QuantileAccumulatorSaveable(
            self.resource_handle, self._init_op, num_streams, self.resource_handle.name
        )
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    def _create_resource(self) -> Any:
        return calls.quantile_resource_handle_op(
            container="", shared_name=self._name, name=self._name
        )

    def _initialize(self) -> Any:
        return calls.create_quantile_stream_resource(
            self.resource_handle, self._eps, self._num_streams
        )

    @property
    def initializer(self) -> Operation:
        """The operation that creates the resource."""
        op: Operation = self._init_op
        return op

    def is_initialized(self) -> Tensor:
        """Whether the resource was created: a boolean scalar."""
        made: Tensor = calls.is_quantile_resource_initialized(self.resource_handle)
        return made

    @property
    def saveable(self) -> QuantileAccumulatorSaveable:
        """What checkpoints save of it."""
        return self._saveable

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """What checkpoints of objects save of it."""
        return {"quantile_accumulator": lambda name: self._saveable_of(name)}

    def _saveable_of(self, name: str) -> QuantileAccumulatorSaveable:
        return QuantileAccumulatorSaveable(
            self.resource_handle, self._init_op, self._num_streams, name
        )

    def add_summaries(self, float_columns: Sequence[Any], example_weights: Any) -> Operation:
        """An operation that adds values of features.

        Args:
          float_columns: A vector of floats for each feature.
          example_weights: A vector with a weight for each example, or with one for all.
        """
        summaries = calls.make_quantile_summaries(float_columns, example_weights, self._eps)
        made: Operation = calls.quantile_add_summaries(self.resource_handle, summaries)
        return made

    def flush(self) -> Operation:
        """An operation that makes boundaries of what was added, and forgets that."""
        made: Operation = calls.quantile_flush(self.resource_handle, self._num_quantiles)
        return made

    def get_bucket_boundaries(self) -> list[Tensor]:
        """For each feature, the boundaries: a vector of floats."""
        found: list[Tensor] = calls.get_bucket_boundaries(self.resource_handle, self._num_streams)
        return found
