"""Simplification: what goes away, what stays, and what may never change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow
from dataflow.passes.algebra.simplify import SimplifyOptions, simplify
from dataflow.passes.algebra.static_shapes import FED_SHAPE
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.proto.config_pb2 import CallableOptions
from dataflow.schema import opdef
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.passes.building import CPU_0, CPU_1, Nodes, assert_sound, names, text

F = dtypes.float32
INT = dtypes.int32


class Fed(Nodes):
    """Nodes with a placeholder `x`, and `end` that uses what comes last."""

    def __init__(self, dtype: Any = F, **more: Any) -> None:
        super().__init__()
        self.dtype = dtype
        self.add("Placeholder", "x", dtype=dtype, **more)
        self.add("Placeholder", "y", dtype=dtype, **more)

    def op(self, op: str, name: str, *inputs: str, **attrs: Any) -> str:
        """Adds a node of the placeholder's type."""
        return self.add(op, name, inputs, T=self.dtype, **attrs)

    def number(self, name: str, value: Any) -> str:
        """Adds a constant of the placeholder's type."""
        return self.const(name, np.asarray(value, self.dtype.as_numpy_dtype))

    def simplified(self, last: str, **options: Any) -> str:
        """The graph with a user of `last`, simplified."""
        self.op("Sqrt" if self.dtype is F else "Square", "end", last)
        graph = self.graph()
        before = text(graph)
        result = simplify(graph, **options).graph
        assert text(graph) == before
        assert_sound(result)
        return text(result)


def _binary(op: str, number: Any, on_left: bool = False, dtype: Any = F) -> str:
    nodes = Fed(dtype)
    constant = nodes.number("c", number)
    nodes.op(op, "n", *((constant, "x") if on_left else ("x", constant)))
    return nodes.simplified("n").splitlines()[-1]


@pytest.mark.parametrize(
    ("op", "number", "on_left", "dtype"),
    [
        ("Mul", 1.0, False, F),
        ("Mul", 1.0, True, F),
        ("Mul", 1, True, INT),
        ("RealDiv", 1.0, False, F),
        ("AddV2", -0.0, True, F),
        ("AddV2", 0, True, INT),
        ("Sub", 0.0, False, F),
        ("Sub", 0, False, INT),
        ("FloorDiv", 1, False, INT),
        ("Pow", 1.0, False, F),
    ],
)
def test_neutral_operands_go(op: str, number: Any, on_left: bool, dtype: Any) -> None:
    assert _binary(op, number, on_left, dtype).endswith("(x)")


@pytest.mark.parametrize(
    ("op", "number", "on_left", "dtype"),
    [
        ("AddV2", 0.0, False, F),  # -0.0 + 0.0 is 0.0
        ("Sub", -0.0, False, F),
        ("Sub", 0.0, True, F),
        ("RealDiv", 1.0, True, F),
        ("Mul", 0.0, False, F),  # NaN * 0.0 is NaN
        ("Mul", [1.0, 1.0], False, F),  # the shape of x is not known
        ("FloorDiv", 1.0, False, F),
        ("AddV2", [0.0, -0.0], False, F),
    ],
)
def test_operands_that_matter_stay(op: str, number: Any, on_left: bool, dtype: Any) -> None:
    assert _binary(op, number, on_left, dtype).endswith("(n)")


@pytest.mark.parametrize(("exponent", "op"), [(2.0, "Square(x)"), (-1.0, "Reciprocal(x)")])
def test_powers(exponent: float, op: str) -> None:
    nodes = Fed()
    nodes.op("Pow", "n", "x", nodes.number("c", exponent))
    assert f"n = {op}" in nodes.simplified("n").splitlines()


def _shaped(*dims: int | None) -> Fed:
    """Nodes behind feeds whose shapes have been checked."""
    return Fed(shape=TensorShape(dims))


