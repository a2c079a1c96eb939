"""Layers that a model has beside those between its ends: its own losses and metrics."""

from __future__ import annotations

from typing import Any

from dataflow.keras import ops
from dataflow.keras.engine import context
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.engine.graph_of_layers import map_graph
from dataflow.keras.engine.history import create_keras_history, needs_keras_history
from dataflow.keras.engine.node import Node, history_of
from dataflow.keras.engine.refusals import refuse_legacy
from dataflow.values import nest


class AddLoss(Layer):
    """Adds what it is called on as a loss.

    Args:
      unconditional: Whether the loss counts whatever the inputs are.
      **kwargs: See `Layer`.
    """

    def __init__(self, unconditional: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.unconditional = unconditional

    def call(self, inputs: Any) -> Any:
        """The loss itself."""
        self.add_loss(inputs, inputs=None if self.unconditional else True)
        return inputs

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {**self._base_config(), "unconditional": self.unconditional}


class AddMetric(Layer):
    """Adds what it is called on as a metric.

    Args:
      aggregation: "mean", or None.
      metric_name: Name of the metric.
      **kwargs: See `Layer`.
    """

    def __init__(
        self, aggregation: str | None = None, metric_name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.aggregation, self.metric_name = aggregation, metric_name

    def call(self, inputs: Any) -> Any:
        """The value itself."""
        self.add_metric(inputs, self.aggregation, self.metric_name)
        return inputs

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {
            **self._base_config(),
            "aggregation": self.aggregation,
            "metric_name": self.metric_name,
        }


class Extensible(Layer):
    """The part of a model that takes in further layers, for its own losses and metrics."""

    inputs: Any
    _ordered_nodes: list[Node]
    _self_layers_of_graph: list[Any]

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses; see `Layer`. Those of the model's tensors are layers of it from now on."""
        for loss in nest.flatten(losses):
            if self._is_computed(loss):
                self._self_append(AddLoss(unconditional=False), loss)
            else:
                super().add_loss(loss, inputs)

    def add_metric(
        self, value: Any, aggregation: str | None = None, name: str | None = None
    ) -> None:
        """Adds a metric; see `Layer`. One of the model's tensors is a layer of it from now on."""
        if self._is_computed(value) and aggregation == "mean" and name is not None:
            self._self_append(AddMetric(aggregation, name), value)
        else:
            super().add_metric(value, aggregation, name)

    def _is_computed(self, value: Any) -> bool:
        """Whether a tensor comes of the layers of a model that has inputs and outputs."""
        if not self._is_graph_network or context.in_call() or not isinstance(value, ops.Tensor):
            return False
        return history_of(value) is not None or needs_keras_history(value)

    def _self_append(self, layer: Layer, tensor: Any) -> None:
        """Calls a layer on a tensor, and takes in what that comes of."""
        create_keras_history(tensor)
        graph = map_graph(self.inputs, [tensor])
        layer(tensor)
        self._self_insert(graph.nodes + layer._inbound_nodes, [*graph.layers, layer])

    def _self_insert(self, nodes: list[Node], layers: list[Any]) -> None:
        """Takes in calls in their order, and layers, that are not on the way to the outputs."""
        known: set[int] = {id(each) for each in (*self._ordered_nodes, *self._self_layers_of_graph)}
        self._ordered_nodes = [*self._ordered_nodes, *(n for n in nodes if id(n) not in known)]
        own = [each for each in layers if id(each) not in known]
        self._self_layers_of_graph = [*self._self_layers_of_graph, *own]

    def _insert_layers(self, layers: Any, relevant_nodes: Any = None) -> None:
        """Takes in layers with their calls, or with some of these."""
        refuse_legacy(layers)
        nodes = [node for each in layers for node in each._inbound_nodes]
        self._self_insert(list(relevant_nodes or nodes), list(layers))

    def _insert_beside(self, layers: Any) -> None:
        """Takes in those layers that are not on the way to the outputs, with all their calls."""
        known = {id(each) for each in self._self_layers_of_graph}
        beside = [each for each in layers if id(each) not in known]
        self._self_insert([node for each in beside for node in each._inbound_nodes], beside)
