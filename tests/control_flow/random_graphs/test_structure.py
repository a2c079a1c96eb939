"""Which loops and branches are found in a partition, and which partitions have none to find."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dataflow.actors.control_flow.structure import Loop
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.values import dtypes
from tests.control_flow.random_graphs.structures import (
    body_names,
    guards,
    loops,
    pruned,
    refusal,
    structure_of,
)
from tests.passes.building import Nodes

BOOL, FLOAT = dtypes.bool, dtypes.float32


def test_nodes_of_a_cond_run_on_their_side() -> None:
    def build(tf: Any) -> Any:
        x, p = tf.placeholder(tf.float32, [], "x"), tf.placeholder(tf.bool, [], "p")
        return tf.cond(p, lambda: tf.add(x, 1.0), lambda: tf.multiply(x, 2.0))

    graph = pruned(build)
    found = guards(graph, structure_of(graph))
    assert found["cond/Add"] == found["cond/Add/y"] == {"p": 1}
    assert found["cond/Mul"] == found["cond/Mul/y"] == {"p": 0}
    assert found["cond/Merge"] == found["x"] == found["cond/Add/Switch"] == {}


def test_conds_nest() -> None:
    def build(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [], "x")
        p, q = tf.placeholder(tf.bool, [], "p"), tf.placeholder(tf.bool, [], "q")
        return tf.cond(p, lambda: tf.cond(q, lambda: x + 1.0, lambda: tf.sin(x)), lambda: x * 2.0)

    graph = pruned(build)
    found = guards(graph, structure_of(graph))
    assert found["cond/cond/add"] == {"p": 1, "q": 1}
    assert found["cond/cond/Sin"] == {"p": 1, "q": 0}
    assert found["cond/cond/Merge"] == {"p": 1}
    assert found["cond/Merge"] == {}


def test_a_side_that_contradicts_the_one_around_it_never_runs() -> None:
    def build(tf: Any) -> Any:
        x, p = tf.placeholder(tf.float32, [], "x"), tf.placeholder(tf.bool, [], "p")
        return tf.cond(p, lambda: tf.cond(p, lambda: x + 1.0, lambda: tf.sin(x)), lambda: x * 2.0)

    graph = pruned(build)
    found = guards(graph, structure_of(graph))
    assert found["cond/cond/Sin"] is None
    assert found["cond/cond/add"] == found["cond/cond/Merge"] == {"p": 1}


def test_the_branches_of_a_case_are_distinct() -> None:
    def build(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [], "x")
        sides = [(x > float(i), lambda i=i: tf.multiply(x, float(i), name=f"m{i}")) for i in (3, 2)]
        return tf.case(sides, default=lambda: tf.negative(x, name="other"))

    graph = pruned(build)
    found = guards(graph, structure_of(graph))
    assert found["case/cond/m3"] == {"Greater": 1}
    assert found["case/cond/cond/m2"] == {"Greater": 0, "Greater_1": 1}
    assert found["case/cond/cond/other"] == {"Greater": 0, "Greater_1": 0}
    assert found["case/cond/Merge"] == {}


def test_a_control_edge_from_a_branch_makes_its_end_one_of_the_branch() -> None:
    graph = _branch()
    graph.add("NoOp", "after", ["^on"])
    graph.add("ControlTrigger", "trigger", ["^on"])
    built = graph.graph()
    found = guards(built, structure_of(built))
    assert found["after"] == {"p": 1}
    assert found["trigger"] == {}


def test_a_loop_has_a_head_that_runs_once_more_than_its_body() -> None:
    def build(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [], "x")
        return tf.while_loop(lambda i, a: i < 9, lambda i, a: (i + 1, tf.sin(a) * x), [0, 1.0])

    graph = pruned(build)
    structure = structure_of(graph)
    (loop,) = loops(structure.block)
    assert [v.merge.name for v in loop.variables] == ["while/Merge", "while/Merge_1"]
    assert [v.next.name for v in loop.variables] == ["while/NextIteration", "while/NextIteration_1"]
    assert [node.name for node in loop.constants] == ["while/mul/Enter"]
    assert [node.name for node in loop.exits] == ["while/Exit", "while/Exit_1"]
    assert loop.guard == ()
    assert structure.predicates[loop.condition].node.name == "while/Less"
    found = guards(graph, structure)
    assert found["while/Less"] == found["while/Less/y"] == found["while/LoopCond"] == {}
    assert found["while/Sin"] == found["while/add"] == {"while/Less": 1}
    assert {"while/Less", "while/Sin", "while/mul"} <= body_names(loop)
    assert not body_names(loop) & {"while/Enter", "while/Merge", "while/Exit", "x"}


def test_loops_nest_and_capture() -> None:
    def build(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [], "x")

        def body(i: Any, a: Any) -> Any:
            return i + 1, tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b * x), [0, a])[1]

        y = tf.while_loop(lambda i, a: i < 4, body, [0, 1.0])[1]
        return tf.gradients(y, x)

    graph = pruned(build)
    structure = structure_of(graph)
    assert sum(isinstance(item, Loop) for item in structure.block.items) == 2
    assert len(list(loops(structure.block))) == 4


def test_a_loop_in_a_branch_runs_with_it() -> None:
    def build(tf: Any) -> Any:
        x, p = tf.placeholder(tf.float32, [], "x"), tf.placeholder(tf.bool, [], "p")

        def loop() -> Any:
            return tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * x), [0, x])[1]

        return tf.gradients(tf.cond(p, loop, lambda: x * 2.0), x)

    graph = pruned(build)
    structure = structure_of(graph)
    for loop in loops(structure.block):
        assert loop.guard is not None
        ((number, branch),) = loop.guard
        assert (structure.predicates[number].node.name, branch) == ("p", 1)
    # Inside, what asks for the outer predicate again is known to find it true.
    found = guards(graph, structure)
    pops = [name for name in found if name.endswith("StackPopV2")]
    assert pops
    assert all(found[name] is not None and "p" not in found[name] for name in pops)


@pytest.mark.parametrize(
    "program", ["map_fn", "scan", "foldr", "maximum_iterations", "swap", "accumulate", "switch_n"]
)
def test_structured_programs(program: str) -> None:
    def build(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [5, 3], "x")
        if program == "map_fn":
            return tf.gradients(tf.map_fn(lambda v: v * v, x), x)
        if program == "scan":
            return tf.gradients(tf.scan(lambda a, v: a * v, x), x)
        if program == "foldr":
            return tf.foldr(lambda a, v: a - v, x)
        if program == "maximum_iterations":
            return tf.while_loop(lambda i: i < 9, lambda i: i + 1, [0], maximum_iterations=3)
        if program == "swap":
            return tf.while_loop(lambda i, j: i < 9, lambda i, j: (j, i + 1), [0, 1])
        if program == "accumulate":
            table = tf.get_variable("table", [5, 3])
            step = lambda i, a: (i + 1, a + tf.gather(table, i))  # noqa: E731
            return tf.gradients(tf.while_loop(lambda i, a: i < 3, step, [0, x[0]])[1], table)[
                0
            ].values
        return tf.raw_ops.Case(
            branch_index=tf.constant(1),
            input=[x],
            Tout=[tf.float32],
            branches=[
                tf.function(lambda v: v * 2.0).get_concrete_function(x).function_def
                for _ in range(2)
            ],
        )

    if program == "switch_n":
        graph = _switch_n().graph()
        found = guards(graph, structure_of(graph))
        assert [found[f"side{i}"] for i in range(3)] == [{"index": i} for i in range(3)]
        assert found["merged"] == {}
    else:
        structure_of(pruned(build))


def _branch() -> Nodes:
    graph = Nodes()
    graph.placeholder("x")
    graph.add("Placeholder", "p", dtype=BOOL)
    graph.float_op("Switch", "switch", "x", "p")
    graph.float_op("Neg", "off", "switch:0")
    graph.float_op("Neg", "on", "switch:1")
    return graph


def _switch_n(inputs: int = 3) -> Nodes:
    graph = Nodes()
    graph.placeholder("x")
    graph.add("Placeholder", "index", dtype=dtypes.int32)
    graph.add("_SwitchN", "switch", ["x", "index"], T=FLOAT, num_outs=3)
    for i in range(3):
        graph.float_op("Neg", f"side{i}", f"switch:{i}")
    graph.add("Merge", "merged", [f"side{i}" for i in range(inputs)], T=FLOAT, N=inputs)
    return graph


def _loop(
    next_of: str = "step",
    exit_of: str = "switch:0",
    condition: Callable[[Nodes], None] | None = None,
    before: Callable[[Nodes], None] | None = None,
) -> Nodes:
    """x -> Enter -> Merge -> Switch -> Neg -> NextIteration, with parts to be replaced."""
    graph = Nodes()
    graph.placeholder("x")
    graph.add("Placeholder", "go", dtype=BOOL)
    if before is not None:
        before(graph)
    graph.add("Enter", "enter", ["x"], T=FLOAT, frame_name=b"loop")
    graph.add("Enter", "goes", ["go"], T=BOOL, frame_name=b"loop", is_constant=True)
    graph.add("Merge", "merge", ["enter", "next"], T=FLOAT, N=2)
    if condition is None:
        graph.add("LoopCond", "condition", ["goes"])
    else:
        condition(graph)
    graph.float_op("Switch", "switch", "merge", "condition")
    graph.float_op("Neg", "step", "switch:1")
    graph.float_op("NextIteration", "next", next_of)
    graph.float_op("Exit", "exit", exit_of)
    return graph


def test_the_hand_made_loop_is_one() -> None:
    (loop,) = loops(structure_of(_loop().graph()).block)
    assert loop.name == "loop"


def test_a_merge_of_what_is_not_a_decision_is_refused() -> None:
    graph = _branch()
    graph.add("Merge", "merged", ["on", "x"], T=FLOAT, N=2)
    assert "'merged' are not the sides" in refusal(graph.graph())
    assert "'merged' are not the sides" in refusal(_switch_n(inputs=2).graph())


def test_a_merge_of_sides_of_different_branches_is_refused() -> None:
    graph = _branch()
    graph.add("Placeholder", "q", dtype=BOOL)
    graph.float_op("Switch", "other", "x", "q")
    graph.add("Merge", "merged", ["on", "other:0"], T=FLOAT, N=2)
    assert "'merged' are not the sides" in refusal(graph.graph())


def test_what_waits_for_others_may_be_on_a_branch_but_in_no_loop() -> None:
    graph = _branch().graph()
    assert guards(graph, structure_of(graph, ["Neg"]))["on"] == {"p": 1}
    assert "'step' in loop 'loop' waits" in refusal(_loop().graph(), ["Neg"])


def test_loops_that_are_no_while_are_refused() -> None:
    def two(graph: Nodes) -> None:
        graph.add("LoopCond", "condition", ["goes"])
        graph.add("LoopCond", "again", ["goes"])
        graph.float_op("Switch", "unused", "merge", "again")

    def none(graph: Nodes) -> None:
        graph.add("Identity", "condition", ["goes"], T=BOOL)

    assert "has not one condition" in refusal(_loop(condition=two).graph())
    assert "has not one condition" in refusal(_loop(condition=none).graph())
    circle = _branch().graph()
    switch, on = circle.find("switch"), circle.find("on")
    assert switch is not None and on is not None
    circle.add_control_edge(on, switch)
    assert "nodes outside of loops wait for each other" in refusal(circle)
    assert "'next' does not run in each iteration" in refusal(_loop(next_of="merge").graph())
    assert "'next' does not run in each iteration" in refusal(_loop(next_of="switch:0").graph())
    assert "'exit' does not run when the loop is over" in refusal(_loop(exit_of="merge").graph())
    assert "'exit' does not run when the loop is over" in refusal(_loop(exit_of="step").graph())


def test_a_variable_without_a_start_or_with_two_is_refused() -> None:
    graph = _loop()
    graph.add("Merge", "second", ["enter", "next", "next"], T=FLOAT, N=3)
    graph.float_op("Switch", "third", "second", "condition")
    assert "'second' is not the start of a loop variable" in refusal(graph.graph())
    graph = _loop()
    graph.float_op("Neg", "early", "enter")
    assert "'enter' is used by more" in refusal(graph.graph())
    graph = _loop()
    graph.float_op("NextIteration", "spare", "step")
    assert "'spare' does not lead back" in refusal(graph.graph())


def test_a_loop_entered_under_different_conditions_is_refused() -> None:
    graph = Nodes()
    for name in ("p", "q"):
        graph.add("Placeholder", name, dtype=BOOL)
        graph.add("Switch", f"if_{name}", [name, name], T=BOOL)
        graph.add("Enter", f"enter_{name}", [f"if_{name}:1"], T=BOOL, frame_name=b"loop")
        graph.add("Merge", f"merge_{name}", [f"enter_{name}", f"next_{name}"], T=BOOL, N=2)
    graph.add("LoopCond", "condition", ["merge_p"])
    for name in ("p", "q"):
        graph.add("Switch", f"switch_{name}", [f"merge_{name}", "condition"], T=BOOL)
        graph.add("NextIteration", f"next_{name}", [f"switch_{name}:1"], T=BOOL)
    assert "entered under different conditions" in refusal(graph.graph())


def test_what_a_send_sends_must_be_all_it_waits_for() -> None:
    def send(graph: Nodes, *inputs: str) -> None:
        graph.add(
            "_Send",
            "send",
            inputs,
            T=FLOAT,
            tensor_name=b"t",
            send_device=b"/device:CPU:0",
            send_device_incarnation=1,
            recv_device=b"/device:CPU:1",
        )

    graph = _branch()
    send(graph, "on")
    part = import_graph(graph.graph_def, partition=True)
    assert guards(part, structure_of(part))["send"] == {"p": 1}
    graph = _branch()
    send(graph, "x", "^on")
    part = import_graph(graph.graph_def, partition=True)
    assert "'send' sends a value that waits for a branch" in refusal(part)


def test_a_value_that_may_arrive_dead_is_refused() -> None:
    graph = _branch()
    graph.add(
        "_Recv",
        "recv",
        tensor_type=FLOAT,
        tensor_name=b"t",
        send_device=b"/device:CPU:0",
        send_device_incarnation=1,
        recv_device=b"/device:CPU:1",
        _may_be_dead=True,
    )
    part = import_graph(graph.graph_def, partition=True)
    assert "'recv' may receive a dead value" in refusal(part)


def test_time_grows_with_the_graph_only() -> None:
    def seconds(count: int) -> float:
        graph = Nodes()
        graph.placeholder("x")
        value = "x"
        for i in range(count):
            graph.add("Placeholder", f"p{i}", dtype=BOOL)
            graph.float_op("Switch", f"s{i}", value, f"p{i}")
            graph.float_op("Neg", f"n{i}", f"s{i}:1")
            value = graph.add("Merge", f"m{i}", [f"s{i}:0", f"n{i}"], T=FLOAT, N=2)
        built = graph.graph()
        taken = []
        for _ in range(3):
            start = time.process_time()
            structure_of(built)
            taken.append(time.process_time() - start)
        return min(taken)

    assert seconds(4000) < 100 * max(seconds(200), 0.002)


def test_a_nest_too_deep_is_refused() -> None:
    graph = Nodes()
    graph.placeholder("x")
    value = "x"
    for i in range(600):
        graph.add("Placeholder", f"p{i}", dtype=BOOL)
        value = graph.float_op("Switch", f"s{i}", value, f"p{i}") + ":1"
    graph.float_op("Neg", "deepest", value)
    assert "nest too deeply" in refusal(graph.graph())


def test_values_are_followed_to_what_decides() -> None:
    graph = _branch()
    graph.add("Switch", "pivot", ["p", "p"], T=BOOL)
    graph.add("Identity", "again", ["pivot:1"], T=BOOL)
    graph.float_op("Switch", "inner", "on", "again")
    graph.float_op("Neg", "both", "inner:1")
    graph.float_op("Neg", "neither", "inner:0")
    graph.const("c", np.float32(1))
    built = graph.graph()
    found = guards(built, structure_of(built))
    assert found["both"] == {"p": 1}
    assert found["neither"] is None
