"""Steps over several devices in this process: values, order, errors, cancellation, concurrency."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dataflow import errors
from dataflow.proto.config_pb2 import RunOptions
from tests.actors import trial_ops
from tests.actors.harness import GraphBuilder, Session, Sessions, cpu
from tests.ray.actors import eventually

Recipe = list[tuple[str, list[int], int, list[int]]]
"""For each node its op, inputs (tensor numbers), device and control inputs (node numbers)."""


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    """A random DAG over three devices; tensor 0 is the feed."""
    recipe: Recipe = []
    tensors = 1
    for node in range(draw(st.integers(1, 25))):
        op = draw(
            st.sampled_from(["Add", "Multiply", "Negate", "Both", "Sum", "Fan", "View", "Big"])
        )
        count = {"Add": 2, "Multiply": 2, "Sum": 3}.get(op, 1)
        inputs = [draw(st.integers(0, tensors - 1)) for _ in range(count)]
        controls = draw(st.lists(st.integers(0, node - 1), max_size=2, unique=True)) if node else []
        recipe.append((op, inputs, draw(st.integers(0, 2)), controls))
        tensors += {"Both": 2, "Fan": 2}.get(op, 1)
    return recipe


def _evaluate(recipe: Recipe, x: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The tensors of a recipe, computed one after the other."""
    one, two = np.float32(1), np.float32(2)
    rules: dict[str, Callable[..., list[Any]]] = {
        "Add": lambda a, b: [a + b],
        "Multiply": lambda a, b: [a * b],
        "Negate": lambda a: [-a],
        "Both": lambda a: [a + one, a * two],
        "Sum": lambda a, b, c: [a + b + c],
        "Fan": lambda a: [a, a + one],
        "View": lambda a: [a],
        "Big": lambda a: [a + one],
    }
    tensors = [x]
    for op, inputs, _, _ in recipe:
        tensors += rules[op](*(tensors[i] for i in inputs))
    return tensors


def _build(recipe: Recipe, x_device: str = "") -> tuple[GraphBuilder, list[str]]:
    """The graph of a recipe and its tensors' names."""
    graph = GraphBuilder()
    graph.placeholder("x", x_device)
    names = ["x:0"]
    for number, (op, inputs, device, controls) in enumerate(recipe):
        wanted = [names[i] for i in inputs] + [f"^n{c}" for c in controls]
        extra = {"N": 3} if op == "Sum" else {"N": 2} if op == "Fan" else {}
        graph.add(f"Trial{op}", f"n{number}", wanted, cpu(device), **extra)
        names += [f"n{number}:{i}" for i in range(2 if op in ("Both", "Fan") else 1)]
    return graph, names


@given(recipes(), st.data())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_random_graphs_on_random_devices(recipe: Recipe, data: st.DataObject) -> None:
    graph, names = _build(recipe)
    sessions = Sessions()
    try:
        session = sessions.open(graph, cpus=3, threads=data.draw(st.integers(1, 4)))
        wanted = data.draw(
            st.lists(st.integers(1, len(names) - 1), min_size=1, max_size=4, unique=True)
        )
        step = session.step([names[i] for i in wanted], ["x"])
        for run in range(4):
            x = np.full(3, run, np.float32)
            with np.errstate(all="ignore"):
                expected = _evaluate(recipe, x)
            for value, index in zip(step([x]), wanted, strict=True):
                np.testing.assert_allclose(value, expected[index], rtol=1e-5)
        for device in session.devices:
            assert device.steps_in_flight == 0
            assert len(device.rendezvous) == 0
    finally:
        sessions.close()


@given(recipes(), st.data())
@settings(max_examples=40, deadline=None)
def test_an_error_anywhere_names_its_node_and_hangs_nothing(
    recipe: Recipe, data: st.DataObject
) -> None:
    graph, names = _build(recipe)
    broken = data.draw(st.integers(0, len(names) - 1))
    device = data.draw(st.integers(0, 2))
    graph.add(
        "TrialFail", "broken", [names[broken]], cpu(device), kind=b"value", message=b"it broke"
    )
    sessions = Sessions()
    try:
        session = sessions.open(graph, cpus=3, threads=data.draw(st.integers(1, 4)))
        ends = [names[-1]] if len(names) > 1 else []
        step = session.step([*ends, "broken"], ["x"])
        x = np.ones(2, np.float32)
        for _ in range(4):
            with pytest.raises(errors.InvalidArgumentError, match="it broke") as caught:
                step([x])
            assert caught.value.node_def is not None
            assert caught.value.node_def.name == "broken"
            assert f"device:CPU:{device}" in caught.value.message
        if ends and names[-1] != "x:0":
            (value,) = session.step(ends, ["x"])([x])
            np.testing.assert_allclose(value, _evaluate(recipe, x)[-1], rtol=1e-5)
        assert all(d.steps_in_flight == 0 for d in session.devices)
    finally:
        sessions.close()


def _ping_pong(length: int) -> GraphBuilder:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.const("one", 1.0)
    for i in range(length):
        graph.add("TrialAdd", f"n{i}", [f"n{i - 1}" if i else "x", "one"], cpu(i % 2))
    return graph