def _fed(nodes: Nodes) -> NodeGraph:
    """The graph with the placeholders as feeds of the shapes they declare."""
    graph = nodes.graph()
    for name in ("x", "y"):
        node = graph.find(name)
        assert node is not None
        shape = node.attrs["shape"]
        graph.remove_node(node) if not node.out_edges else _feed(graph, node, shape)
    return graph


def _feed(graph: NodeGraph, node: Any, shape: TensorShape) -> None:
    definition = opdef.find("_Arg")
    assert definition is not None
    node.op, node.op_def = "_Arg", definition
    node.attrs = {"T": node.output_types[0], "index": 0, FED_SHAPE: shape}


def _simplified(nodes: Fed, last: str) -> str:
    nodes.op("Sqrt", "end", last)
    result = simplify(_fed(nodes)).graph
    assert_sound(result)
    return text(result)


def test_known_shapes_become_constants() -> None:
    nodes = _shaped(3, 4)
    for op, attr in (("Shape", "out_type"), ("Size", "out_type"), ("Rank", "")):
        nodes.op(op, op.lower(), "x", **({attr: INT} if attr else {}))
        nodes.add("Cast", f"{op}_end", [op.lower()], SrcT=INT, DstT=F)
    nodes.op("Neg", "n", "x")
    graph = simplify(_fed(nodes)).graph
    values = {n.name: n.attrs["value"].tolist() for n in graph.nodes() if n.op == "Const"}
    # "n" has no user; what has none is a target, which nobody simplifies away.
    assert values == {"shape": [3, 4], "size": 12, "rank": 2}


def test_a_size_is_read_of_a_shape_that_is_known_in_part() -> None:
    for begin, folded in ((1, True), (0, False)):
        nodes = _shaped(None, 4)
        nodes.op("Shape", "s", "x", out_type=INT)
        bounds = [
            nodes.const(f"b{i}", np.array([v], np.int32))
            for i, v in enumerate((begin, begin + 1, 1))
        ]
        nodes.add("StridedSlice", "n", ["s", *bounds], T=INT, Index=INT, shrink_axis_mask=1)
        nodes.add("Cast", "c", ["n"], SrcT=INT, DstT=F)
        result = _simplified(nodes, "c")
        assert ("Shape" not in result) is folded


def _gradient(own: tuple[int | None, ...], other: tuple[int | None, ...]) -> str:
    """What is left of the sum and reshape that make the gradient of a broadcast operand."""
    nodes = Nodes()
    for name, dims in (("x", own), ("y", other)):
        nodes.add("Placeholder", name, dtype=F, shape=TensorShape(dims))
        nodes.add("Shape", f"{name}_shape", [name], T=F, out_type=INT)
    nodes.float_op("Mul", "product", "x", "y")
    nodes.add("BroadcastGradientArgs", "axes", ["x_shape", "y_shape"], T=INT)
    nodes.add("Sum", "sum", ["product", "axes"], T=F, Tidx=INT)
    nodes.add("Reshape", "gradient", ["sum", "x_shape"], T=F, Tshape=INT)
    nodes.float_op("Sqrt", "end", "gradient")
    result = simplify(_fed(nodes)).graph
    assert_sound(result)
    return " ".join(n.op for n in result.nodes() if n.op not in ("_Arg", "Const"))


@pytest.mark.parametrize(
    ("own", "other", "left"),
    [
        ((3, 4), (3, 4), "Mul Sqrt"),
        ((3, 4), (4,), "Mul Sqrt"),
        ((4,), (3, 4), "Mul Sum Sqrt"),
        ((3, 1), (3, 4), "Mul Sum Reshape Sqrt"),
        # The batch size is not known, but it is the same one.
        ((None, 4), (4,), "Mul Sqrt"),
        ((4,), (None, 4), "Mul Sum Sqrt"),
    ],
)
def test_the_gradient_of_a_broadcast(own: Any, other: Any, left: str) -> None:
    assert _gradient(own, other) == left


