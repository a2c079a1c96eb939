"""Calls, conditionals and loops as plain nodes: which nodes, where they run, what must run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops, gen_functional_ops

import dataflow as tf
from dataflow.passes.control_flow.lower import MAX_DEPTH, MAX_NODES, lower
from dataflow.passes.graphs.import_graph import extend
from dataflow.passes.graphs.node_graph import NodeGraph
from tests.control_flow.programs.function_programs import (
    FunctionProgram,
    as_ours,
    graph_def_of,
    oracle,
)
from tests.passes.building import assert_sound, text


def lowered(build: Callable[[], Any]) -> NodeGraph:
    """The NodeGraph of what TensorFlow builds, lowered."""
    return lowered_def(as_ours(graph_def_of(FunctionProgram(build))))


def lowered_def(graph_def: Any) -> NodeGraph:
    graph = NodeGraph()
    nodes = lower(graph, extend(graph, graph_def))
    assert_sound(graph)
    assert [node.id for node in nodes] == sorted(node.id for node in graph.nodes())
    assert [graph.find(node.name) for node in nodes] == nodes
    return graph


def defun(name: str, *types: Any, outputs: int = 1) -> Callable[[Callable[..., Any]], Any]:
    return function.Defun(*types, func_name=name, out_names=[f"out{i}" for i in range(outputs)])


@defun("half", oracle.float32)
def half(x: Any) -> Any:
    return oracle.multiply(x, oracle.constant(0.5, name="factor"), name="product")


@defun("plus", oracle.float32)
def plus(x: Any) -> Any:
    return oracle.add(x, 1.0, name="sum")


@defun("below", oracle.float32)
def below(x: Any) -> Any:
    return oracle.less(x, 9.0, name="less")


def _x() -> Any:
    return oracle.placeholder(oracle.float32, [], name="x")


def test_call() -> None:
    def build() -> None:
        x = _x()
        with oracle.control_dependencies([oracle.no_op(name="before")]):
            y = gen_functional_ops.partitioned_call([x], [oracle.float32], half, name="call")
        oracle.negative(y[0], name="after")

    assert text(lowered(build)).splitlines() == [
        "x = Placeholder()",
        "before = NoOp()",
        "call/_start = NoOp(^before)",
        "call/_input_0 = Identity(x, ^call/_start)",
        "call/_half/factor = Const(^call/_start)",
        "call/_half/product = Mul(call/_input_0, call/_half/factor)",
        "call = IdentityN(call/_half/product)",
        "after = Neg(call)",
    ]


def test_if() -> None:
    def build() -> None:
        p = oracle.placeholder(oracle.int32, [], name="p")
        functional_ops.If(p, [_x()], half, plus, name="cond")

    assert text(lowered(build)).splitlines() == [
        "p = Placeholder()",
        "x = Placeholder()",
        "cond/_condition = ToBool(p)",
        "cond/_switch = Switch(cond/_condition, cond/_condition)",
        "cond/_pivot_0 = Identity(cond/_switch)",
        "cond/_pivot_1 = Identity(cond/_switch:1)",
        "cond/_input_0 = Switch(x, cond/_condition)",
        "cond/_branch_0/sum/y = Const(^cond/_pivot_0)",
        "cond/_branch_0/sum = AddV2(cond/_input_0, cond/_branch_0/sum/y)",
        "cond/_branch_1/factor = Const(^cond/_pivot_1)",
        "cond/_branch_1/product = Mul(cond/_input_0:1, cond/_branch_1/factor)",
        "cond/_output_0 = Merge(cond/_branch_0/sum, cond/_branch_1/product)",
        "cond = IdentityN(cond/_output_0)",
    ]


def test_case() -> None:
    def build() -> None:
        index = oracle.placeholder(oracle.int32, [], name="i")
        gen_functional_ops.case(index, [_x()], [oracle.float32], [half, half], name="case")

    assert text(lowered(build)).splitlines() == [
        "i = Placeholder()",
        "x = Placeholder()",
        "case/_switch = _SwitchN(i, i)",
        "case/_pivot_0 = Identity(case/_switch)",
        "case/_pivot_1 = Identity(case/_switch:1)",
        "case/_input_0 = _SwitchN(x, i)",
        "case/_branch_0/factor = Const(^case/_pivot_0)",
        "case/_branch_0/product = Mul(case/_input_0, case/_branch_0/factor)",
        "case/_branch_1/factor = Const(^case/_pivot_1)",
        "case/_branch_1/product = Mul(case/_input_0:1, case/_branch_1/factor)",
        "case/_output_0 = Merge(case/_branch_0/product, case/_branch_1/product)",
        "case = IdentityN(case/_output_0)",
    ]


def test_while() -> None:
    @defun("double", oracle.float32, oracle.float32, outputs=2)
    def double(x: Any, step: Any) -> Any:
        return oracle.multiply(x, step, name="product"), step

    @defun("bound", oracle.float32, oracle.float32)
    def bound(x: Any, step: Any) -> Any:
        return oracle.less(x, 9.0, name="less")

    def build() -> None:
        step = oracle.placeholder(oracle.float32, [], name="step")
        gen_functional_ops._while([_x(), step], bound, double, parallel_iterations=3, name="loop")

    graph = lowered(build)
    assert text(graph).splitlines() == [
        "step = Placeholder()",
        "x = Placeholder()",
        "loop/_enter_0 = Enter(x)",
        "loop/_enter_1 = Enter(step)",
        "loop/_merge_0 = Merge(loop/_enter_0, loop/_next_0)",
        "loop/_cond/less/y = Const(^loop/_merge_0)",
        "loop/_cond/less = Less(loop/_merge_0, loop/_cond/less/y)",
        "loop/_again = LoopCond(loop/_cond/less)",
        "loop/_switch_0 = Switch(loop/_merge_0, loop/_again)",
        "loop/_start = Identity(loop/_switch_0:1)",
        # The step is the same in every iteration: it does not go round.
        "loop/_invariant_1 = Identity(loop/_enter_1, ^loop/_start)",
        "loop/_body/product = Mul(loop/_switch_0:1, loop/_invariant_1)",
        "loop/_next_0 = NextIteration(loop/_body/product)",
        "loop/_exit_0 = Exit(loop/_switch_0)",
        "loop = IdentityN(loop/_exit_0, step)",
    ]
    enters = [graph.find(f"loop/_enter_{index}") for index in (0, 1)]
    assert [node and node.attrs["is_constant"] for node in enters] == [False, True]
    assert {node and node.attrs["frame_name"] for node in enters} == {b"loop"}
    assert {node and node.attrs["parallel_iterations"] for node in enters} == {3}


def test_a_loop_of_a_function_gets_the_name_of_the_call() -> None:
    """The same body twice in a graph must not be one loop."""

    @defun("loops", oracle.float32)
    def loops(x: Any) -> Any:
        return oracle.while_loop(lambda y: y < 9.0, lambda y: y * 2.0, [x])

    def build() -> None:
        x = _x()
        for name in ("first", "second"):
            oracle.identity(loops(x), name=name)

    graph_def = graph_def_of(FunctionProgram(build))
    graph = lowered_def(as_ours(graph_def))
    frames = {node.attrs["frame_name"] for node in graph.nodes() if node.op == "Enter"}
    assert len(frames) == 2


@defun("placed", oracle.float32)
def placed(x: Any) -> Any:
    with oracle.device("/cpu:1"):
        one = oracle.constant(1.0, name="one")
    with oracle.device("/job:ps"):
        two = oracle.constant(2.0, name="two")
    with oracle.colocate_with(one):
        three = oracle.constant(3.0, name="three")
    return oracle.add_n([x, one, two, three], name="sum")


def test_devices_of_the_body_are_completed_by_that_of_the_call() -> None:
    def build() -> None:
        with oracle.device("/job:worker/task:2/cpu:0"):
            gen_functional_ops.partitioned_call([_x()], [oracle.float32], placed, name="call")

    graph = lowered(build)
    asked = {n.name.rpartition("/")[2]: n.device for n in graph.nodes() if "_placed" in n.name}
    assert asked == {
        "one": "/job:worker/task:2/device:CPU:1",
        "two": "/job:ps/task:2/device:CPU:0",
        "three": "/job:worker/task:2/device:CPU:1",
        "sum": "/job:worker/task:2/device:CPU:0",
    }
    three = graph.find("call/_placed/three")
    assert three is not None and three.attrs["_class"] == (b"loc:@call/_placed/one",)


def test_calls_inside_v1_control_flow_run_where_they_stand() -> None:
    """A constant of the body has no inputs, but belongs to the branch or iteration of the call."""

    def build() -> None:
        x = _x()
        y = oracle.cond(x > 0, lambda: half(x), lambda: plus(half(x)))
        oracle.identity(y, name="y")
        z = oracle.while_loop(lambda a: a < 20.0, lambda a: oracle.reshape(plus(a), []) + 2.0, [x])
        oracle.identity(z, name="z")

    graph_def = graph_def_of(FunctionProgram(build))
    values = []
    for library, nodes in ((oracle, graph_def), (tf, as_ours(graph_def))):
        with library.Graph().as_default() as graph:
            library.import_graph_def(nodes, name="")
            with library.Session(graph=graph) as session:
                values.append([session.run(["y:0", "z:0"], {"x:0": x}) for x in (1.0, -3.0)])
    assert values[0] == values[1]


def test_outputs_of_a_call_can_be_fetched_each_alone() -> None:
    @defun("three", oracle.float32, outputs=3)
    def three(x: Any) -> Any:
        return x + 1.0, oracle.check_numerics(1.0 / x, "zero"), x * 3.0

    def build() -> None:
        gen_functional_ops.partitioned_call([_x()], [oracle.float32] * 3, three, name="call")

    with tf.Graph().as_default() as graph:
        tf.import_graph_def(as_ours(graph_def_of(FunctionProgram(build))), name="")
        first, second, third = graph.get_operation_by_name("call").outputs
        total = first + third
        with tf.Session(graph=graph) as session:
            assert session.run([third, first], {"x:0": 2.0}) == [6.0, 3.0]
            # What is not used is not computed.
            assert session.run(total, {"x:0": 0.0}) == 1.0
            with pytest.raises(tf.errors.InvalidArgumentError, match="zero : Tensor had Inf"):
                session.run(second, {"x:0": 0.0})


def test_a_long_chain_of_calls_runs() -> None:
    """Beyond a depth calls are not inlined any more."""
    depth = MAX_DEPTH + 20

    def build() -> None:
        called = half
        for index in range(depth):
            called = _calling(f"level_{index}", called)
        oracle.identity(called(_x()), name="y")

    graph_def = as_ours(graph_def_of(FunctionProgram(build)))
    graph = lowered_def(graph_def)
    assert sum(node.op == "PartitionedCall" for node in graph.nodes()) == 1
    with tf.Graph().as_default() as front:
        tf.import_graph_def(graph_def, name="")
        with tf.Session(graph=front) as session:
            assert session.run("y:0", {"x:0": 4.0}) == 2.0 + depth


def _calling(name: str, inner: Any) -> Any:
    @defun(name, oracle.float32)
    def outer(x: Any) -> Any:
        return inner(x) + 1.0

    return outer


def test_calls_that_multiply_do_not_fill_the_memory() -> None:
    """Twenty-four lines of a library can ask for sixteen million nodes."""

    def build() -> None:
        called = plus
        for index in range(24):
            called = _doubling(f"level_{index}", called)
        oracle.identity(called(_x()), name="y")

    graph = lowered(build)
    assert MAX_NODES / 4 < len(graph) < MAX_NODES


def _doubling(name: str, inner: Any) -> Any:
    @defun(name, oracle.float32)
    def outer(x: Any) -> Any:
        return inner(x) + inner(x)

    return outer


def test_fake_params_and_device_indices() -> None:
    """FakeParam and DeviceIndex."""

    def build() -> None:
        gen_functional_ops.fake_param(oracle.float32, [None, 3], name="y")
        gen_functional_ops.device_index(["GPU", "CPU"], name="i")

    program = FunctionProgram(build)
    graph_def = graph_def_of(program)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(as_ours(graph_def), name="")
        assert graph.get_tensor_by_name("y:0").shape.as_list() == [None, 3]
        with tf.Session(graph=graph) as session:
            fake, index = session.run(["y:0", "i:0"])
            assert (fake.shape, fake.dtype, index) == ((0, 3), np.float32, 1)


def test_truth_of_a_complex_number_is_refused() -> None:
    graph_def = graph_def_of(FunctionProgram(lambda: gen_functional_ops.to_bool(1j, name="y")))
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(as_ours(graph_def), name="")
        with (
            tf.Session(graph=graph) as session,
            pytest.raises(
                tf.errors.InvalidArgumentError,
                match="complex128 cannot be converted to a boolean",
            ),
        ):
            session.run("y:0")


def test_an_error_in_a_function_shows_the_line_of_the_call() -> None:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(as_ours(graph_def_of(FunctionProgram(_checked))), name="")
        with tf.Session(graph=graph) as session:
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run("y:0", {"x:0": 0.0})
            message = str(caught.value)
            assert "zero : Tensor had Inf" in message
            assert "[[node call/_check/checked (defined at " in message
            assert "test_lowering.py:" in message


def _checked() -> None:
    @defun("check", oracle.float32)
    def check(x: Any) -> Any:
        return oracle.check_numerics(1.0 / x, "zero", name="checked")

    result = gen_functional_ops.partitioned_call([_x()], [oracle.float32], check, name="call")
    oracle.identity(result[0], name="y")


def _values(build: Callable[[], Any], fetches: list[str], feeds: Any) -> list[Any]:
    """What TensorFlow computes, and what is computed here."""
    graph_def = graph_def_of(FunctionProgram(build))
    values = []
    for library, nodes in ((oracle, graph_def), (tf, as_ours(graph_def))):
        with library.Graph().as_default() as graph:
            library.import_graph_def(nodes, name="")
            with library.Session(graph=graph) as session:
                values.append(session.run(fetches, feeds))
    return values


def test_stateless_forms() -> None:
    """StatelessCase and StatelessWhile do what Case and While do."""

    def build() -> None:
        x = _x()
        index = oracle.placeholder(oracle.int32, [], name="i")
        choose = gen_functional_ops.stateless_case(index, [x], [oracle.float32], [half, plus])
        oracle.identity(choose[0], name="y")
        repeat = gen_functional_ops.stateless_while([x], below, plus)
        oracle.identity(repeat[0], name="z")

    theirs, ours = _values(build, ["y:0", "z:0"], {"x:0": 3.5, "i:0": 1})
    assert ours == theirs == [4.5, 9.5]


def test_remote_call() -> None:
    device = "/job:localhost/replica:0/task:0/device:CPU:0"

    def build() -> None:
        call = functional_ops.remote_call(
            target=oracle.constant(device), args=[_x()], Tout=[oracle.float32], f=half, name="call"
        )
        oracle.identity(call[0], name="y")

    theirs, ours = _values(build, ["y:0"], {"x:0": 3.0})
    assert ours == theirs == [1.5]
    product = lowered(build).find("call/_half/product")
    assert product is not None and product.device == device


def test_a_remote_call_must_know_its_device() -> None:
    def build() -> None:
        target = oracle.placeholder(oracle.string, [], name="target")
        functional_ops.remote_call(
            target=target, args=[_x()], Tout=[oracle.float32], f=half, name="call"
        )

    with pytest.raises(
        tf.errors.InvalidArgumentError, match="RemoteCall 'call' must be a constant device name"
    ):
        lowered(build)


def test_a_gradient_function_of_the_library_is_called() -> None:
    """SymbolicGradient says which function it is the gradient of, the library which it is."""

    @function.Defun(oracle.float32, oracle.float32, func_name="gradient", out_names=["dx"])
    def gradient(x: Any, dy: Any) -> Any:
        return dy * 100.0 + x

    @function.Defun(oracle.float32, func_name="square", out_names=["y"], grad_func=gradient)
    def square(x: Any) -> Any:
        return x * x

    def build() -> None:
        x = _x()
        oracle.identity(oracle.gradients(square(x) * 2.0, x)[0], name="y")

    theirs, ours = _values(build, ["y:0"], {"x:0": 3.0})
    assert ours == theirs == [203.0]


def test_a_gradient_without_a_function_is_derived() -> None:
    def build() -> None:
        gradient = gen_functional_ops.symbolic_gradient([_x(), 3.0], [oracle.float32], half)
        oracle.identity(gradient[0], name="y")

    theirs, ours = _values(build, ["y:0"], {"x:0": 3.0})
    assert ours == theirs == [1.5]


def test_a_gradient_that_cannot_be_derived_fails_when_it_runs() -> None:
    @defun("distinct", oracle.float32)
    def distinct(x: Any) -> Any:
        return oracle.unique(oracle.reshape(x, [1])).y

    def build() -> None:
        gen_functional_ops.symbolic_gradient(
            [_x(), oracle.constant([1.0])], [oracle.float32], distinct, name="gradient"
        )

    graph_def = graph_def_of(FunctionProgram(build))
    for library, nodes in ((oracle, graph_def), (tf, as_ours(graph_def))):
        with library.Graph().as_default() as graph:
            library.import_graph_def(nodes, name="")
            with library.Session(graph=graph) as session:
                assert session.run("Const:0").tolist() == [1.0]
                with pytest.raises(library.errors.OpError) as caught:
                    session.run("gradient:0", {"x:0": 3.0})
    assert "SymbolicGradient(distinct) is not defined" in str(caught.value)
    assert "gradient" in str(caught.value)
