"""Loops that make no sense are refused when a step is prepared, in TensorFlow's words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tensorflow.python.ops import gen_control_flow_ops as flow

import dataflow as tf
from dataflow.errors import InvalidArgumentError
from dataflow.passes.control_flow.check import check_control_flow
from dataflow.values import dtypes
from tests.control_flow.conftest import ControlFlowPath
from tests.control_flow.primitives import Build, assert_same, invariant
from tests.passes.building import Nodes
from tests.session.both import oracle


def _value(value: float = 1.0) -> Any:
    """A tensor that no optimizer knows."""
    return oracle.placeholder_with_default(value, [])


def two_frames() -> Any:
    value = _value()
    return [oracle.add(flow.enter(value, "one"), flow.enter(value, "two"))]


def inside_and_outside() -> Any:
    outside, inside = _value(), flow.enter(_value(), "one")
    return [flow._exit(oracle.add(inside, outside))]


def order_from_outside() -> Any:
    inside, outside = flow.enter(_value(), "one"), _value()
    with oracle.control_dependencies([outside]):
        return [flow._exit(oracle.negative(inside))]


def enter_from_two_frames() -> Any:
    outside, inside = _value(), flow.enter(_value(), "one")
    with oracle.control_dependencies([inside]):
        return [flow._exit(flow._exit(flow.enter(outside, "two")))]


def enter_without_a_name() -> Any:
    return [flow._exit(flow.enter(_value(), ""))]


def exit_without_a_loop() -> Any:
    return [oracle.identity(flow._exit(_value()))]


def loop_in_two_loops() -> Any:
    entered = [flow.enter(flow.enter(_value(), outer), "in") for outer in ("one", "two")]
    return [flow._exit(flow._exit(value)) for value in entered]


def two_conditions() -> Any:
    merged = flow.merge([flow.enter(_value(), "loop")] * 2).output
    limit = invariant(_value(5.0))
    ends = []
    for name, bound in (("first", limit), ("second", limit * limit)):
        ends.append(flow.switch(merged, flow.loop_cond(merged < bound, name=name)))
    following = oracle.add_n([ends[0].output_true, ends[1].output_true, limit])
    merged.op._update_input(1, flow.next_iteration(following))
    return [flow._exit(ends[0].output_false)]


@pytest.mark.parametrize(
    "build",
    [
        two_frames,
        inside_and_outside,
        order_from_outside,
        enter_from_two_frames,
        enter_without_a_name,
        exit_without_a_loop,
        loop_in_two_loops,
        two_conditions,
    ],
)
def test_refused_as_in_tensorflow(build: Any, control_flow_path: ControlFlowPath) -> None:
    ours = assert_same(lambda: (build(), []), [()], control_flow_path)
    assert isinstance(ours[0], tuple)


def _waits_for_one_iteration() -> Any:
    """From its second iteration on the loop waits for a value that only the first one gets."""
    merged = flow.merge([flow.enter(_value(0.0), "loop")] * 2).output
    once = flow.enter(_value(5.0), "loop")
    end = flow.switch(merged, flow.loop_cond(merged < once))
    merged.op._update_input(1, flow.next_iteration(end.output_true + once))
    return flow._exit(end.output_false)


def test_a_value_that_never_comes_cannot_be_fetched(control_flow_path: ControlFlowPath) -> None:
    build: Build = lambda: ([_waits_for_one_iteration()], [])  # noqa: E731
    ours = assert_same(build, [()], control_flow_path)
    assert ours == [("InvalidArgumentError", "Retval[0] does not have value")]


def test_a_target_that_never_runs_is_named(control_flow_path: ControlFlowPath) -> None:
    """TensorFlow ends such a step without a word."""
    from tests.control_flow.primitives import ours_of

    graph, names, _ = ours_of(lambda: ([oracle.identity(_waits_for_one_iteration(), "end")], []))
    with (
        control_flow_path.session(graph) as session,
        pytest.raises(InvalidArgumentError, match=r"before node 'end' \(Identity\) could run"),
    ):
        session.run(names[0].partition(":")[0])


def test_a_loop_without_an_entrance_is_refused() -> None:
    nodes = Nodes()
    nodes.add("Merge", "merge", ["next", "next"], T=dtypes.float32, N=2)
    nodes.float_op("NextIteration", "next", "merge")
    nodes.float_op("Exit", "exit", "merge")
    with pytest.raises(InvalidArgumentError, match="3 nodes in a cycle: merge, next, exit"):
        check_control_flow(nodes.graph())


def test_a_merge_that_nothing_enters_is_refused() -> None:
    nodes = Nodes()
    nodes.const("start", 1.0)
    nodes.float_op("Enter", "enter", "start", frame_name=b"loop")
    nodes.float_op("NextIteration", "next", "enter")
    nodes.add("Merge", "merge", ["next"], T=dtypes.float32, N=1)
    with pytest.raises(InvalidArgumentError, match="node merge}} gets values from NextIterations"):
        check_control_flow(nodes.graph())


def test_a_merge_that_waits_for_itself_is_refused() -> None:
    nodes = Nodes()
    nodes.const("start", 1.0)
    nodes.float_op("Enter", "enter", "start", frame_name=b"loop")
    nodes.float_op("Enter", "other", "start", frame_name=b"loop")
    nodes.add("Merge", "merge", ["enter", "other", "^next"], T=dtypes.float32, N=2)
    nodes.float_op("NextIteration", "next", "merge")
    with pytest.raises(InvalidArgumentError, match="2 nodes in a cycle: merge, next"):
        check_control_flow(nodes.graph())


def test_counters_may_stand_beside_a_condition() -> None:
    nodes = Nodes()
    nodes.add("Const", "pred", value=tf.make_ndarray(tf.make_tensor_proto(True)), dtype=tf.bool)
    nodes.add("Enter", "enter", ["pred"], T=tf.bool, frame_name=b"loop")
    nodes.add("LoopCond", "f_LoopCounter", ["enter"])
    nodes.add("LoopCond", "cond", ["enter"])
    check_control_flow(nodes.graph())
    nodes.add("LoopCond", "other", ["enter"])
    with pytest.raises(InvalidArgumentError, match="has more than one LoopCond node"):
        check_control_flow(nodes.graph())


@pytest.mark.parametrize(("count", "more"), [(7, ""), (8, ""), (9, ", ...")])
def test_eight_nodes_of_a_cycle_are_named(count: int, more: str) -> None:
    nodes = Nodes()
    nodes.add("Merge", "n0", [f"n{count - 2}", f"n{count - 2}"], T=dtypes.float32, N=2)
    for index in range(1, count - 2):
        nodes.float_op("Neg", f"n{index}", f"n{index - 1}")
    nodes.float_op("NextIteration", f"n{count - 2}", f"n{count - 3}")
    nodes.float_op("Exit", f"n{count - 1}", "n0")
    with pytest.raises(InvalidArgumentError) as caught:
        check_control_flow(nodes.graph())
    (named,) = re.findall(r"nodes in a cycle: (.*?)\. None of them", caught.value.message)
    assert len(re.findall(r"n\d", named)) == min(count, 8)
    assert named.endswith(more) and (", ..." in named) == bool(more)