def test_two_sizes_that_are_not_known_may_differ() -> None:
    assert "BroadcastGradientArgs" in _gradient((None, 4), (None, 4))


def test_reshapes() -> None:
    nodes = _shaped(2, 6)
    for index, sizes in enumerate(([3, 4], [12], [2, -1])):
        target = nodes.const(f"s{index}", np.array(sizes, np.int32))
        nodes.op("Reshape", f"r{index}", f"r{index - 1}" if index else "x", target, Tshape=INT)
    assert _simplified(nodes, "r2").splitlines()[-1] == "end = Sqrt(x)"


def test_a_reshape_of_which_nothing_is_known_stays() -> None:
    nodes = _shaped(None, None)
    nodes.op("Reshape", "r", "x", nodes.const("s", np.array([2, -1], np.int32)), Tshape=INT)
    assert "r = Reshape" in _simplified(nodes, "r")


def test_what_passes_on_several() -> None:
    """As of a custom gradient; where one of them is dead, neither may come through."""
    for switched in (False, True):
        nodes = Fed()
        second = "y"
        if switched:
            nodes.add("Placeholder", "p", dtype=dtypes.bool)
            second = nodes.op("Sqrt", "r", nodes.add("Switch", "s", ["y", "p"], T=F) + ":1")
        nodes.add("IdentityN", "n", ["x", second], T=[F, F])
        nodes.op("Sqrt", "a", "n:0")
        lines = nodes.simplified("n:1").splitlines()
        assert ("a = Sqrt(x)" in lines) is not switched
        assert ("end = Sqrt(y)" in lines) is not switched


def test_targets_and_waiting_nodes_stay() -> None:
    nodes = Fed()
    one = nodes.number("one", 1.0)
    nodes.op("Mul", "target", "x", one)
    nodes.add("NoOp", "first")
    nodes.op("Mul", "waits", "target", one, "^first")
    result = nodes.simplified("waits", targets={"target"}, options=SimplifyOptions(order=False))
    assert "target = Mul(x, one)" in result and "waits = Mul(target, one, ^first)" in result


def test_nobody_waits_for_what_only_computes() -> None:
    nodes = Fed()
    nodes.op("Exp", "a", "x")
    nodes.op("Neg", "b", "y")
    nodes.add("NoOp", "gate", ["^a", "^b"])
    nodes.op("Identity", "first", "a", "^gate")
    nodes.op("Identity", "second", "b", "^gate")
    nodes.op("Mul", "product", "first", "second")
    lines = nodes.simplified("product").splitlines()
    assert "product = Mul(a, b)" in lines and not any("gate" in line for line in lines)


def test_gates_before_state_and_after_it_stay_in_order() -> None:
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.add("VariableV2", "v", dtype=F, shape=TensorShape([]))
    nodes.float_op("Neg", "read", "v")
    nodes.float_op("Exp", "computed", "read")
    nodes.add("NoOp", "gate", ["^computed"])
    nodes.add("AssignAdd", "update", ["v", "x", "^gate"], T=F)
    nodes.add("NoOp", "updated", ["^update"])
    nodes.float_op("Sqrt", "pure", "x", "^updated")
    nodes.add("Neg", "late", ["v", "^updated"], T=F)
    nodes.add("IdentityN", "end", ["computed", "pure", "late"], T=(F, F, F))
    lines = text(simplify(nodes.graph(), {"updated"}).graph).splitlines()
    assert "update = AssignAdd(v, x, ^read)" in lines
    assert "late = Neg(v, ^update)" in lines
    # No state is read here, so nobody can tell when it runs.
    assert "pure = Sqrt(x)" in lines and "updated = NoOp(^update)" in lines


