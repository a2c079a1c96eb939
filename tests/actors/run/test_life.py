"""Life of direct sessions: plans, threads, memory; devices, options, traces."""

from __future__ import annotations

import gc
import resource
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.direct import DirectRuntime
from dataflow.actors.threads import pool
from dataflow.proto.config_pb2 import (
    ConfigProto,
    GraphOptions,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
    ThreadPoolOptionProto,
)
from dataflow.session import back_end
from tests.actors.harness import GraphBuilder, Sessions, cpu, signature
from tests.ray.actors import eventually


def _graph() -> GraphBuilder:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.const("c", np.ones(1000, np.float32))
    graph.add("TrialVariable", "W", device=cpu(1))
    graph.add("TrialAssign", "init", ["W", "c"])
    graph.add("TrialBig", "a", ["x"], cpu(0))
    graph.add("TrialAdd", "b", ["a", "c"], cpu(1))
    graph.add("TrialBig", "d", ["b"], cpu(1))
    graph.add("TrialAdd", "y", ["d", "a"], cpu(0))
    return graph


def _pool_threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name.startswith("dataflow-pool")]


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_thousand_sessions_leave_nothing(sessions: Sessions) -> None:
    graph = _graph()

    def cycle() -> None:
        session = sessions.open(graph, cpus=2, threads=2)
        session.run([], {}, ["init"])
        (value,) = session.run(["y"], {"x": np.ones(1000, np.float32)})
        assert value[0] == 6
        session.close()
        sessions._opened.clear()

    others, shared = _pool_threads(), set(pool._shared)
    for _ in range(50):
        cycle()
    gc.collect()
    objects, files = len(gc.get_objects()), _open_files()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(950):
        cycle()
    gc.collect()
    assert len(gc.get_objects()) < objects + 500
    assert _open_files() <= files
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < memory + 10_000
    assert eventually(lambda: set(_pool_threads()) <= set(others))
    assert pool._shared.keys() <= shared


def test_close_frees_plans_state_and_values_without_the_collector(sessions: Sessions) -> None:
    graph = _graph()
    session = sessions.open(graph, cpus=2)
    session.run([], {}, ["init"])
    step = session.step(["y"], ["x"])
    for _ in range(4):
        step([np.ones(1000, np.float32)])
    device = weakref.ref(session.devices[1])
    plan = weakref.ref(next(iter(session.devices[1]._plans.values())))
    gc.collect()
    gc.disable()
    try:
        session.close()
        session.close()
        del step
        # Another thread may be on its way out of the last step.
        assert eventually(lambda: plan() is None and device() is None)
    finally:
        gc.enable()


def test_a_closed_session_refuses(sessions: Sessions) -> None:
    session = sessions.open(_graph(), cpus=2)
    step = session.step(["y"], ["x"])
    session.close()
    for use in (
        lambda: step([np.ones(3, np.float32)]),
        lambda: session.step(["y"], ["x"]),
        lambda: session.extend(_graph()),
        lambda: session.runtime.list_devices(session.handle),
    ):
        with pytest.raises(errors.CancelledError, match=r"Session has been closed\."):
            use()


def test_plans_are_shared_and_released(sessions: Sessions) -> None:
    session = sessions.open(_graph(), cpus=2)
    devices = session.devices
    for _ in range(2):
        session.step(["y"], ["x"])
    assert [d.plan_count for d in devices] == [1, 1]
    session.step(["a"], ["x"])
    assert [d.plan_count for d in devices] == [2, 1]
    wanted = signature(["y"], ["x"])
    session.runtime.release_callable(session.handle, wanted)
    assert [d.plan_count for d in devices] == [2, 1]
    session.runtime.release_callable(session.handle, wanted)
    session.runtime.release_callable(session.handle, wanted)
    assert [d.plan_count for d in devices] == [1, 0]


