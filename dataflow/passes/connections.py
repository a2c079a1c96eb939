"""Tensors that take the place of others for a step: `CallableOptions.tensor_connection`."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from dataflow.errors import InvalidArgumentError, NotFoundError
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.schema.node_validation import parse_input

Connected = Mapping[tuple[int, int], tuple[Node, int]]
"""By node id and output index: the node and the output that stand in that tensor's place."""


def connect(
    graph: NodeGraph, connections: Sequence[tuple[str, str]], fed: Container[tuple[int, int]]
) -> Connected:
    """What stands in the place of which tensor; a connection holds for those before it as well.

    Args:
      graph: Not changed.
      connections: Names of tensors, the one that stands in first.
      fed: What has a value from outside, by node id and output index.

    Raises:
      InvalidArgumentError: There is no such tensor to stand in, it is of another type, depends on
        the one that it replaces, or that one is replaced twice.
      NotFoundError: There is no such node whose tensor is to be replaced.
    """
    connected: dict[tuple[int, int], tuple[Node, int]] = {}
    for source, replaced in connections:
        node, output = _source(graph, source, replaced)
        target, target_output = _target(graph, replaced)
        place = target.id, target_output
        if place in fed or place in connected:
            raise _invalid(f'Endpoint "{replaced}" fed more than once.')
        if _depends(node, target, connected):
            raise _invalid(
                f'Requested Tensor connection between nodes "{target.name}" and "{node.name}" '
                "would create a cycle."
            )
        have = node.output_types[output].base_dtype
        want = target.output_types[target_output].base_dtype
        if have != want:
            raise _invalid(
                f'Requested tensor connection to "{replaced}" of type {want.name} from "{source}" '
                f"of type {have.name}."
            )
        for earlier, (stands_in, its_output) in connected.items():
            if (stands_in.id, its_output) == place:
                connected[earlier] = node, output
        connected[place] = node, output
    return connected


def _source(graph: NodeGraph, name: str, replaced: str) -> tuple[Node, int]:
    node_name, output = parse_input(name)
    node = graph.find(node_name)
    if node is None:
        raise _invalid(
            f'Requested tensor connection from unknown node: "{name}", in place of "{replaced}".'
        )
    count = len(node.output_types)
    if not 0 <= output < count:
        raise _invalid(
            f'Requested tensor connection from unknown edge: "{name}" (actual number of outputs = '
            f'{count}), in place of "{replaced}".'
        )
    return node, output


def _target(graph: NodeGraph, name: str) -> tuple[Node, int]:
    node_name, output = parse_input(name)
    node = graph.find(node_name)
    if node is None:
        raise NotFoundError(None, None, f"FeedInputs: unable to find feed output {name}")
    count = len(node.output_types)
    if not 0 <= output < count:
        raise _invalid(f"FeedInputs: {name} should have output index < {count}")
    return node, output


def _depends(node: Node, other: Node, connected: Connected) -> bool:
    """Whether a node waits for another one, with what is connected already."""
    seen = {node}
    stack = [node]
    while stack:
        found = stack.pop()
        if found is other:
            return True
        for edge in found.in_edges:
            src, _ = connected.get((edge.src.id, edge.src_output), (edge.src, 0))
            if src not in seen:
                seen.add(src)
                stack.append(src)
    return False


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)
