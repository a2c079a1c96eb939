"""Constant folding: what is computed, what must not be, and what order it keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow.passes.algebra.fold import MAX_FOLDED_BYTES, fold
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.order import topological_order
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.passes.building import (
    CPU_0,
    CPU_1,
    Nodes,
    assert_golden,
    assert_sound,
    closed_under_inputs,
    names,
    read_golden,
    text,
)

_NUMPY: dict[str, Callable[..., Any]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Fill": np.full,
    "Identity": lambda x: x,
}


def evaluate(node: Node, inputs: Sequence[np.ndarray]) -> list[Any]:
    """Runs a node by numpy; Split along its axis."""
    if node.op == "Split":
        return np.split(inputs[1], node.attrs["num_split"], int(inputs[0]))
    return [_NUMPY[node.op](*inputs)]


def _value(graph: NodeGraph, name: str) -> Any:
    node = graph.find(name)
    assert node is not None and node.op == "Const"
    assert not node.attrs["value"].flags.writeable
    return node.attrs["value"].tolist()


def test_golden() -> None:
    # sum = 1 + 2 and double = sum + sum are gone into the constant `double`, which waits, as a
    # did, for `start`; y uses it; b is still there for `also`, a is not needed any more.
    graph = import_graph(read_golden("fold"))
    before = text(graph)
    assert_golden(fold(graph, evaluate), "fold_out")
    assert text(graph) == before


def test_nothing_to_fold_gives_the_graph_itself() -> None:
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.const("c", 1.0)
    nodes.float_op("Add", "y", "x", "c")
    graph = nodes.graph()
    assert fold(graph, evaluate) is graph


def test_each_used_output_becomes_a_constant() -> None:
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.const("axis", np.int32(0))
    nodes.const("c", [1.0, 2.0, 3.0])
    nodes.const("s/output_2", 9.0)
    nodes.add("Split", "s", ["axis", "c"], num_split=3, T=dtypes.float32)
    nodes.float_op("Add", "y", "x", "s:2")
    nodes.float_op("Add", "z", "y", "s")
    nodes.float_op("Add", "w", "z", "s/output_2")
    folded = fold(nodes.graph(), evaluate)
    assert names(folded) == {"x", "s/output_0", "s/output_2", "s/output_2_1", "y", "z", "w"}
    assert _value(folded, "s/output_0") == [1.0]
    assert _value(folded, "s/output_2_1") == [3.0]
    assert "y = Add(x, s/output_2_1)" in text(folded)
    assert_sound(folded)


def test_control_dependencies_are_kept_through_what_is_folded() -> None:
    nodes = Nodes()
    for name in ("p", "q", "r"):
        nodes.add("NoOp", name)
    nodes.placeholder("x")
    nodes.const("a", 1.0, ["^p"])
    nodes.const("b", 2.0)
    nodes.float_op("Add", "sum", "a", "b", "^q")
    nodes.float_op("Neg", "neg", "sum", "^a", "^b")
    nodes.float_op("Add", "y", "x", "neg")
    nodes.add("NoOp", "after", ["^sum", "^r"])
    folded = fold(nodes.graph(), evaluate)
    assert text(folded).splitlines()[3:] == [
        "x = Placeholder()",
        "neg = Const(^p, ^q)",
        "y = Add(x, neg)",
        "after = NoOp(^p, ^q, ^r)",
    ]
    assert _value(folded, "neg") == -3.0


@pytest.mark.parametrize(
    ("op", "inputs", "attrs"),
    [
        ("RandomUniform", ["shape"], {"T": dtypes.int32, "dtype": dtypes.float32}),
        ("PlaceholderWithDefault", ["c"], {"dtype": dtypes.float32, "shape": TensorShape(None)}),
        (
            "EmptyTensorList",
            ["shape", "one"],
            {"element_dtype": dtypes.float32, "shape_type": dtypes.int32},
        ),
        ("Enter", ["c"], {"T": dtypes.float32, "frame_name": b"f"}),
        ("Exit", ["c"], {"T": dtypes.float32}),
        ("NextIteration", ["c"], {"T": dtypes.float32}),
        ("Merge", ["c", "c"], {"T": dtypes.float32, "N": 2}),
        ("Switch", ["c", "true"], {"T": dtypes.float32}),
        ("LoopCond", ["true"], {}),
        ("VarHandleOp", [], {"dtype": dtypes.float32, "shape": TensorShape([])}),
        (
            "_Recv",
            [],
            {
                "tensor_type": dtypes.float32,
                "tensor_name": b"t",
                "send_device": b"d",
                "send_device_incarnation": 1,
                "recv_device": b"e",
            },
        ),
        ("_Arg", [], {"T": dtypes.float32, "index": 0}),
    ],
)
def test_never_folded(op: str, inputs: list[str], attrs: dict[str, Any]) -> None:
    nodes = Nodes()
    nodes.const("shape", np.array([2], np.int32))
    nodes.const("c", 1.0)
    nodes.const("one", np.int32(1))
    nodes.const("true", np.bool_(True))
    nodes.add(op, "n", inputs, **attrs)
    nodes.add("NoOp", "after", ["^n"])

    evaluated: list[str] = []

    def noted(node: Node, values: Any) -> list[Any]:
        evaluated.append(node.name)
        return [values[0]] * len(node.output_types)

    graph = import_graph(nodes.graph_def, partition=True)
    assert fold(graph, noted) is graph
    assert evaluated == []


def test_references_and_handles_are_never_folded() -> None:
    nodes = Nodes()
    nodes.add("VariableV2", "v", dtype=dtypes.float32, shape=TensorShape([]))
    nodes.const("c", 1.0)
    nodes.float_op("Assign", "set", "v", "c")
    nodes.float_op("Identity", "read", "set")
    nodes.float_op("Neg", "y", "read")
    graph = nodes.graph()
    assert fold(graph, evaluate) is graph


def test_a_target_is_not_evaluated() -> None:
    nodes = Nodes()
    nodes.const("a", 1.0)
    nodes.float_op("Neg", "y", "a")
    graph = nodes.graph()
    assert fold(graph, evaluate) is graph


def test_a_failure_leaves_the_node_for_the_step() -> None:
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.const("a", [1.0, 2.0])
    nodes.const("b", [1.0, 2.0, 3.0])
    nodes.float_op("Neg", "n", "a")
    nodes.float_op("Add", "bad", "n", "b")
    nodes.float_op("Neg", "more", "bad")
    nodes.float_op("Add", "y", "x", "more")
    folded = fold(nodes.graph(), evaluate)
    assert text(folded).splitlines() == [
        "x = Placeholder()",
        "b = Const()",
        "n = Const()",
        "bad = Add(n, b)",
        "more = Neg(bad)",
        "y = Add(x, more)",
    ]


def test_a_large_result_stays_an_op() -> None:
    nodes = Nodes()
    nodes.placeholder("x")
    limit = MAX_FOLDED_BYTES // 4
    nodes.const("one", 1.0)
    for name, size in (("fits", limit), ("large", limit + 1)):
        nodes.const(f"{name}_size", np.array([size], np.int32))
        nodes.float_op("Fill", name, f"{name}_size", "one", index_type=dtypes.int32)
        nodes.graph_def.node[-1].attr["T"].type = 1
        nodes.float_op("Add", f"{name}_sum", "x", name)
    folded = fold(nodes.graph(), evaluate)
    ops = {node.name: node.op for node in folded.nodes()}
    assert (ops["fits"], ops["large"]) == ("Const", "Fill")
    assert fold(nodes.graph(), evaluate, max_bytes=3).find("fits").op == "Fill"


def test_values_are_of_the_declared_type() -> None:
    nodes = Nodes()
    nodes.const("s", "text")
    nodes.add("Identity", "i", ["s"], T=dtypes.string)
    nodes.add("Identity", "y", ["i"], T=dtypes.string)
    nodes.add("NoOp", "after", ["^y"])
    nodes.placeholder("x")
    nodes.add("IdentityN", "both", ["x", "y"], T=(dtypes.float32, dtypes.string))
    folded = fold(nodes.graph(), lambda node, inputs: [bytes(inputs[0][()])])
    node = folded.find("y")
    assert node is not None and node.attrs["dtype"] is dtypes.string
    assert node.attrs["value"].dtype == object and node.attrs["value"][()] == b"text"
    assert "after = NoOp()" in text(folded)


def test_the_constant_stays_on_its_device() -> None:
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.const("a", 1.0)
    nodes.float_op("Neg", "n", "a", device="/cpu:1")
    nodes.float_op("Add", "y", "x", "n")
    graph = nodes.graph()
    graph.assign({"x": CPU_0, "a": CPU_0, "n": CPU_1, "y": CPU_0})
    graph.node(4).created_at = "model.py:3"
    node = fold(graph, evaluate).find("n")
    assert node is not None
    assert (node.device, node.assigned_device, node.created_at) == ("/cpu:1", CPU_1, "model.py:3")


def test_a_deep_chain_keeps_one_value_at_a_time() -> None:
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.const("n0", 1.0)
    for index in range(1, 20_000):
        nodes.float_op("Neg", f"n{index}", f"n{index - 1}")
    nodes.float_op("Add", "y", "x", "n19999")
    alive: list[int] = []
    values: dict[int, Any] = {}

    class Counted(np.ndarray):
        """Tells when it goes."""

        def __del__(self) -> None:
            values.pop(id(self), None)

    def counting(node: Node, inputs: Sequence[np.ndarray]) -> list[Any]:
        result = np.negative(inputs[0]).view(Counted)
        values[id(result)] = True
        alive.append(len(values))
        return [result]

    folded = fold(nodes.graph(), counting)
    assert names(folded) == {"x", "n19999", "y"} and _value(folded, "n19999") == -1.0
    assert max(alive) < 10


@st.composite
def _random_graphs(draw: st.DrawFn) -> NodeGraph:
    nodes = Nodes()
    nodes.placeholder("n0")
    nodes.const("n1", 3.0)
    for index in range(2, draw(st.integers(3, 20))):
        earlier = [f"n{i}" for i in range(index)]
        controls = [f"^{c}" for c in draw(st.lists(st.sampled_from(earlier), max_size=2))]
        op = draw(st.sampled_from(["Const", "Add", "Sub", "Mul", "Neg"]))
        if op == "Const":
            nodes.const(f"n{index}", float(draw(st.integers(-3, 3))), controls)
        else:
            count = 1 if op == "Neg" else 2
            data = draw(st.lists(st.sampled_from(earlier), min_size=count, max_size=count))
            nodes.float_op(op, f"n{index}", *data, *controls)
    return nodes.graph()


def _run(graph: NodeGraph) -> dict[str, Any]:
    """The values of all nodes, the placeholder being 2."""
    values: dict[Node, Any] = {}
    for node in topological_order(graph):
        if node.op == "Const":
            values[node] = node.attrs["value"]
        elif node.op == "Placeholder":
            values[node] = np.float32(2.0)
        else:
            inputs = [values[edge.src] for edge in node.data_edges()]
            (values[node],) = evaluate(node, inputs)
    return {node.name: float(value) for node, value in values.items()}


def _waits_for(graph: NodeGraph) -> dict[str, set[str]]:
    """For each node all placeholders and stateful ends it comes after."""
    after: dict[Node, set[str]] = {}
    for node in topological_order(graph):
        found = {node.name} if node.op == "Placeholder" else set()
        for edge in node.in_edges:
            found |= after[edge.src]
        after[node] = found
    return {node.name: found for node, found in after.items()}


@given(_random_graphs())
def test_folding_changes_neither_values_nor_order(graph: NodeGraph) -> None:
    folded = fold(graph, evaluate)
    assert_sound(folded)
    assert not list(closed_under_inputs(folded))
    before, after = _run(graph), _run(folded)
    kept = {node.name for node in graph.nodes() if not node.out_edges}
    assert kept <= set(after)
    assert {name: before[name] for name in after} == after
    order_before, order_after = _waits_for(graph), _waits_for(folded)
    assert all(order_after[name] == order_before[name] for name in order_after)
    # Nothing is left to fold.
    again = fold(folded, evaluate)
    assert names(again) == names(folded)