def test_plans_are_bounded(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dataflow.actors.cores.master.MAX_PLANS", 3)
    graph = GraphBuilder()
    graph.placeholder("x")
    for i in range(6):
        graph.add("TrialNegate", f"n{i}", ["x"])
    session = sessions.open(graph)
    steps = [session.step([f"n{i}"], ["x"]) for i in range(6)]
    assert session.devices[0].plan_count == 3
    # A step goes on with the plan it has.
    assert [step([np.float32(2)]) for step in steps] == [[-2]] * 6


def test_a_failed_preparation_leaves_no_plans(sessions: Sessions) -> None:
    graph = _graph()
    session = sessions.open(graph, cpus=2)
    with pytest.raises(errors.InvalidArgumentError, match="nowhere"):
        session.step(["y", "nowhere"], ["x"])
    with pytest.raises(errors.InvalidArgumentError, match="both fed and fetched"):
        session.step(["x"], ["x"])
    assert [d.plan_count for d in session.devices] == [0, 0]


def test_reset_closes_all_sessions(sessions: Sessions) -> None:
    first, second = sessions.open(_graph(), cpus=2), sessions.open(_graph(), cpus=2)
    DirectRuntime(ConfigProto()).reset([])
    for session in (first, second):
        with pytest.raises(errors.CancelledError):
            session.step(["y"], ["x"])


def test_connect_gives_a_direct_runtime() -> None:
    assert isinstance(back_end.connect("", ConfigProto()), DirectRuntime)


def test_devices_are_listed(sessions: Sessions) -> None:
    session = sessions.open(cpus=3)
    listed = session.runtime.list_devices(session.handle)
    cpus = [d for d in listed if d.device_type == "CPU"]
    assert [d.name for d in cpus] == [
        f"/job:localhost/replica:0/task:0/device:CPU:{i}" for i in range(3)
    ]
    assert len({d.incarnation for d in listed}) == len(listed)
    assert all(d.memory_limit > 0 for d in listed)


@pytest.mark.parametrize(
    ("config", "threads"),
    [
        ({"inter_op_parallelism_threads": 1}, 0),
        ({"inter_op_parallelism_threads": -1}, 0),
        ({"inter_op_parallelism_threads": 3}, 2),
        ({"inter_op_parallelism_threads": 3, "use_per_session_threads": True}, 2),
        ({"session_inter_op_thread_pool": [ThreadPoolOptionProto(num_threads=5)]}, 4),
    ],
)
def test_threads_asked_for(config: dict[str, Any], threads: int) -> None:
    proto = ConfigProto(**config)
    direct, shared = DirectRuntime(proto), dict(pool._shared)
    handle = direct.create_session(proto)
    try:
        found = direct._sessions[handle].threads.pool
        assert (found.size if found is not None else 0) == threads
    finally:
        direct.close_session(handle)
    assert pool._shared == shared


def test_pool_is_shared_and_stopped_by_the_last_user() -> None:
    others = set(_pool_threads())
    first, second = pool.acquire_pool(2), pool.acquire_pool(2)
    assert first is second
    ran = threading.Semaphore(0)
    for _ in range(10):
        first.submit(lambda a, b: ran.release() and None, None, None)
    for _ in range(10):
        assert ran.acquire(timeout=60)
    pool.release_pool(first)
    assert len(set(_pool_threads()) - others) == 2
    pool.release_pool(second)
    assert eventually(lambda: not set(_pool_threads()) - others)


def test_library_threads_follow_the_option(sessions: Sessions) -> None:
    import threadpoolctl

    def blas() -> list[int]:
        return [
            i["num_threads"] for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas"
        ]

    before = blas()
    session = sessions.open(intra_op_parallelism_threads=1)
    assert set(blas()) == {1}
    session.close()
    assert blas() == before


def test_optimizations_are_switched_off_by_level_zero(sessions: Sessions) -> None:
    graph = GraphBuilder()
    graph.const("a", 1.0)
    graph.add("TrialNegate", "b", ["a"])
    graph.add("TrialNegate", "same", ["a"])
    graph.placeholder("x")
    graph.add("TrialAdd", "c", ["b", "x"])
    graph.add("TrialAdd", "y", ["c", "same"])

    def ops(**config: Any) -> list[str]:
        metadata = RunMetadata()
        session = sessions.open(graph, **config)
        options = RunOptions(output_partition_graphs=True)
        assert session.step(["y"], ["x"])([np.float32(5)], options, metadata) == [3]
        (partition,) = metadata.partition_graphs
        return sorted(node.op for node in partition.node if node.op.startswith("Trial"))

    level_zero = GraphOptions(optimizer_options=OptimizerOptions(opt_level=OptimizerOptions.L0))
    assert ops() == ["TrialAdd", "TrialAdd"]
    assert ops(graph_options=level_zero) == ["TrialAdd"] * 2 + ["TrialNegate"] * 2


def test_a_node_that_cannot_be_placed(sessions: Sessions) -> None:
    graph = _graph()
    session = sessions.open(cpus=1)
    with pytest.raises(errors.InvalidArgumentError, match="CPU:1"):
        session.extend(graph)
    # Nothing of it stayed.
    fits = GraphBuilder()
    fits.placeholder("x")
    session.extend(fits)
    pruned_only = sessions.open(graph, cpus=1, graph_options=GraphOptions(place_pruned_graph=True))
    assert pruned_only.run(["a"], {"x": 1.0}) == [2]
    with pytest.raises(errors.InvalidArgumentError, match="CPU:1"):
        pruned_only.run(["y"], {"x": 1.0})
    soft = sessions.open(graph, cpus=1, allow_soft_placement=True)
    assert soft.run(["y"], {"x": np.ones(1000, np.float32)})[0][0] == 6


def test_placements_are_logged(sessions: Sessions, capsys: pytest.CaptureFixture[str]) -> None:
    sessions.open(_graph(), cpus=2, log_device_placement=True)
    shown = capsys.readouterr().out
    assert shown.startswith("Device mapping:\n")
    assert "y: (TrialAdd): /job:localhost/replica:0/task:0/device:CPU:0\n" in shown
    assert "b: (TrialAdd): /job:localhost/replica:0/task:0/device:CPU:1\n" in shown


def test_traced_steps_tell_when_each_node_ran(sessions: Sessions) -> None:
    session = sessions.open(_graph(), cpus=2)
    step = session.step(["y"], ["x"])
    options = RunOptions(trace_level=RunOptions.FULL_TRACE)
    for _ in range(4):
        metadata = RunMetadata()
        step([np.ones(1000, np.float32)], options, metadata)
        stats = {
            d.device[-5:]: {n.node_name: n for n in d.node_stats}
            for d in metadata.step_stats.dev_stats
        }
        assert set(stats) == {"CPU:0", "CPU:1"}
        assert {"a", "y"} <= set(stats["CPU:0"])
        assert {"b", "d"} <= set(stats["CPU:1"])
        b, d = stats["CPU:1"]["b"], stats["CPU:1"]["d"]
        assert d.timeline_label == "d = TrialBig(b)"
        assert b.all_start_micros <= d.all_start_micros
        assert b.all_start_micros > 1.5e15
        (output,) = d.output
        description = output.tensor_description
        assert (description.dtype, [dim.size for dim in description.shape.dim]) == (1, [1000])
    untraced = RunMetadata()
    step([np.ones(1000, np.float32)], RunOptions(), untraced)
    assert not untraced.step_stats.dev_stats


def test_partition_graphs_are_told(sessions: Sessions) -> None:
    session = sessions.open(_graph(), cpus=2)
    metadata = RunMetadata()
    options = RunOptions(output_partition_graphs=True)
    session.step(["y"], ["x"])([np.ones(1000, np.float32)], options, metadata)
    ops = [{node.op for node in graph.node} for graph in metadata.partition_graphs]
    assert len(ops) == 2
    assert all({"_Send", "_Recv"} <= found for found in ops)


def test_steps_are_prepared_from_many_threads(sessions: Sessions) -> None:
    session = sessions.open(_graph(), cpus=2)

    def run(i: int) -> float:
        fetch = ["y", "d", "a"][i % 3]
        return float(session.run([fetch], {"x": np.ones(1000, np.float32)})[0][0])

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(run, range(48))) == [6.0, 4.0, 2.0] * 16
    assert session.devices[0].plan_count == 3