@pytest.mark.parametrize("threads", [1, 4])
def test_ping_pong_between_devices_does_not_recurse(sessions: Sessions, threads: int) -> None:
    length = 1500
    session = sessions.open(_ping_pong(length), cpus=2, threads=threads)
    step = session.step([f"n{length - 1}"], ["x"])
    for _ in range(4):
        assert step([np.float32(0)]) == [length]


def test_control_edges_cross_devices(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    names = []
    for i in range(12):
        before = [f"^{names[-1]}"] if names else []
        names.append(graph.add("TrialNote", f"n{i}", ["x", *before], cpu(i % 3)))
    session = sessions.open(graph, cpus=3)
    step = session.step([], ["x"], [names[-1]])
    for _ in range(4):
        step([np.float32(0)])
        assert trial_ops.calls == names
        trial_ops.calls.clear()


@pytest.mark.parametrize("devices", [(0, 0), (0, 1)])
def test_independent_costly_nodes_overlap(sessions: Sessions, devices: tuple[int, int]) -> None:
    trial_ops.barriers["here"] = threading.Barrier(2)
    graph = GraphBuilder()
    graph.placeholder("x")
    for i, device in enumerate(devices):
        graph.const(f"c{i}", float(i))
        graph.add("TrialAdd", f"before{i}", ["x", f"c{i}"], cpu(device))
        graph.add("TrialMeet", f"meet{i}", [f"before{i}"], cpu(device), at=b"here")
        graph.add("TrialNegate", f"after{i}", [f"meet{i}"], cpu(device))
    graph.add("TrialAdd", "sum", ["after0", "after1"], cpu(0))
    session = sessions.open(graph, cpus=2, threads=2)
    step = session.step(["sum"], ["x"])
    for _ in range(60):
        assert step([np.float32(1)]) == [-3]


def test_many_threads_run_one_session(sessions: Sessions) -> None:
    session = sessions.open(_ping_pong(20), cpus=2, threads=2)
    step = session.step(["n19", "n18"], ["x"])
    wrong: list[Any] = []

    def run(start: int) -> None:
        for i in range(start, start + 50):
            values = step([np.float32(i)])
            if values != [i + 20, i + 19]:
                wrong.append((i, values))

    threads = [threading.Thread(target=run, args=(1000 * i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert all(d.steps_in_flight == 0 and len(d.rendezvous) == 0 for d in session.devices)


def _parked(session_graph: GraphBuilder, device: int = 0) -> None:
    session_graph.placeholder("x")
    session_graph.add("TrialPark", "park", ["x"], cpu(device))
    session_graph.add("TrialNegate", "after", ["park"], cpu(0))


def _in_thread(session: Session, names: list[str]) -> tuple[threading.Thread, list[Any]]:
    """Runs a step in a thread until it is parked; its result or error comes into the list."""
    outcome: list[Any] = []
    step = session.step(names, ["x"])

    def run() -> None:
        try:
            outcome.append(step([np.float32(3)]))
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    deadline = monotonic() + 20
    while "park" not in trial_ops.parked and monotonic() < deadline:
        thread.join(0.005)
    assert "park" in trial_ops.parked
    return thread, outcome


@pytest.mark.parametrize("device", [0, 1])
def test_a_blocking_node_holds_no_thread(sessions: Sessions, device: int) -> None:
    graph = GraphBuilder()
    _parked(graph, device)
    graph.add("TrialNegate", "free", ["x"], cpu(device))
    session = sessions.open(graph, cpus=2, threads=1)
    thread, outcome = _in_thread(session, ["after", "free"])
    # Other steps run while this one waits.
    assert session.run(["free"], {"x": 1.0}) == [-1]
    trial_ops.parked["park"](np.float32(5))
    thread.join(trial_ops.PATIENCE)
    assert outcome == [[-5, -3]]


@pytest.mark.parametrize("device", [0, 1])
def test_close_cancels_steps_in_flight(sessions: Sessions, device: int) -> None:
    graph = GraphBuilder()
    _parked(graph, device)
    session = sessions.open(graph, cpus=2)
    thread, outcome = _in_thread(session, ["after"])
    devices = session.devices
    session.close()
    thread.join(trial_ops.PATIENCE)
    (error,) = outcome
    assert isinstance(error, errors.CancelledError)
    assert all(d.steps_in_flight == 0 and d.plan_count == 0 for d in devices)


def test_a_late_answer_of_a_cancelled_node_is_ignored(sessions: Sessions) -> None:
    graph = GraphBuilder()
    _parked(graph)
    session = sessions.open(graph)
    thread, outcome = _in_thread(session, ["after"])
    done = trial_ops.parked["park"]
    session.close()
    thread.join(trial_ops.PATIENCE)
    done(np.float32(1))
    assert isinstance(outcome[0], errors.CancelledError)


@pytest.mark.parametrize("device", [0, 1])
def test_a_failed_node_stops_those_that_wait(sessions: Sessions, device: int) -> None:
    graph = GraphBuilder()
    _parked(graph, device)
    graph.add("TrialPark", "trigger", ["x"], cpu(1 - device))
    graph.add("TrialFail", "broken", ["trigger"], cpu(1), kind=b"op", message=b"it broke")
    session = sessions.open(graph, cpus=2)
    thread, outcome = _in_thread(session, ["after", "broken"])
    trial_ops.parked["trigger"](np.float32(0))
    thread.join(trial_ops.PATIENCE)
    (error,) = outcome
    assert isinstance(error, errors.ResourceExhaustedError)
    assert "{{node broken}}" in error.message
    assert all(d.steps_in_flight == 0 for d in session.devices)


def test_a_blocking_node_that_fails_is_named(sessions: Sessions) -> None:
    graph = GraphBuilder()
    _parked(graph)
    session = sessions.open(graph)
    thread, outcome = _in_thread(session, ["after"])
    trial_ops.parked["park"](error=errors.OutOfRangeError(None, None, "no more"))
    thread.join(trial_ops.PATIENCE)
    assert isinstance(outcome[0], errors.OutOfRangeError)
    assert outcome[0].message.startswith("no more")
    assert "{{node park}}" in outcome[0].message


@pytest.mark.parametrize("cpus", [1, 2])
@pytest.mark.parametrize("by_option", [True, False])
def test_time_outs(sessions: Sessions, cpus: int, by_option: bool) -> None:
    graph = GraphBuilder()
    _parked(graph, cpus - 1)
    graph.add("TrialNegate", "free", ["x"], cpu(cpus - 1))
    config = {} if by_option else {"operation_timeout_in_ms": 50}
    session = sessions.open(graph, cpus=cpus, **config)
    step = session.step(["after"], ["x"])
    options = RunOptions(timeout_in_ms=50) if by_option else None
    for _ in range(4):
        with pytest.raises(
            errors.DeadlineExceededError, match="Timed out waiting for notification"
        ):
            step([np.float32(1)], options)
        # Who waits is told at once, whatever runs on the devices.
        assert eventually(lambda: all(d.steps_in_flight == 0 for d in session.devices))
    options = RunOptions(timeout_in_ms=int(1000 * trial_ops.PATIENCE))
    assert session.step(["free"], ["x"])([np.float32(1)], options) == [-1]


def test_time_out_stops_straight_code_between_nodes(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    for i in range(40):
        graph.add("TrialGate", f"n{i}", [f"n{i - 1}" if i else "x"])
    session = sessions.open(graph)
    step = session.step(["n39"], ["x"])
    nodes = {f"n{i}": threading.Event() for i in range(40)}
    trial_ops.gates.update(nodes)
    for event in nodes.values():
        event.set()
    for _ in range(2):
        step([np.float32(0)])

    for _ in range(2):
        nodes["n20"].clear()
        timer = threading.Timer(0.3, nodes["n20"].set)
        timer.start()
        with pytest.raises(errors.DeadlineExceededError):
            step([np.float32(0)], RunOptions(timeout_in_ms=50))
        timer.join()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("outer_devices", [1, 2])
def test_a_kernel_may_run_the_session(sessions: Sessions, threads: int, outer_devices: int) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialNegate", "first", ["x"], cpu(0))
    graph.add("TrialCall", "call", ["first"], cpu(outer_devices - 1))
    graph.add("TrialNegate", "last", ["call"], cpu(0))
    graph.add("TrialNegate", "inner0", ["x"], cpu(1))
    graph.add("TrialMultiply", "inner", ["inner0", "x"], cpu(0))
    session = sessions.open(graph, cpus=2, threads=threads)
    inner = session.step(["inner"], ["x"])
    trial_ops.functions["call"] = lambda a: inner([np.asarray(a)])[0]
    step = session.step(["last"], ["x"])
    for _ in range(4):
        assert step([np.float32(3)]) == [9]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("device", [0, 1])
def test_what_another_step_woke_does_not_run_in_that_step(
    sessions: Sessions, threads: int, device: int
) -> None:
    graph = GraphBuilder()
    _parked(graph, device)
    graph.add("TrialCall", "witness", ["after"], cpu(0))
    graph.add("TrialCall", "waker", ["x"], cpu(device))
    session = sessions.open(graph, cpus=2, threads=threads)
    over = threading.Event()
    ran_on: list[threading.Thread] = []
    woke_on: list[threading.Thread] = []

    def witness(a: Any) -> Any:
        ran_on.append(threading.current_thread())
        # It lasts until the step that woke this one has ended.
        assert over.wait(trial_ops.PATIENCE)
        return a

    def waker(a: Any) -> Any:
        woke_on.append(threading.current_thread())
        trial_ops.parked["park"](a)
        return a

    trial_ops.functions.update(witness=witness, waker=waker)
    thread, outcome = _in_thread(session, ["witness"])
    assert session.run(["waker"], {"x": 7.0}) == [7]
    over.set()
    thread.join(trial_ops.PATIENCE)
    assert outcome == [[-7]]
    assert len(ran_on) == 1 and ran_on != woke_on
