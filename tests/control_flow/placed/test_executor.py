"""Switch, Merge, Enter, Exit, NextIteration by hand: TensorFlow runs the same graphs."""

from __future__ import annotations

from typing import Any

import pytest
from tensorflow.python.ops import gen_control_flow_ops as flow

import dataflow as tf
from dataflow.control_flow import primitives
from tests.control_flow.conftest import ControlFlowPath
from tests.control_flow.primitives import (
    assert_same,
    constant_after,
    invariant,
    loop_variable,
)
from tests.session.both import oracle

BOTH_WAYS = [(True, 3.0), (False, 3.0)]


def _switch() -> tuple[Any, Any, list[Any]]:
    pred, data = oracle.placeholder(oracle.bool), oracle.placeholder(oracle.float32)
    off, on = flow.switch(data, pred)
    return off, on, [pred, data]


def _count_to(limit: Any, **loop: Any) -> Any:
    """A loop that counts from 0."""
    frame = loop.get("frame", "loop")
    stop = invariant(limit, frame)
    return loop_variable(
        oracle.constant(0), lambda i: i < stop, lambda i: i + constant_after(1, i), **loop
    )


def test_merge_takes_the_branch_that_is_alive(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, on, fed = _switch()
        return list(flow.merge([oracle.negative(off), oracle.square(on)])), fed

    ours = assert_same(build, BOTH_WAYS, control_flow_path)
    assert ours[0] != ours[1]


def test_value_index_counts_the_inputs(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, on, fed = _switch()
        inner_off, inner_on = flow.switch(off, fed[0])
        return [flow.merge([inner_on, on, inner_off]).value_index], fed

    assert_same(build, BOTH_WAYS, control_flow_path)


def test_what_a_merge_gives_is_called_as_its_node() -> None:
    for lib, merge in ((oracle, flow.merge), (tf, primitives.merge)):
        with lib.Graph().as_default():
            assert type(merge([lib.constant(1)])).__name__ == "Merge"


def test_a_dead_fetch_is_refused(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, on, fed = _switch()
        return [fed[1], oracle.negative(off), oracle.negative(on)], fed

    ours = assert_same(build, BOTH_WAYS, control_flow_path)
    assert ours[0] == ("InvalidArgumentError", "Retval[0] does not have value")


def test_a_dead_target_does_not_run(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, _, fed = _switch()
        return [oracle.negative(off)], fed

    assert_same(build, BOTH_WAYS, control_flow_path, targets=True)


def test_a_merge_of_dead_inputs_is_dead(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, on, fed = _switch()
        _, never = flow.switch(off, fed[0])
        merged = flow.merge([never, oracle.negative(never)]).output
        return [flow.merge([merged, on, oracle.square(off)]).output], fed

    assert_same(build, BOTH_WAYS, control_flow_path)


def test_a_switch_with_a_dead_predicate_is_dead(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        pred = oracle.placeholder(oracle.bool)
        off, on = flow.switch(pred, pred)
        outputs = flow.switch(oracle.constant(1.0), oracle.logical_not(off))
        return [flow.merge([*outputs, oracle.cast(on, oracle.float32)]).output], [pred]

    assert_same(build, [(True,), (False,)], control_flow_path)


def test_control_inputs_carry_deadness(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, on, fed = _switch()
        with oracle.control_dependencies([oracle.identity(off)]):
            first = oracle.square(fed[1])
        with oracle.control_dependencies([oracle.identity(on)]):
            second = oracle.constant(7.0)
        return [flow.merge([first, second]).output], fed

    assert_same(build, BOTH_WAYS, control_flow_path)


def test_order_after_a_switch_is_alive(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, _, fed = _switch()
        with oracle.control_dependencies([off.op]):
            return [oracle.negative(fed[1])], fed

    assert_same(build, BOTH_WAYS, control_flow_path)


def test_a_control_trigger_is_never_dead(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, on, fed = _switch()
        with oracle.control_dependencies([oracle.identity(off), oracle.identity(on)]):
            trigger = flow.control_trigger()
        with oracle.control_dependencies([trigger]):
            return [oracle.negative(fed[1])], fed

    assert_same(build, BOTH_WAYS, control_flow_path)


def test_a_merge_waits_for_dead_control_inputs_too(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, on, fed = _switch()
        branches = [oracle.exp(off), oracle.square(on)]
        with oracle.control_dependencies([oracle.negative(off), oracle.negative(on)]):
            return list(flow.merge(branches)), fed

    ours = assert_same(build, BOTH_WAYS, control_flow_path)
    assert all(isinstance(outcome, list) for outcome in ours)


def test_a_merge_of_fed_and_constant_values(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        _, _, fed = _switch()
        negative, _ = flow.switch(fed[1], oracle.constant(True))
        return [
            flow.merge([negative, oracle.constant(2.0)]).output,
            flow.merge([negative, fed[1]]).output,
            *flow.merge([oracle.constant(5.0)]),
        ], fed

    assert_same(build, BOTH_WAYS, control_flow_path)


def test_folding_keeps_dead_constants_dead(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, on, fed = _switch()
        two, three = constant_after(2.0, oracle.identity(off)), constant_after(3.0, off.op)
        product = oracle.multiply(two, three)
        return [flow.merge([oracle.add(product, two), oracle.square(on)]).output], fed

    assert_same(build, BOTH_WAYS, control_flow_path)


def test_a_switch_needs_a_scalar(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, on, fed = _switch()
        return [flow.merge([off, on]).output], fed

    ours = assert_same(build, [([True], 1.0)], control_flow_path)
    assert ours[0][1].startswith("The second input must be a scalar, but it has shape [1]")


@pytest.mark.parametrize("parallel_iterations", [-1, 1, 2, 10])
def test_a_loop_counts(control_flow_path: ControlFlowPath, parallel_iterations: int) -> None:
    def build() -> Any:
        limit = oracle.placeholder(oracle.int32)
        return [_count_to(limit, parallel_iterations=parallel_iterations)], [limit]

    assert_same(build, [(0,), (1,), (2,), (9,), (10,), (11,), (100,)], control_flow_path)


@pytest.mark.parametrize("parallel_iterations", [1, 2, 10])
def test_loop_variables_of_different_speed(
    control_flow_path: ControlFlowPath, parallel_iterations: int
) -> None:
    """The counter runs ahead of the sum, which has more to do."""

    def build() -> Any:
        limit = oracle.placeholder(oracle.int32)
        start = [oracle.constant(0), oracle.constant(1.0)]
        entered = [flow.enter(v, "loop", parallel_iterations=parallel_iterations) for v in start]
        counter, total = (flow.merge([e, e]).output for e in entered)
        condition = flow.loop_cond(counter < invariant(limit))
        ends = [flow.switch(v, condition) for v in (counter, total)]
        i, value = (oracle.identity(end.output_true) for end in ends)
        grown = value * invariant(oracle.constant(1.5)) + oracle.cast(i, oracle.float32)
        for _ in range(5):
            grown = oracle.tanh(grown) * constant_after(2.0, i)
        for merged, result in ((counter, i + constant_after(1, i)), (total, grown)):
            merged.op._update_input(1, flow.next_iteration(result))
        return [flow._exit(end.output_false) for end in ends], [limit]

    assert_same(build, [(0,), (1,), (7,), (40,)], control_flow_path)


def test_nested_loops(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        limit = oracle.placeholder(oracle.int32)
        stop = invariant(limit, "outer")

        def inner(i: Any) -> Any:
            stop_inner = invariant(stop, "inner")
            one = invariant(invariant(oracle.constant(1), "outer"), "inner")
            end = loop_variable(
                i, lambda j: j < stop_inner - one - one, lambda j: j + one, frame="inner"
            )
            return end + constant_after(1, end)

        end = loop_variable(oracle.constant(0), lambda i: i < stop, inner, frame="outer")
        return [end], [limit]

    assert_same(build, [(0,), (1,), (2,), (3,), (10,)], control_flow_path)


def test_three_loops_deep_with_different_trip_counts(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        limit = oracle.placeholder(oracle.int32)

        def summed(depth: int, to: Any) -> Any:
            """Sum of f(depth - 1, i) over i from 0 to `to`, f(0, i) = i + 1."""
            i0, s0 = constant_after(0, to), constant_after(0, to)
            frame = f"level{depth}"
            i, s = (flow.merge([e, e]).output for e in (flow.enter(v, frame) for v in (i0, s0)))
            condition = flow.loop_cond(i < invariant(to, frame))
            ends = [flow.switch(v, condition) for v in (i, s)]
            here, total = (oracle.identity(end.output_true) for end in ends)
            following = here + constant_after(1, here)
            term = following if depth == 1 else summed(depth - 1, following)
            i.op._update_input(1, flow.next_iteration(following))
            s.op._update_input(1, flow.next_iteration(total + term))
            return flow._exit(ends[1].output_false)

        return [summed(3, oracle.identity(limit))], [limit]

    ours = assert_same(build, [(0,), (1,), (2,), (3,), (6,)], control_flow_path)
    assert ours[-1][0][-1] == "126"


def test_a_loop_on_a_branch_that_is_not_taken(control_flow_path: ControlFlowPath) -> None:
    """Dead Enters make a dead Merge; the Exit is dead once the loop has ended."""

    def build() -> Any:
        pred, limit = oracle.placeholder(oracle.bool), oracle.placeholder(oracle.int32)
        off, on = flow.switch(limit, pred)
        stop = invariant(on)
        start = constant_after(0, oracle.identity(on))
        end = loop_variable(start, lambda i: i < stop, lambda i: i + constant_after(1, i))
        return [flow.merge([oracle.negative(off), end]).output], [pred, limit]

    assert_same(build, [(True, 5), (False, 5), (True, 0)], control_flow_path)


def test_dead_exits_order_what_follows(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        pred, limit = oracle.placeholder(oracle.bool), oracle.placeholder(oracle.int32)
        off, on = flow.switch(limit, pred)
        start = constant_after(0, oracle.identity(on))
        stop = invariant(on)
        end = loop_variable(start, lambda i: i < stop, lambda i: i + constant_after(1, i))
        with oracle.control_dependencies([end, oracle.identity(off)]):
            trigger = flow.control_trigger()
        with oracle.control_dependencies([end]):
            after = oracle.constant(1)
        with oracle.control_dependencies([trigger]):
            return [flow.merge([after, oracle.square(off)]).output, oracle.identity(limit)], [
                pred,
                limit,
            ]

    assert_same(build, [(True, 4), (False, 4)], control_flow_path)


def test_branches_inside_of_a_loop(control_flow_path: ControlFlowPath) -> None:
    """An untaken inner loop in some of the iterations of an outer one."""

    def build() -> Any:
        limit = oracle.placeholder(oracle.int32)
        stop = invariant(limit, "outer")

        def step(i: Any) -> Any:
            odd = oracle.equal(i % constant_after(2, i), constant_after(1, i))
            off, on = flow.switch(i, odd)
            to = invariant(on + constant_after(3, oracle.identity(on)), "inner")
            inner = loop_variable(
                on, lambda j: j < to, lambda j: j + constant_after(1, j), frame="inner"
            )
            return flow.merge([off + constant_after(1, off.op), inner]).output

        end = loop_variable(oracle.constant(0), lambda i: i < stop, step, frame="outer")
        return [end], [limit]

    assert_same(build, [(0,), (1,), (2,), (5,), (30,)], control_flow_path)


def test_an_invariant_comes_late(control_flow_path: ControlFlowPath) -> None:
    """Iterations that have started get it when it comes: it depends on another loop."""

    def build() -> Any:
        limit = oracle.placeholder(oracle.int32)
        slow = _count_to(limit, frame="slow")
        stop, late = invariant(limit, "fast"), invariant(slow, "fast")
        counter = flow.merge([flow.enter(oracle.constant(0), "fast")] * 2).output
        total = flow.merge([flow.enter(oracle.constant(0), "fast")] * 2).output
        condition = flow.loop_cond(counter < stop)
        ends = [flow.switch(v, condition) for v in (counter, total)]
        i, value = (oracle.identity(end.output_true) for end in ends)
        counter.op._update_input(1, flow.next_iteration(i + constant_after(1, i)))
        total.op._update_input(1, flow.next_iteration(value + late))
        return [flow._exit(end.output_false) for end in ends], [limit]

    assert_same(build, [(0,), (1,), (30,)], control_flow_path)


def test_a_tensor_in_a_loop_cannot_be_fetched_twice(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        limit = oracle.placeholder(oracle.int32)
        stop = invariant(limit)
        seen: list[Any] = []

        def step(i: Any) -> Any:
            seen.append(oracle.negative(i))
            return i + constant_after(1, i)

        end = loop_variable(oracle.constant(0), lambda i: i < stop, step)
        return [end, seen[0]], [limit]

    ours = assert_same(build, [(0,), (1,), (2,)], control_flow_path)
    assert ours[2] == ("InternalError", "Retval[1] has already been set.")


def test_stateful_nodes_run_once_an_iteration(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        limit = oracle.placeholder(oracle.int32)
        counts = oracle.Variable(0, use_resource=False, name="counts")
        stop = invariant(limit)
        with oracle.control_dependencies([counts.initializer]):
            reference = flow.ref_enter(counts._ref(), "loop", is_constant=True)
            start = oracle.identity(limit - limit)

        def step(i: Any) -> Any:
            added = oracle.raw_ops.AssignAdd(ref=reference, value=constant_after(2, i))
            with oracle.control_dependencies([added]):
                return i + constant_after(1, i)

        end = loop_variable(start, lambda i: i < stop, step)
        with oracle.control_dependencies([end]):
            return [oracle.raw_ops.Identity(input=counts._ref()), end], [limit]

    assert_same(build, [(0,), (3,), (11,)], control_flow_path)


def test_references_pass_through_switches(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        pred = oracle.placeholder(oracle.bool)
        cell = oracle.Variable(1.0, use_resource=False, name="cell")._ref()
        with oracle.control_dependencies([cell.op.graph.get_operation_by_name("cell/Assign")]):
            off, on = flow.ref_switch(cell, pred)
            less = oracle.raw_ops.AssignSub(ref=off, value=constant_after(10.0, off.op))
            more = oracle.raw_ops.AssignAdd(ref=on, value=constant_after(5.0, on.op))
        merged = flow.ref_merge([less, more])
        selected = flow.ref_select(merged.value_index, [merged.output, merged.output])
        return [oracle.identity(selected), merged.value_index], [pred]

    assert_same(build, [(True,), (False,)], control_flow_path)


@pytest.mark.parametrize("index", [2, -1, [0]])
def test_ref_select_checks_its_index(control_flow_path: ControlFlowPath, index: Any) -> None:
    def build() -> Any:
        chosen = oracle.placeholder(oracle.int32)
        cell = oracle.Variable(1.0, use_resource=False)
        with oracle.control_dependencies([cell.initializer]):
            chosen_later = oracle.identity(chosen)
        return [flow.ref_select(chosen_later, [cell._ref(), cell._ref()])], [chosen]

    ours = assert_same(build, [(index,)], control_flow_path)
    assert ours[0][0] == "InvalidArgumentError"


def test_equal_nodes_of_two_branches_stay_apart(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        off, on, fed = _switch()
        branches = []
        for branch in (off, on):
            pivot = oracle.identity(branch)
            two, three = constant_after(2.0, pivot), constant_after(3.0, pivot)
            with oracle.control_dependencies([pivot]):
                branches.append(oracle.add(two * three, oracle.square(fed[1])))
        return list(flow.merge(branches)), fed

    assert_same(build, BOTH_WAYS, control_flow_path)


def test_a_tensor_in_a_loop_cannot_be_fed(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        limit = oracle.placeholder(oracle.int32)
        stop = invariant(limit)
        inside: list[Any] = []

        def step(i: Any) -> Any:
            inside.append(oracle.negative(i))
            return i - inside[0] + constant_after(1, i)

        end = loop_variable(oracle.constant(0), lambda i: i < stop, step)
        return [end], [limit, inside[0]]

    ours = assert_same(build, [(3, 1)], control_flow_path)
    assert "has inputs from different frames" in ours[0][1]


def test_dead_values_go_from_device_to_device(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        with oracle.device("/cpu:0"):
            off, on, fed = _switch()
        with oracle.device("/cpu:1"):
            less, more = oracle.negative(off), oracle.square(on)
            with oracle.control_dependencies([oracle.identity(off)]):
                ordered = oracle.constant(7.0)
        with oracle.device("/cpu:0"):
            with oracle.control_dependencies([more]):
                after = oracle.exp(fed[1])
            return [
                flow.merge([less, more]).output,
                flow.merge([ordered, after]).output,
            ], fed

    assert_same(build, BOTH_WAYS, control_flow_path, device_count={"CPU": 2})


def test_a_dead_fetch_on_another_device(control_flow_path: ControlFlowPath) -> None:
    def build() -> Any:
        with oracle.device("/cpu:0"):
            off, on, fed = _switch()
        with oracle.device("/cpu:1"):
            return [oracle.square(on), oracle.negative(off)], fed

    ours = assert_same(build, BOTH_WAYS, control_flow_path, device_count={"CPU": 2})
    assert all(outcome[0] == "InvalidArgumentError" for outcome in ours)


@pytest.mark.parametrize("parallel_iterations", [1, 4])
def test_a_loop_over_two_devices(
    control_flow_path: ControlFlowPath, parallel_iterations: int
) -> None:
    def build() -> Any:
        limit = oracle.placeholder(oracle.int32)
        with oracle.device("/cpu:0"):
            stop = invariant(limit)

            def step(i: Any) -> Any:
                with oracle.device("/cpu:1"):
                    there = oracle.negative(i) - constant_after(1, i)
                return oracle.negative(there)

            end = loop_variable(
                oracle.constant(0),
                lambda i: i < stop,
                step,
                parallel_iterations=parallel_iterations,
            )
        return [end], [limit]

    assert_same(build, [(0,), (1,), (5,), (50,)], control_flow_path, device_count={"CPU": 2})
