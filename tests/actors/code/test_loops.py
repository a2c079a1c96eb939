"""Loops on the general executor: failures, cancellation, threads, memory, traces."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.run.tagged_frames import Iteration, LoopFrame
from dataflow.actors.run.tagged_run import TaggedRun
from dataflow.proto.config_pb2 import ConfigProto, RunMetadata, RunOptions
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from dataflow.values import dtypes
from tests.actors import trial_ops
from tests.actors.harness import GraphBuilder, Session, Sessions, signature
from tests.actors.trial_ops import PATIENCE
from tests.house.tree import ROOT
from tests.ray.actors import eventually

Body = Callable[[GraphBuilder, str], str]
"""Adds nodes to the loop after the named one; returns the name of the last."""


@pytest.fixture
def general(sessions: Sessions) -> Iterator[Callable[..., Session]]:
    """Opens sessions that run all loops on the general executor."""
    config = ConfigProto()
    config.graph_options.rewrite_options.loop_optimization = RewriterConfig.OFF

    def opened(graph: GraphBuilder, **options: Any) -> Session:
        return sessions.open(graph, graph_options=config.graph_options, **options)

    yield opened


def counting(body: Body, parallel_iterations: int = 10) -> GraphBuilder:
    """A loop from 0 to `limit` by ones; `body` gets the value of each iteration, and adds to it."""
    graph = GraphBuilder()
    frame = {"frame_name": b"loop", "parallel_iterations": parallel_iterations}
    graph.placeholder("limit")
    graph.const("zero", 0.0)
    graph.const("unit", 1.0)
    graph.add("Enter", "start", ["zero"], **frame)
    graph.add("Enter", "stop", ["limit"], is_constant=True, **frame)
    graph.add("Enter", "one", ["unit"], is_constant=True, **frame)
    graph.add("Merge", "merge", ["start", "again"], N=2)
    graph.add("Less", "less", ["merge", "stop"])
    graph.add("LoopCond", "cond", ["less"])
    graph.add("Switch", "switch", ["merge", "cond"])
    graph.add("Identity", "value", ["switch:1"])
    graph.add("TrialAdd", "next", [body(graph, "value"), "one"])
    graph.add("NextIteration", "again", ["next"])
    graph.add("Exit", "end", ["switch"])
    return graph


def calling(name: str, function: Callable[[Any], Any]) -> Body:
    """A body of one node that calls a Python function."""

    def body(graph: GraphBuilder, value: str) -> str:
        trial_ops.functions[name] = function
        return graph.add("TrialCall", name, [value])

    return body


def unchanged(graph: GraphBuilder, value: str) -> str:
    """A body without nodes."""
    return value


def f32(value: float) -> np.float32:
    """A float32 number."""
    return np.float32(value)


def test_a_failure_in_a_late_iteration_names_its_node(general: Any) -> None:
    def fail_at_five(value: Any) -> Any:
        if value == 5.0:
            raise ValueError("five is too much")
        return value

    session = general(counting(calling("picky", fail_at_five)))
    step = session.step(["end"], ["limit"])
    with pytest.raises(errors.InvalidArgumentError, match="five is too much") as caught:
        step([f32(9.0)])
    assert "{{node picky}}" in caught.value.message
    assert "float32[]" in str(caught.value)
    assert step([f32(5.0)]) == [5.0]
    assert session.devices[0].steps_in_flight == 0
    assert len(session.devices[0].rendezvous) == 0


@pytest.mark.parametrize("kind", [b"op", b"value", b"memory", b"interrupt"])
def test_the_error_of_a_kernel_is_the_error_of_the_step(general: Any, kind: bytes) -> None:
    def body(graph: GraphBuilder, value: str) -> str:
        return graph.add("TrialFail", "fail", [value], kind=kind, message=b"no luck")

    session = general(counting(body))
    wanted = {b"op": errors.ResourceExhaustedError, b"interrupt": KeyboardInterrupt}
    with pytest.raises(wanted.get(kind, errors.OpError), match="no luck"):
        session.run(["end"], {"limit": f32(3.0)})
    assert session.run(["end"], {"limit": f32(0.0)}) == [0.0]


def test_an_endless_loop_ends_at_its_deadline(general: Any) -> None:
    session = general(counting(unchanged))
    step = session.step(["end"], ["limit"])
    with pytest.raises(errors.DeadlineExceededError):
        step([f32(np.inf)], RunOptions(timeout_in_ms=100))
    assert step([f32(3.0)]) == [3.0]
    assert eventually(lambda: session.devices[0].steps_in_flight == 0)


def test_an_endless_loop_ends_with_its_session(general: Any) -> None:
    started = threading.Event()

    def note(value: Any) -> Any:
        started.set()
        return value

    session = general(counting(calling("note", note)))
    step = session.step(["end"], ["limit"])
    failures: list[BaseException] = []

    def run() -> None:
        try:
            step([f32(np.inf)])
        except errors.OpError as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(PATIENCE)
    session.close()
    thread.join(PATIENCE)
    assert [type(failure) for failure in failures] == [errors.CancelledError]


def test_costly_nodes_of_an_iteration_overlap(general: Any) -> None:
    """Both wait for each other: one thread alone would wait for ever."""

    def body(graph: GraphBuilder, value: str) -> str:
        graph.add("TrialNegate", "minus", [value])
        graph.add("TrialMeet", "left", [value], at=b"here")
        graph.add("TrialMeet", "right", ["minus"], at=b"here")
        graph.add("TrialSum", "nothing", ["left", "right"], N=2)
        return graph.add("TrialAdd", "result", ["left", "nothing"])

    trial_ops.barriers["here"] = threading.Barrier(2)
    session = general(counting(body))
    assert session.run(["end"], {"limit": f32(20.0)}) == [20.0]


def test_costly_nodes_of_many_iterations(general: Any) -> None:
    """Results arrive from several threads in any order."""

    def body(graph: GraphBuilder, value: str) -> str:
        for name, source in (("a", value), ("b", "a"), ("c", value), ("d", "c"), ("e", "a")):
            graph.add("TrialBig", name, [source])
        graph.add("TrialSum", "sum", ["b", "d", "e"], N=3)
        graph.add("TrialSum", "thrice", [value, value, value], N=3)
        graph.add("TrialNegate", "minus", ["thrice"])
        graph.add("TrialAdd", "six", ["sum", "minus"])
        graph.add("TrialNegate", "minus_six", ["six"])
        graph.add("TrialAdd", "nought", ["six", "minus_six"])
        return graph.add("TrialAdd", "result", [value, "nought"])

    step = general(counting(body)).step(["end"], ["limit"])
    for limit in (0.0, 1.0, 300.0):
        assert step([f32(limit)]) == [limit]


def test_a_costly_node_does_not_wait_for_cheap_ones(general: Any) -> None:
    """A loop that goes on until a costly node beside it has run."""
    ended = threading.Event()

    def body(graph: GraphBuilder, value: str) -> str:
        trial_ops.functions["look"] = lambda v: np.float32(1000.0 if ended.is_set() else v - v)
        return graph.add("TrialCall", "look", [value])

    graph = counting(body)
    graph.placeholder("x")
    graph.add("TrialGate", "gate", ["x"])
    trial_ops.gates["gate"] = threading.Event()
    trial_ops.gates["gate"].set()
    trial_ops.functions["note"] = lambda v: (ended.set(), v)[1]
    graph.add("TrialCall", "note", ["gate"])
    step = general(graph).step(["end", "note"], ["limit", "x"])
    assert step([f32(1000.0), f32(2.0)], RunOptions(timeout_in_ms=int(1000 * PATIENCE))) == [
        1001.0,
        2.0,
    ]


def test_cheap_nodes_do_not_wait_for_a_costly_one_on_their_thread(general: Any) -> None:
    """Also where the thread has run a costly node before, and no other thread is free."""

    def body(graph: GraphBuilder, value: str) -> str:
        def open_gates(v: Any) -> Any:
            for gate in trial_ops.gates.values():
                gate.set()
            return v

        trial_ops.functions["open"] = open_gates
        graph.add("TrialGate", "elsewhere", [value])
        graph.add("TrialBig", "big", [value])
        graph.add("TrialGate", "here", ["big"])
        graph.add("TrialCall", "open", ["big"])
        return graph.add("TrialSum", "sum", ["here", "elsewhere", "open"], N=3)

    trial_ops.gates.update(elsewhere=threading.Event(), here=threading.Event())
    session = general(counting(body), threads=2)
    assert session.run(["end"], {"limit": f32(1.0)}) == [3.0]


def test_iterations_overlap_up_to_their_number(general: Any) -> None:
    """Two slow nodes of different iterations meet only if both iterations may run."""

    def body(graph: GraphBuilder, value: str) -> str:
        graph.add("TrialMeet", "slow", [value], at=b"here")
        # The loop does not wait for the slow node; the step does.
        return value

    trial_ops.barriers["here"] = threading.Barrier(2)
    session = general(counting(body, parallel_iterations=2))
    step = session.step(["end"], ["limit"], ["slow"])
    assert step([f32(6.0)]) == [6.0]


def test_one_iteration_at_a_time(general: Any) -> None:
    running: list[float] = []

    def body(graph: GraphBuilder, value: str) -> str:
        calling("first", running.append)(graph, value)
        trial_ops.functions["first"] = lambda v: running.append(float(v)) or v
        graph.add("TrialGate", "gate", ["first"])
        trial_ops.functions["second"] = lambda v: running.append(-float(v)) or v
        graph.add("TrialCall", "second", ["gate"])
        return value

    trial_ops.gates["gate"] = threading.Event()
    trial_ops.gates["gate"].set()
    session = general(counting(body, parallel_iterations=1))
    step = session.step(["end"], ["limit"], ["second"])
    assert step([f32(4.0)]) == [4.0]
    assert running == [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0]


def test_a_blocking_kernel_in_a_loop_holds_no_thread(general: Any) -> None:
    def body(graph: GraphBuilder, value: str) -> str:
        return graph.add("TrialPark", "park", [value])

    session = general(counting(body), threads=1)
    step = session.step(["end"], ["limit"])
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(step([f32(3.0)])))
    thread.start()
    for value in range(3):
        while "park" not in trial_ops.parked:
            assert thread.is_alive()
            thread.join(timeout=0.001)
        trial_ops.parked.pop("park")(f32(value))
    thread.join(PATIENCE)
    assert results == [[3.0]]


def test_a_blocking_kernel_in_a_loop_can_be_cancelled(general: Any) -> None:
    def body(graph: GraphBuilder, value: str) -> str:
        return graph.add("TrialPark", "park", [value])

    session = general(counting(body))
    step = session.step(["end"], ["limit"])
    with pytest.raises(errors.DeadlineExceededError):
        step([f32(3.0)], RunOptions(timeout_in_ms=50))
    assert step([f32(0.0)]) == [0.0]


def test_a_value_is_dropped_after_its_last_use(general: Any) -> None:
    made: list[weakref.ref[Any]] = []
    alive: list[bool] = []

    def make(value: Any) -> Any:
        array = np.full(1000, value)
        made.append(weakref.ref(array))
        return array

    def look(value: Any) -> Any:
        alive.append(made[-1]() is not None)
        return value

    def body(graph: GraphBuilder, value: str) -> str:
        calling("make", make)(graph, value)
        calling("use", lambda v: np.float32(v[0]))(graph, "make")
        return calling("look", look)(graph, "use")

    session = general(counting(body), threads=1)
    assert session.run(["end"], {"limit": f32(5.0)}) == [5.0]
    assert alive == [False] * 5


def test_what_is_dead_is_dropped_too(general: Any) -> None:
    """A value on its way to a node that turns out to be dead."""
    graph = GraphBuilder()
    graph.placeholder("pred", dtype=dtypes.bool)
    graph.placeholder("x")
    made: list[weakref.ref[Any]] = []

    def make(value: Any) -> Any:
        array = np.full(1000, value)
        made.append(weakref.ref(array))
        return array

    calling("make", make)(graph, "x")
    graph.add("Switch", "switch", ["x", "pred"])
    graph.add("TrialAdd", "sum", ["make", "switch"])
    graph.add("TrialNegate", "other", ["sum"])
    graph.add("Merge", "merge", ["other", "switch:1"], N=2)
    trial_ops.functions["look"] = lambda v: np.float32(made[-1]() is not None)
    graph.add("TrialCall", "look", ["merge"])
    session = general(graph, threads=1)
    for _ in range(2):
        assert session.run(["look"], {"pred": np.bool_(True), "x": f32(1.0)}) == [0.0]


_PEAKS = """
import tracemalloc
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from tests.actors import trial_ops
from tests.actors.code.test_loops import counting, f32, unchanged
from tests.actors.harness import Sessions

