"""Structures of graphs: what TensorFlow builds, or nodes by hand, pruned and analysed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow.compat.v1 as oracle

from dataflow.actors.control_flow.levels import UnstructuredError
from dataflow.actors.control_flow.structure import Block, Loop, Structure, find_structure
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.passes.prune import prune
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime.signature import StepSignature

oracle.disable_v2_behavior()
oracle.disable_control_flow_v2()
oracle.disable_resource_variables()


def pruned(build: Callable[[Any], Any]) -> NodeGraph:
    """What a step needs to give the tensors (or run the operations) that TensorFlow builds."""
    with oracle.Graph().as_default() as graph:
        built = oracle.nest.flatten(build(oracle))
        written = GraphDef.FromString(graph.as_graph_def().SerializeToString())
    fetches = tuple(item.name for item in built if ":" in item.name)
    targets = tuple(item.name for item in built if ":" not in item.name)
    return prune(import_graph(written), StepSignature((), fetches, targets))


def structure_of(graph: NodeGraph, waiting: Sequence[str] = ()) -> Structure:
    """The structure of a graph in which nodes of these op types wait for others."""
    return find_structure(graph, lambda node: node.op in waiting)


def refusal(graph: NodeGraph, waiting: Sequence[str] = ()) -> str:
    """Why the graph has no structure."""
    try:
        structure_of(graph, waiting)
    except UnstructuredError as error:
        return str(error)
    raise AssertionError("The graph has a structure.")


def guards(graph: NodeGraph, structure: Structure) -> dict[str, dict[str, int] | None]:
    """By node name the branches under which it runs, by the name of what decides."""
    found: dict[str, dict[str, int] | None] = {}
    for node in graph.nodes():
        guard = structure.guards[node.id]
        found[node.name] = guard and {
            structure.predicates[number].node.name: branch for number, branch in guard
        }
        if guard == ():
            found[node.name] = {}
    return found


def loops(block: Block) -> Iterator[Loop]:
    """The loops of a block and those inside of them."""
    for item in block.items:
        if isinstance(item, Loop):
            yield item
            yield from loops(item.body)


def body_names(loop: Loop) -> set[str]:
    """The names of the nodes of a loop that are not in a loop inside of it."""
    return {item.name for item in loop.body.items if not isinstance(item, Loop)}
