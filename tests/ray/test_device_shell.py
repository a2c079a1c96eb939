"""The inside of a device actor, in this process: what it answers to requests good and bad."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.ray.actors.device import DeviceShell
from dataflow.actors.step.numbers import STEP_BITS
from dataflow.actors.step.rendezvous import rendezvous_key
from dataflow.actors.threads.library_threads import release_library_threads
from dataflow.actors.wire.codec import decode, encode
from dataflow.actors.wire.messages import (
    AbortStep,
    CloseSession,
    DeregisterPlan,
    Done,
    FeedStep,
    FetchReady,
    Message,
    NextFetch,
    OpenDevice,
    Opened,
    PlanOptions,
    RegisterGraph,
    ResetContainers,
    RunStep,
    SendTensor,
    SendTensors,
    StepDone,
    StepFailed,
    TensorValue,
)
from dataflow.errors import ErrorReport
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.values import attrs, dtypes
from tests.ray.actors import eventually

DEVICE = "/job:worker/replica:0/task:1/device:CPU:0"
PEER = "/job:worker/replica:0/task:0/device:CPU:0"
STEP = 5 << STEP_BITS


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[DeviceShell]:
    # A shell has its process to itself elsewhere.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    interval = sys.getswitchinterval()
    config = ConfigProto(intra_op_parallelism_threads=1).SerializeToString()
    yield DeviceShell(encode(OpenDevice("cluster", DEVICE, 1, config)), 2)
    release_library_threads(1)
    sys.setswitchinterval(interval)


def receiving_graph() -> bytes:
    """Fetches what a peer sends as "t", plus what is fed."""
    graph = GraphDef()

    def add(op: str, name: str, inputs: list[str], **values: Any) -> None:
        node = graph.node.add(op=op, name=name, input=inputs, device=DEVICE)
        for key, value in values.items():
            attrs.encode_inferred(value, node.attr[key])

    add(
        "_Recv",
        "recv",
        [],
        tensor_type=dtypes.float32,
        tensor_name=b"t",
        send_device=PEER.encode(),
        send_device_incarnation=7,
        recv_device=DEVICE.encode(),
        client_terminated=False,
    )
    add("_Arg", "arg", [], T=dtypes.float32, index=0)
    add("AddV2", "sum", ["recv", "arg"], T=dtypes.float32)
    add("_Retval", "retval", ["sum"], T=dtypes.float32, index=0)
    return graph.SerializeToString()


KEY = rendezvous_key(PEER, 7, DEVICE, "t")


def answer(data: bytes) -> Any:
    return decode(data)


def register(shell: DeviceShell, piecewise: bool = False) -> int:
    message = RegisterGraph(5, receiving_graph(), PlanOptions(piecewise=piecewise))
    registered = answer(shell.register(encode(message)))
    assert not isinstance(registered, ErrorReport), registered
    return int(registered.parts[0].plan)


def push(shell: DeviceShell, step: int, value: Any, key: str = KEY) -> None:
    shell.push(encode(SendTensors((SendTensor(step, key, value),))), ())


def run_in_threads(shell: DeviceShell, plan: int, steps: list[int]) -> tuple[list[Any], list[Any]]:
    """Starts steps; the answers come into the first list."""
    answers: list[Any] = []

    def run(step: int) -> None:
        answers.append(answer(shell.run(encode(RunStep(plan, step, (np.float32(1),))))))

    threads = [threading.Thread(target=run, args=(step,)) for step in steps]
    for thread in threads:
        thread.start()
    assert eventually(lambda: answer(shell.usage()).steps == len(steps))
    return answers, threads


def test_describes_itself(shell: DeviceShell) -> None:
    opened = answer(shell.describe())
    assert isinstance(opened, Opened)
    (info,) = opened.devices
    assert (info.name, info.device_type) == (DEVICE, "CPU")
    assert info.memory_limit > 0 and info.incarnation > 0


@pytest.mark.parametrize("order", ["early", "late", "large"])
def test_a_value_meets_its_step(shell: DeviceShell, order: str) -> None:
    plan = register(shell)
    value = np.arange(3, dtype=np.float32)
    if order == "early":
        push(shell, STEP + 1, value)
        done = answer(shell.run(encode(RunStep(plan, STEP + 1, (np.float32(1),)))))
    else:
        answers, threads = run_in_threads(shell, plan, [STEP + 1])
        push(shell, STEP + 1, value, key="another")
        push(shell, STEP + 2, value)
        assert answers == []
        if order == "large":
            heads = SendTensors((), (SendTensor(STEP + 1, KEY, None),))
            shell.push(encode(heads), [encode(TensorValue(value))])
        else:
            push(shell, STEP + 1, value)
        threads[0].join(10)
        (done,) = answers
    assert isinstance(done, StepDone) and done.step == STEP + 1
    assert done.fetches[0].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("count", [0, 2])
def test_feeds_that_a_plan_does_not_take_are_refused(shell: DeviceShell, count: int) -> None:
    plan = register(shell)
    failed = answer(shell.run(encode(RunStep(plan, STEP + 1, (np.float32(1),) * count))))
    assert isinstance(failed, StepFailed) and failed.error.code == errors.INVALID_ARGUMENT
    assert f"{count} values were fed to a plan of {DEVICE} that takes 1:" in failed.error.message


def test_too_many_steps_are_refused(shell: DeviceShell) -> None:
    """Each step holds a thread: one more than there are would wait for ever."""
    plan = register(shell)
    answers, threads = run_in_threads(shell, plan, [STEP + 1, STEP + 2])
    refused = answer(shell.run(encode(RunStep(plan, STEP + 3, ()))))
    assert isinstance(refused, ErrorReport) and refused.code == errors.RESOURCE_EXHAUSTED
    assert "2 steps are running" in refused.message
    shell.close_session(encode(CloseSession(5)))
    for thread in threads:
        thread.join(10)
    assert [type(a) for a in answers] == [StepFailed] * 2
    assert {a.error.code for a in answers} == {errors.CANCELLED}
    usage = answer(shell.usage())
    assert (usage.plans, usage.steps, usage.rendezvous) == (0, 0, 0)


@pytest.mark.parametrize("early", [True, False])
def test_abort(shell: DeviceShell, early: bool) -> None:
    plan = register(shell)
    report = ErrorReport(errors.UNAVAILABLE, "the peer is gone")
    abort = encode(AbortStep(STEP + 1, report))
    if early:
        shell.abort(abort)
        found = answer(shell.run(encode(RunStep(plan, STEP + 1, (np.float32(1),)))))
    else:
        answers, threads = run_in_threads(shell, plan, [STEP + 1])
        shell.abort(abort)
        threads[0].join(10)
        (found,) = answers
    assert isinstance(found, StepFailed)
    assert found.error.code == errors.UNAVAILABLE and "the peer is gone" in found.error.message


def test_low_water_reaps_what_came_too_early(shell: DeviceShell) -> None:
    plan = register(shell)
    for step in range(1, 5):
        push(shell, STEP + step, np.float32(1))
    assert answer(shell.usage()).rendezvous == 4
    done = answer(shell.run(encode(RunStep(plan, STEP + 4, (np.float32(1),), STEP + 4))))
    assert done.fetches == (2.0,)
    assert answer(shell.usage()).rendezvous == 0


def test_piecewise(shell: DeviceShell) -> None:
    plan = register(shell, piecewise=True)
    assert answer(shell.start(encode(RunStep(plan, STEP + 1, ())))) == Done()
    assert answer(shell.feed(encode(FeedStep(STEP + 1, 0, np.float32(2))))) == Done()
    push(shell, STEP + 1, np.float32(3))
    ask = encode(NextFetch(STEP + 1))
    assert answer(shell.next_fetch(ask)) == FetchReady(STEP + 1, 0, np.float32(5))
    assert answer(shell.next_fetch(ask)) == StepDone(STEP + 1, ())
    for late in (shell.next_fetch(ask), shell.feed(encode(FeedStep(STEP + 1, 0, 0.0)))):
        report = answer(late)
        assert report.code == errors.ABORTED
        assert f"Step id {STEP + 1} is not running on {DEVICE}" in report.message
        assert "the task was started again since" in report.message
    assert answer(shell.usage()).piecewise == 0


def test_a_freed_plan_is_not_found(shell: DeviceShell) -> None:
    plan = register(shell)
    assert answer(shell.deregister(encode(DeregisterPlan(plan)))) == Done()
    report = answer(shell.run(encode(RunStep(plan, STEP + 1, ()))))
    assert report.code == errors.ABORTED
    assert "Graph handle is not found" in report.message and DEVICE in report.message


MALFORMED = {
    "nothing": b"",
    "noise": bytes(range(256)),
    "another kind": encode(ResetContainers(())),
    "truncated": encode(RunStep(1, STEP, ()))[:70],
}


@pytest.mark.parametrize("what", MALFORMED)
def test_malformed_requests_are_answered(shell: DeviceShell, what: str) -> None:
    data = MALFORMED[what]
    requests = [shell.register, shell.deregister, shell.close_session, shell.run, shell.start]
    for request in [*requests, shell.next_fetch, shell.feed]:
        report: Message = answer(request(data))
        assert isinstance(report, ErrorReport)
        assert report.code in (errors.DATA_LOSS, errors.INVALID_ARGUMENT)
    bad_graph = answer(shell.register(encode(RegisterGraph(1, b"\xff" * 9))))
    assert bad_graph.code == errors.INVALID_ARGUMENT and "GraphDef" in bad_graph.message
