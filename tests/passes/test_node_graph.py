"""NodeGraph: numbering, reuse of freed numbers, and agreement of nodes and edges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow.passes.graphs.node_graph import SINK_ID, SOURCE_ID, Node, NodeGraph
from dataflow.passes.graphs.order import topological_order
from dataflow.schema import opdef
from dataflow.values import dtypes
from tests.passes.building import Nodes, assert_sound


def _add(graph: NodeGraph, name: str) -> Node:
    definition = opdef.find("AddV2")
    assert definition is not None
    return graph.add_node(name, definition, {"T": dtypes.float32})


def test_source_and_sink_come_first() -> None:
    graph = NodeGraph()
    assert (graph.source.id, graph.sink.id) == (SOURCE_ID, SINK_ID) == (0, 1)
    assert _add(graph, "a").id == 2
    assert [node.name for node in graph.nodes()] == ["a"]
    assert graph.find("_SOURCE") is None


def test_a_node_knows_its_types() -> None:
    node = _add(NodeGraph(), "a")
    assert node.input_types == (dtypes.float32, dtypes.float32)
    assert node.output_types == (dtypes.float32,)


def test_freed_ids_are_given_again() -> None:
    graph = NodeGraph()
    a, b, c = (_add(graph, name) for name in "abc")
    graph.add_edge(a, 0, c, 0)
    second = graph.add_edge(b, 0, c, 1)
    freed = b.id
    graph.remove_node(b)
    assert graph.find("b") is None and graph.num_edges == 1
    with pytest.raises(KeyError):
        graph.node(freed)
    d = _add(graph, "d")
    assert d.id == freed and graph.node(freed) is d
    assert graph.add_edge(d, 0, c, 1).id == second.id
    assert graph.node_id_bound == 5
    assert_sound(graph)


def test_names_are_unique() -> None:
    graph = NodeGraph()
    _add(graph, "a")
    with pytest.raises(ValueError, match="Node 'a' is not unique"):
        _add(graph, "a")
    assert graph.unique_name("a") == "a_1" and graph.unique_name("b") == "b"
    assert len(graph) == 1


def test_source_and_foreign_nodes_cannot_be_removed() -> None:
    graph = NodeGraph()
    foreign = _add(NodeGraph(), "a")
    for node in (graph.source, graph.sink, foreign):
        with pytest.raises(ValueError, match="cannot be removed"):
            graph.remove_node(node)


def test_a_control_edge_is_there_once() -> None:
    graph = NodeGraph()
    a, b = _add(graph, "a"), _add(graph, "b")
    edge = graph.add_control_edge(a, b)
    assert edge.is_control and (edge.src_output, edge.dst_input) == (-1, -1)
    assert graph.add_control_edge(a, b) is edge
    assert graph.add_control_edge(b, a) is not edge
    assert graph.num_edges == 2


def test_a_self_edge_is_removed_with_its_node() -> None:
    graph = NodeGraph()
    a = _add(graph, "a")
    graph.add_edge(a, 0, a, 0)
    graph.remove_node(a)
    assert graph.num_edges == 0
    assert_sound(graph)


def test_move_source_keeps_one_control_edge() -> None:
    graph = NodeGraph()
    a, b, c = (_add(graph, name) for name in "abc")
    kept = graph.add_control_edge(a, c)
    graph.move_source(graph.add_control_edge(b, c), a, -1)
    assert list(c.in_edges) == [kept]
    data = graph.add_edge(b, 0, c, 0)
    graph.move_source(data, a, 0)
    assert data.src is a and data in a.out_edges and not b.out_edges
    assert_sound(graph)


def test_source_and_sink_edges() -> None:
    graph = NodeGraph()
    a, b, c = (_add(graph, name) for name in "abc")
    graph.add_edge(a, 0, b, 0)
    graph.connect_source_and_sink()
    assert {edge.dst.name for edge in graph.source.out_edges} == {"a", "c"}
    assert {edge.src.name for edge in graph.sink.in_edges} == {"b", "c"}
    for edge in list(graph.source.out_edges):
        if edge.dst is c:
            graph.remove_edge(edge)
    graph.add_edge(b, 0, c, 0)
    graph.connect_source_and_sink()
    assert {edge.dst.name for edge in graph.source.out_edges} == {"a"}
    assert {edge.src.name for edge in graph.sink.in_edges} == {"c"}
    assert_sound(graph)


def test_copies_do_not_share_structure() -> None:
    nodes = Nodes()
    nodes.const("a", 1.0)
    nodes.float_op("AddV2", "b", "a", "a", "^a")
    graph = nodes.graph()
    graph.assign({"a": "/job:w/replica:0/task:0/device:CPU:0"})
    graph.remove_node(graph.add_copy(graph.node(2), "gone"))
    twin = graph.copy()
    assert_sound(twin)
    assert [(n.id, n.name, n.assigned_device) for n in twin.nodes()] == [
        (n.id, n.name, n.assigned_device) for n in graph.nodes()
    ]
    assert list(map(repr, twin.edges())) == list(map(repr, graph.edges()))
    twin.remove_node(twin.node(3))
    assert graph.find("b") is not None and graph.num_edges == 3
    assert_sound(graph)


@given(st.data())
def test_any_sequence_of_changes_keeps_the_graph_sound(data: st.DataObject) -> None:
    graph = NodeGraph()
    live: list[Node] = []
    for step in range(data.draw(st.integers(1, 40))):
        action = data.draw(st.sampled_from(["node", "data", "control", "move", "drop", "cut"]))
        edges = list(graph.edges())
        if action == "node" or not live:
            live.append(_add(graph, f"n{step}"))
        elif action == "drop":
            graph.remove_node(live.pop(data.draw(st.integers(0, len(live) - 1))))
        elif action in ("cut", "move") and edges:
            edge = data.draw(st.sampled_from(edges))
            if action == "cut":
                graph.remove_edge(edge)
            else:
                output = -1 if edge.is_control else 0
                graph.move_source(edge, data.draw(st.sampled_from(live)), output)
        else:
            src, dst = data.draw(st.sampled_from(live)), data.draw(st.sampled_from(live))
            if action == "data":
                graph.add_edge(src, 0, dst, data.draw(st.integers(0, 1)))
            else:
                graph.add_control_edge(src, dst)
        assert_sound(graph)
    assert {node.name for node in graph.nodes()} == {node.name for node in live}
    # Dense numbering: no number is out of use while another is handed out.
    assert graph.node_id_bound <= 2 + 40
    assert_sound(graph.copy())


def test_order_of_a_graph_built_backwards() -> None:
    graph = NodeGraph()
    nodes = [_add(graph, f"n{index}") for index in range(5)]
    for earlier, later in zip(nodes[1:], nodes[:-1], strict=True):
        graph.add_edge(earlier, 0, later, 0)
    assert [node.name for node in topological_order(graph)] == ["n4", "n3", "n2", "n1", "n0"]
