"""Node: one call of a layer on tensors that layers made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from dataflow.values import nest


class KerasHistory(NamedTuple):
    """Which output of which call of which layer a tensor is."""

    layer: Any
    node_index: int
    tensor_index: int


def history_of(tensor: Any) -> Any:
    """The `KerasHistory` of a tensor, or None."""
    return getattr(tensor, "_keras_history", None)


class Node:
    """One call of a layer.

    Attributes:
      outbound_layer: The layer.
      input_tensors: What it was called on.
      output_tensors: What it gave.
      arguments: The other arguments of the call, by name.
    """

    def __init__(self, layer: Any, inputs: Any, outputs: Any, arguments: dict[str, Any]) -> None:
        self.outbound_layer = layer
        self.input_tensors = inputs
        self.output_tensors = outputs
        self.arguments = arguments
        layer._inbound_nodes.append(self)
        for parent in self.parents():
            if parent.outbound_layer is not layer:
                parent.outbound_layer._outbound_nodes.append(self)

    def sources(self) -> list[Any]:
        """The tensors of layers that it was called with."""
        given = [] if self.input_tensors is None else nest.flatten(self.input_tensors)
        given = [*given, *nest.flatten(self.arguments)]
        return [each for each in given if history_of(each) is not None]

    def parents(self) -> Iterator[Node]:
        """The calls that made these."""
        for tensor in self.sources():
            history = history_of(tensor)
            if history.layer._inbound_nodes:
                yield history.layer._inbound_nodes[history.node_index]

    @property
    def inbound_layers(self) -> Any:
        """The layers before it: one, or a list."""
        layers = [history_of(each).layer for each in self.sources()]
        if layers == [self.outbound_layer] and self.input_tensors is self.output_tensors:
            return []
        return layers[0] if len(layers) == 1 else layers

    @property
    def input_shapes(self) -> Any:
        """The sizes of what the layer was called on."""
        return _sizes(self.input_tensors)

    @property
    def output_shapes(self) -> Any:
        """The sizes of what it gave."""
        return _sizes(self.output_tensors)


def _sizes(tensors: Any) -> Any:
    return nest.map_structure(lambda each: tuple(each.shape.as_list()), tensors)
