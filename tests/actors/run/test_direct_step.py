"""Steps of the direct runtime on one device: values, feeds, fetches, order, state, errors."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

from dataflow import errors
from dataflow.values import dtypes
from tests.actors import trial_ops
from tests.actors.harness import GraphBuilder, Session, Sessions


def _many(step: Any, feeds: list[Any], runs: int = 4) -> list[list[Any]]:
    """Runs a step often enough to see it interpreted, and as generated code."""
    return [step(feeds) for _ in range(runs)]


def test_feed_add_fetch(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.const("one", 1.0)
    graph.add("TrialAdd", "y", ["x", "one"])
    step = sessions.open(graph).step(["y"], ["x"])
    for (value,) in _many(step, [np.array(2, np.float32)]):
        assert type(value) is np.float32
        assert value == 3


def test_outputs_lists_and_unused_ones(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialBoth", "both", ["x"])
    graph.add("TrialFan", "fan", ["both:1"], N=3)
    graph.add("TrialFan", "lone", ["both"], N=1)
    graph.add("TrialSum", "sum", ["fan", "fan:2", "lone"], N=3)
    step = sessions.open(graph).step(["sum", "fan:1", "lone"], ["x"])
    x = np.arange(3, dtype=np.float32)
    for total, second, lone in _many(step, [x]):
        np.testing.assert_array_equal(second, 2 * x + 1)
        np.testing.assert_array_equal(lone, x + 1)
        np.testing.assert_array_equal(total, 2 * x + (2 * x + 2) + (x + 1))


def test_control_edges_order_nodes(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialNote", "third", ["x", "^second"])
    graph.add("TrialNote", "first", ["x"])
    graph.add("NoOp", "group", ["^first"])
    graph.const("c", 0.0, inputs=["^group"])
    graph.add("TrialAdd", "sum", ["c", "x"])
    graph.add("TrialNote", "second", ["sum"])
    step = sessions.open(graph).step([], ["x"], ["third"])
    for _ in range(4):
        step([np.float32(0)])
        assert trial_ops.calls == ["first", "second", "third"]
        trial_ops.calls.clear()


def test_fetches_are_owned_by_the_caller(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.const("c", [1.0, 2.0])
    graph.placeholder("x")
    graph.add("TrialNegate", "y", ["x"])
    graph.add("TrialView", "view", ["y"])
    graph.add("Identity", "same", ["y"])
    graph.add("Identity", "passed", ["x"])
    step = sessions.open(graph).step(["c", "y", "view", "same", "passed"], ["x"])
    x = np.array([3, 4], np.float32)
    for values in _many(step, [x]):
        for value in values:
            value[:] = 7
        assert not any(
            np.shares_memory(a, b) for i, a in enumerate(values) for b in [x, *values[:i]]
        )
    np.testing.assert_array_equal(x, [3, 4])
    np.testing.assert_array_equal(step([x])[0], [1, 2])


def test_kernel_results_are_not_copied(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialNegate", "y", ["x"])
    step = sessions.open(graph).step(["y"], ["x"])
    (value,) = step([np.ones(3, np.float32)])
    assert value.flags.owndata
    assert value.flags.writeable


@pytest.mark.parametrize("kept", [False, True])
def test_results_are_copied_only_if_something_holds_them(sessions: Sessions, kept: bool) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialCall", "y", ["x"])
    places: list[int] = []
    held: list[Any] = []

    def make(value: Any) -> Any:
        made = value + 1
        places.append(made.__array_interface__["data"][0])
        held.extend([made] * kept)
        return made

    trial_ops.functions["y"] = make
    step = sessions.open(graph).step(["y"], ["x"])
    for number, (value,) in enumerate(_many(step, [np.zeros(5000, np.float32)])):
        assert (value.__array_interface__["data"][0] == places[number]) is not kept
        value[...] = 7
        assert all((made == 1).all() for made in held)


def test_feeds_are_read_only_views(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialCall", "y", ["x"])
    session = sessions.open(graph)
    x = np.zeros(2, np.float32)

    def look(value: Any) -> Any:
        assert np.shares_memory(value, x)
        assert not value.flags.writeable
        return value

    trial_ops.functions["y"] = look
    step = session.step(["y"], ["x"])
    for (value,) in _many(step, [x]):
        assert x.flags.writeable
        assert not np.shares_memory(x, value)
    trial_ops.functions["y"] = lambda value: value * (not value.shape)
    # Shape [] comes as a scalar, of which there is nothing to protect.
    assert step([np.array(4, np.float32)]) == [4]


def test_strings_scalars(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("s", dtype=dtypes.string)
    graph.add("Identity", "same", ["s"], T=dtypes.string)
    graph.add("TrialText", "text")
    step = sessions.open(graph).step(["same", "text"], ["s"])
    assert step([np.array(b"fed", object)]) == [b"fed", b"text"]
    (value, _) = step([np.array([b"a", b"b"], object)])
    assert value.tolist() == [b"a", b"b"]


def test_variable_reads_and_writes(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialVariable", "W")
    graph.add("TrialAssign", "W/Assign", ["W", "x"])
    graph.add("Identity", "W/read", ["W"])
    graph.add("TrialAdd", "sum", ["W/read", "W"])
    session = sessions.open(graph)
    for fetch in ("W/read", "W", "sum"):
        with pytest.raises(
            errors.FailedPreconditionError, match="Attempting to use uninitialized value W"
        ):
            session.run([fetch])
    (assigned,) = session.run(["W/Assign"], {"x": [1.0, 2.0]})
    assigned[:] = 5
    for _ in range(4):
        read, direct, total = session.run(["W/read", "W", "sum"])
        np.testing.assert_array_equal(read, [1, 2])
        np.testing.assert_array_equal(direct, [1, 2])
        np.testing.assert_array_equal(total, [2, 4])
        read[:] = direct[:] = 9


def test_sessions_do_not_share_variables(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.const("one", 1.0)
    graph.add("TrialVariable", "W")
    graph.add("TrialAssign", "init", ["W", "one"])
    first, second = sessions.open(graph), sessions.open(graph)
    first.run([], {}, ["init"])
    assert first.run(["W"]) == [1]
    with pytest.raises(errors.FailedPreconditionError):
        second.run(["W"])


def test_stateful_kernels_are_kept_over_plans(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.add("TrialCount", "count")
    graph.add("Identity", "same", ["count"], T=dtypes.int64)
    session = sessions.open(graph)
    assert session.run(["count"]) == [1]
    assert session.run(["same"]) == [2]
    assert session.run(["count", "same"]) == [3, 3]
    assert sessions.open(graph).run(["count"]) == [1]


def test_step_context(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.const("c", 1.0)
    graph.add("TrialStep", "first", ["c"])
    graph.add("TrialStep", "second", ["c"])
    step = sessions.open(graph).step(["first", "second"])
    ids = _many(step, [])
    assert all(first == second for first, second in ids)
    assert len({int(first) for first, _ in ids}) == len(ids)


def test_extend_between_runs(sessions: Sessions) -> None:
    first = GraphBuilder()
    first.const("a", 1.0)
    session = sessions.open(first)
    assert session.run(["a"]) == [1]
    second = GraphBuilder()
    second.add("TrialNegate", "b", ["a"])
    session.extend(second)
    assert session.run(["b"]) == [-1]
    with pytest.raises(errors.InvalidArgumentError, match="b"):
        session.extend(second)
    assert session.run(["b", "a"]) == [-1, 1]


@pytest.mark.parametrize("length", [5, 3000])
def test_long_chains_are_straight_code(sessions: Sessions, length: int) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.const("one", 1.0)
    for i in range(length):
        graph.add("TrialAdd", f"n{i}", [f"n{i - 1}" if i else "x", "one"])
    session = sessions.open(graph)
    step = session.step([f"n{length - 1}", "n1"], ["x"])
    for last, early in _many(step, [np.zeros(2, np.float32)]):
        np.testing.assert_array_equal(last, [length, length])
        np.testing.assert_array_equal(early, [2, 2])
    (device,) = session.devices
    assert all(plan.is_straight for plan in device._plans.values())


def test_values_are_dropped_after_their_last_use(sessions: Sessions) -> None:
    alive: list[int] = []
    made: list[weakref.ref[Any]] = []
    graph = GraphBuilder()
    graph.placeholder("x")
    for i in range(20):
        graph.add("TrialNegate", f"n{i}", [f"n{i - 1}" if i else "x"])
    session = sessions.open(graph, threads=1)
    step = session.step(["n19"], ["x"])
    (device,) = session.devices
    (plan,) = device._plans.values()

    def watched(value: Any) -> Any:
        result = np.negative(value)
        made.append(weakref.ref(result))
        alive.append(sum(ref() is not None for ref in made))
        return result

    for node in plan.nodes:
        node.call = watched
    for _ in range(4):
        alive.clear()
        made.clear()
        step([np.zeros(2, np.float32)])
        assert max(alive) <= 2


def test_values_that_several_segments_read_are_dropped(sessions: Sessions) -> None:
    made: list[weakref.ref[Any]] = []
    seen: list[Any] = []
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialCall", "make", ["x"])
    for i in range(2):
        graph.const(f"c{i}", float(i))
        graph.add("TrialAdd", f"a{i}", ["make", f"c{i}"])
        graph.add("TrialBig", f"b{i}", [f"a{i}"])
    graph.add("TrialAdd", "sum", ["b0", "b1"])
    graph.add("TrialCall", "end", ["sum"])

    def make(value: Any) -> Any:
        result = np.negative(value)
        made.append(weakref.ref(result))
        return result

    def end(value: Any) -> Any:
        seen.append(made[-1]())
        return value

    trial_ops.functions.update(make=make, end=end)
    session = sessions.open(graph)
    step = session.step(["end"], ["x"])
    for (value,) in _many(step, [np.ones(2, np.float32)]):
        np.testing.assert_array_equal(value, [1, 1])
    (plan,) = session.devices[0]._plans.values()
    assert len(plan.layout.segments) > 2
    assert seen == [None] * 4


def test_measured_costs_cut_a_plan_anew(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    for i in range(2):
        graph.add("TrialCall", f"call{i}", ["x"])
    graph.add("TrialAdd", "sum", ["call0", "call1"])
    session = sessions.open(graph, threads=2)
    step = session.step(["sum"], ["x"])

    def slow(value: Any) -> Any:
        time.sleep(0.01)
        return value

    trial_ops.functions.update(call0=slow, call1=slow)
    for _ in range(2):
        assert step([np.float32(1)]) == [2]
    both = threading.Barrier(2)

    def meet(value: Any) -> Any:
        both.wait(trial_ops.PATIENCE)
        return value

    # Passes only if the two run at the same time.
    trial_ops.functions.update(call0=meet, call1=meet)
    assert step([np.float32(1)]) == [2]


def test_known_sizes_cut_a_plan_before_its_first_run(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.const("large", np.ones(1 << 22, np.float32))
    graph.const("small", np.ones(1, np.float32))
    for size in ("large", "small"):
        for i in range(2):
            graph.const(f"{size}{i}", float(i))
            graph.add("TrialAdd", f"{size}_a{i}", ["x", f"{size}{i}"])
            graph.add("TrialAdd", f"{size}_b{i}", [f"{size}_a{i}", size])
    session = sessions.open(graph)
    for size in ("large", "small"):
        session.step([f"{size}_b0", f"{size}_b1"], ["x"])
    large, small = session.devices[0]._plans.values()
    assert small.is_straight
    assert len(large.layout.segments) == 3


def _failing(session_graph: GraphBuilder, kind: bytes, message: bytes = b"it broke") -> None:
    session_graph.placeholder("x")
    session_graph.add("TrialNegate", "before", ["x"])
    session_graph.add("TrialFail", "broken", ["before"], kind=kind, message=message)
    session_graph.add("TrialNote", "after", ["broken"])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (b"op", errors.ResourceExhaustedError),
        (b"value", errors.InvalidArgumentError),
        (b"memory", errors.ResourceExhaustedError),
        (b"key", errors.InternalError),
    ],
)
def test_error_names_node_device_and_inputs(
    sessions: Sessions, kind: bytes, expected: type[errors.OpError]
) -> None:
    graph = GraphBuilder()
    _failing(graph, kind)
    session = sessions.open(graph)
    step = session.step(["after"], ["x"])
    for _ in range(4):
        with pytest.raises(expected) as caught:
            step([np.zeros((2, 3), np.float32)])
        message = caught.value.message
        first, *rest = message.splitlines()
        assert "it broke" in first
        assert rest[0].strip() == "[[{{node broken}}]]"
        assert "/job:localhost/replica:0/task:0/device:CPU:0" in message
        assert "float32[2,3]" in message
        assert caught.value.__cause__ is not None
        assert caught.value.node_def is not None
        assert (caught.value.node_def.name, caught.value.node_def.op) == ("broken", "TrialFail")
    assert trial_ops.calls == []
    assert session.run(["before"], {"x": [1.0]})[0] == [-1]


def test_error_of_generated_code_names_the_right_node(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    for i in range(1000):
        graph.add("TrialView", f"n{i}", [f"n{i - 1}" if i else "x"])
    graph.placeholder("y")
    graph.add("TrialAdd", "sum", ["n777", "y"])
    graph.add("TrialAdd", "end", ["n999", "sum"])
    step = sessions.open(graph).step(["end"], ["x", "y"])
    x = np.zeros(2, np.float32)
    _many(step, [x, x])
    with pytest.raises(errors.InvalidArgumentError, match=r"\{\{node sum\}\}") as caught:
        step([x, np.zeros(3, np.float32)])
    assert "float32[2], float32[3]" in caught.value.message
    np.testing.assert_array_equal(step([x, x])[0], x)


def test_an_exception_does_not_keep_the_values_of_its_step(sessions: Sessions) -> None:
    graph = GraphBuilder()
    _failing(graph, b"value")
    session = sessions.open(graph)
    step = session.step(["after"], ["x"])
    (plan,) = session.devices[0]._plans.values()
    made: list[weakref.ref[Any]] = []

    def watched(value: Any) -> Any:
        result = np.negative(value)
        made.append(weakref.ref(result))
        return result

    next(node for node in plan.nodes if node.name == "before").call = watched
    for _ in range(4):
        with pytest.raises(errors.InvalidArgumentError) as caught:
            step([np.zeros(2, np.float32)])
        gc.collect()
        assert caught.value is not None
        assert made.pop()() is None


def test_interrupt_passes_and_the_next_run_works(sessions: Sessions) -> None:
    graph = GraphBuilder()
    _failing(graph, b"interrupt")
    session = sessions.open(graph)
    step = session.step(["after"], ["x"])
    for _ in range(4):
        with pytest.raises(KeyboardInterrupt):
            step([np.zeros(2, np.float32)])
    assert session.run(["before"], {"x": [1.0]})[0] == [-1]
    assert session.devices[0].steps_in_flight == 0


def test_missing_kernel_names_node_and_kernels(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.const("a", np.array([1, 2], np.int32))
    graph.add("Placeholder", "p", [], dtype=dtypes.int32)
    session: Session = sessions.open(graph)
    with pytest.raises(errors.InvalidArgumentError, match="You must feed a value") as caught:
        session.run(["p"])
    assert "{{node p}}" in caught.value.message
