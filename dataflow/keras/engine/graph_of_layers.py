"""The calls of layers between the inputs and the outputs of a model, in their order."""

from __future__ import annotations

from typing import Any, NamedTuple

from dataflow.keras.engine.node import Node, history_of
from dataflow.values import nest


class LayerGraph(NamedTuple):
    """Calls and layers, those furthest from the outputs first."""

    nodes: list[Node]
    layers: list[Any]


def map_graph(inputs: list[Any], outputs: list[Any]) -> LayerGraph:
    """The calls that make outputs of inputs.

    Raises:
      ValueError: An output does not come of the inputs, or two layers have one name.
    """
    given = {id(each) for each in inputs}
    order, layer_indices = _walked(outputs, given)
    node_depths: dict[Node, int] = {}
    layer_depths: dict[Any, int] = {}
    for node in reversed(order):
        layer = node.outbound_layer
        depth = max(node_depths.get(node, 0), layer_depths.get(layer, 0))
        layer_depths[layer] = node_depths[node] = depth
        for parent in _parents(node, given):
            node_depths[parent] = max(depth + 1, node_depths.get(parent, 0))
    for tensor in inputs:
        history = history_of(tensor)
        if history.layer not in layer_depths and history.layer._inbound_nodes:
            layer_depths[history.layer] = 0
            layer_indices[history.layer] = -1
            node_depths[history.layer._inbound_nodes[history.node_index]] = 0
    layers = sorted(layer_depths, key=lambda each: (-layer_depths[each], layer_indices[each]))
    nodes = sorted(node_depths, key=lambda each: -node_depths[each])
    _check(nodes, inputs, layers)
    return LayerGraph(nodes, layers)


def _parents(node: Node, given: set[int]) -> list[Node]:
    """The calls before a call, up to the inputs of the model."""
    found = []
    for tensor in node.sources():
        history = history_of(tensor)
        parent = history.layer._inbound_nodes[history.node_index]
        if parent is not node and not (id(tensor) in given and _is_cut(parent, given)):
            found.append(parent)
    return found


def _is_cut(node: Node, given: set[int]) -> bool:
    """Whether a model begins behind a call that is no `Input`'s."""
    return any(id(each) not in given for each in node.sources())


def _walked(outputs: list[Any], given: set[int]) -> tuple[list[Node], dict[Any, int]]:
    """Calls after those they come of, and layers numbered from the outputs on."""
    order: list[Node] = []
    indices: dict[Any, int] = {}
    done: set[int] = set()
    for output in outputs:
        history = history_of(output)
        start = history.layer._inbound_nodes[history.node_index]
        stack: list[tuple[Node, Any]] = [(start, None)]
        opened: set[int] = set()
        while stack:
            node, waiting = stack.pop()
            if waiting is None:
                if id(node) in done:
                    continue
                if id(node) in opened:
                    raise ValueError(f"The layer {node.outbound_layer.name} is part of a cycle.")
                opened.add(id(node))
                indices.setdefault(node.outbound_layer, len(indices))
                waiting = iter(_parents(node, given))
            parent = next(waiting, None)
            if parent is None:
                opened.discard(id(node))
                done.add(id(node))
                order.append(node)
            else:
                stack += [(node, waiting), (parent, None)]
    return order, indices


def _check(nodes: list[Node], inputs: list[Any], layers: list[Any]) -> None:
    known = {id(each) for each in inputs}
    seen: list[str] = []
    for node in nodes:
        layer = node.outbound_layer
        for tensor in node.sources():
            if id(tensor) not in known:
                raise ValueError(
                    f"Graph disconnected: cannot obtain value for tensor {tensor} at layer "
                    f'"{layer.name}". The following previous layers were accessed without issue: '
                    f"{seen}"
                )
        known.update(id(each) for each in nest.flatten(node.output_tensors))
        seen.append(layer.name)
    names = [each.name for each in layers]
    for name in names:
        if names.count(name) != 1:
            raise ValueError(
                f'The name "{name}" is used {names.count(name)} times in the model. All layer '
                "names should be unique."
            )