def test_devices_stay_apart() -> None:
    nodes = Fed()
    nodes.op("Mul", "n", "x", nodes.number("one", 1.0))
    nodes.op("Sqrt", "end", "n")
    graph = nodes.graph()
    graph.assign(dict.fromkeys(names(graph), CPU_0) | {"n": CPU_1})
    assert "n = Mul" in text(simplify(graph).graph)


@pytest.mark.parametrize("arithmetic", [True, False])
@pytest.mark.parametrize("shapes", [True, False])
def test_switches(arithmetic: bool, shapes: bool) -> None:
    nodes = Fed()
    nodes.op("Mul", "n", "x", nodes.number("one", 1.0))
    nodes.op("Rank", "r", "one")
    nodes.add("Cast", "c", ["r"], SrcT=INT, DstT=F)
    nodes.op("AddV2", "sum", "n", "c")
    result = nodes.simplified("sum", options=SimplifyOptions(arithmetic, shapes))
    assert ("Mul" not in result) is arithmetic
    assert ("Rank" not in result) is shapes


def _with_variable(read_first: bool) -> tuple[Nodes, NodeGraph]:
    """An update of a variable by the size of what was computed from its old value."""
    nodes = Nodes()
    nodes.add("VariableV2", "v", dtype=F, shape=TensorShape([2]))
    nodes.float_op("Neg", "old", "v")
    nodes.float_op("Size", "size", "old", out_type=INT)
    nodes.add("Cast", "amount", ["size"], SrcT=INT, DstT=F)
    nodes.float_op("AssignAdd", "update", "v", "amount")
    if read_first:
        nodes.float_op("Sqrt", "end", "old")
    return nodes, nodes.graph()


def test_reads_and_writes_keep_their_order() -> None:
    result = text(simplify(_with_variable(True)[1]).graph)
    assert "Size" not in result
    # What the update takes is a constant now, but the read still comes first.
    assert "update = AssignAdd(v, amount, ^old)" in result


def test_a_variable_that_nobody_reads_any_more_must_still_have_a_value() -> None:
    result = text(simplify(_with_variable(False)[1]).graph)
    assert "old = Neg(v)" in result and "update = AssignAdd(v, amount, ^old)" in result


def test_variables_of_no_fixed_shape() -> None:
    _, graph = _with_variable(True)
    assert "Size" in text(simplify(graph, unproven={"v"}).graph)


def test_a_read_stays_where_it_is_while_others_write() -> None:
    nodes = Nodes()
    nodes.add("VariableV2", "v", dtype=F, shape=TensorShape([2]))
    nodes.float_op("Identity", "read", "v")
    nodes.float_op("Mul", "old", "read", nodes.const("one", 1.0))
    nodes.float_op("AssignAdd", "update", "v", nodes.const("more", np.ones(2, np.float32)), "^old")
    nodes.float_op("Sqrt", "end", "old")
    # Who uses `read` itself would see the value after the update.
    assert "end = Sqrt(old)" in text(simplify(nodes.graph()).graph)


@pytest.mark.parametrize("taken", [True, False])
def test_shapes_of_dead_branches(taken: bool) -> None:
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        x = dataflow.placeholder(dataflow.float32, [3])
        branch = dataflow.placeholder(dataflow.bool, [])
        chosen = dataflow.cond(
            branch,
            lambda: dataflow.size(dataflow.identity(dataflow.exp(x))) * 2,
            lambda: dataflow.rank(dataflow.exp(x) + 1.0),
        )
        assert session.run(chosen, {x: [1, 2, 3], branch: taken}) == (6 if taken else 1)


def test_feeds_that_nobody_checks_may_have_any_shape() -> None:
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        x = dataflow.placeholder(dataflow.float32, [3], name="x")
        size = dataflow.raw_ops.Size(input=dataflow.exp(x))
        assert session.run(size, {x: [1, 2, 3]}) == 3
        described = CallableOptions(feed=["x:0"], fetch=[size.name])
        run = session._make_callable_from_options(described)
        assert run(np.ones(5, np.float32)) == [5]