registered = trial_ops.registered()
registered.__enter__()
config, sessions = ConfigProto(), Sessions()
config.graph_options.rewrite_options.loop_optimization = RewriterConfig.OFF
session = sessions.open(counting(unchanged), graph_options=config.graph_options)
step = session.step(["end"], ["limit"])
step([f32(100.0)])
for limit in (1_000.0, 20_000.0):
    tracemalloc.start()
    assert step([f32(limit)]) == [limit]
    print(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
sessions.close()
"""


def test_memory_does_not_grow_with_the_iterations() -> None:
    """In a process of its own: whatever threads other tests have, allocate meanwhile."""
    done = subprocess.run(
        [sys.executable, "-c", _PEAKS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    few, many = map(int, done.stdout.split())
    assert many < few + 20_000


def test_many_iterations(general: Any) -> None:
    session = general(counting(unchanged))
    assert session.run(["end"], {"limit": f32(100_000.0)}) == [100_000.0]


def test_an_error_holds_no_values(general: Any) -> None:
    made: list[weakref.ref[Any]] = []

    def make(value: Any) -> Any:
        array = np.full(1000, value)
        made.append(weakref.ref(array))
        return array

    def fail(value: Any) -> Any:
        raise ValueError("no luck")

    def body(graph: GraphBuilder, value: str) -> str:
        calling("make", make)(graph, value)
        graph.add("TrialNegate", "late", ["make"])
        return calling("fail", fail)(graph, "make")

    step = general(counting(body), threads=1).step(["end"], ["limit"])
    with pytest.raises(errors.OpError, match="no luck") as caught:
        step([f32(3.0)])
    assert len(made) == 1
    assert made[0]() is None
    assert caught.value.__cause__ is not None


def _states() -> list[Any]:
    """What steps with loops are made of, as far as it is still there."""
    return [o for o in gc.get_objects() if isinstance(o, (Iteration, LoopFrame, TaggedRun))]


def test_a_thousand_steps_leave_nothing(general: Any) -> None:
    """Not even for the garbage collector."""
    session = general(counting(unchanged))
    step = session.step(["end"], ["limit"])
    gc.collect()
    gc.disable()
    try:
        for _ in range(1000):
            assert step([f32(3.0)]) == [3.0]
        # Another thread may be on its way out of the last one.
        assert eventually(lambda: not _states())
    finally:
        gc.enable()
    assert session.devices[0].steps_in_flight == 0
    assert len(session.devices[0].rendezvous) == 0


def test_failed_steps_leave_nothing(general: Any) -> None:
    def body(graph: GraphBuilder, value: str) -> str:
        return graph.add("TrialFail", "fail", [value], kind=b"value", message=b"no luck")

    session = general(counting(body))
    step = session.step(["end"], ["limit"])
    for _ in range(20):
        with pytest.raises(errors.OpError, match="no luck"):
            step([f32(3.0)])
    gc.collect()
    assert eventually(lambda: not _states())
    assert session.devices[0].steps_in_flight == 0
    assert len(session.devices[0].rendezvous) == 0


def test_steps_of_many_threads_do_not_mix(general: Any) -> None:
    session = general(counting(unchanged))
    step = session.step(["end"], ["limit"])
    results: dict[float, Any] = {}

    def run(limit: float) -> None:
        results[limit] = [step([f32(limit)]) for _ in range(20)]

    threads = [threading.Thread(target=run, args=(float(n),)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert results == {float(n): [[float(n)]] * 20 for n in range(1, 9)}


def test_a_trace_shows_each_iteration(general: Any) -> None:
    session = general(counting(unchanged))
    step = session.step(["end"], ["limit"])
    for _ in range(4):
        step([f32(2.0)])
    metadata = RunMetadata()
    step([f32(3.0)], RunOptions(trace_level=RunOptions.FULL_TRACE), metadata)
    names = [n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats]
    assert names.count("merge") == 4
    assert names.count("next") == 3
    assert names.count("end") == 1


def test_piecewise_steps_with_branches(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.placeholder("pred", dtype=dtypes.bool)
    graph.placeholder("x")
    graph.add("Switch", "switch", ["x", "pred"])
    graph.add("TrialNegate", "off", ["switch"])
    graph.add("TrialAdd", "on", ["switch:1", "switch:1"])
    graph.add("Merge", "merge", ["off", "on"], N=2)
    session = sessions.open(graph)
    runtime = session.runtime
    run = runtime.partial_run_setup(
        session.handle, signature(["merge", "off", "on"], ["pred", "x"])
    )
    feeds = [("pred:0", np.bool_(True)), ("x:0", f32(3.0))]
    assert runtime.partial_run(session.handle, run, feeds, ["merge:0"]) == [6.0]
    assert runtime.partial_run(session.handle, run, [], ["on:0"]) == [6.0]
    with pytest.raises(
        errors.InvalidArgumentError, match=r"The tensor returned for off:0 was not valid\."
    ):
        runtime.partial_run(session.handle, run, [], ["off:0"])
