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
from dataflow.actors.ray.links.calls import answer
from dataflow.actors.step.numbers import STEP_BITS
from dataflow.actors.step.rendezvous import rendezvous_key
from dataflow.actors.threads.library_threads import release_library_threads
from dataflow.actors.wire.codec import decode, encode
from dataflow.actors.wire.messages import (
    AbortStep,
    AskUsage,
    CloseSession,
    DeregisterGraph,
    DeregisterPlan,
    Describe,
    Done,
    FeedStep,
    FetchReady,
    Message,
    NextFetch,
    OpenDevice,
    Opened,
    PlanOptions,
    RegisterGraph,
    RunStep,
    SendTensor,
    SendTensors,
    StepDone,
    StepFailed,
    TensorValue,
)
from dataflow.errors import ErrorReport, UnavailableError
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
    yield DeviceShell(encode(OpenDevice("cluster", DEVICE, 1, config)), 2, lambda name: None)
    release_library_threads(1)
    sys.setswitchinterval(interval)


def doubling_graph() -> bytes:
    """Fetches what is fed, plus itself: no step of it waits for anything."""
    graph = GraphDef.FromString(receiving_graph())
    del graph.node[0]
    graph.node[1].input[0] = "arg"
    return graph.SerializeToString()


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


def ask(shell: DeviceShell, message: Message) -> Any:
    return decode(answer(shell.handlers, encode(message)))


def register(shell: DeviceShell, piecewise: bool = False, graph: bytes | None = None) -> int:
    message = RegisterGraph(5, graph or receiving_graph(), PlanOptions(piecewise=piecewise))
    registered = ask(shell, message)
    assert not isinstance(registered, ErrorReport), registered
    return int(registered.parts[0].plan)


def push(shell: DeviceShell, step: int, value: Any, key: str = KEY) -> None:
    shell.calls.push(encode(SendTensors((SendTensor(step, key, value),))), ())


def run_in_threads(shell: DeviceShell, plan: int, steps: list[int]) -> tuple[list[Any], list[Any]]:
    """Starts steps; the answers come into the first list."""
    answers: list[Any] = []

    def run(step: int) -> None:
        answers.append(ask(shell, RunStep(plan, step, (np.float32(1),))))

    threads = [threading.Thread(target=run, args=(step,)) for step in steps]
    for thread in threads:
        thread.start()
    assert eventually(lambda: ask(shell, AskUsage()).steps == len(steps))
    return answers, threads


def test_describes_itself(shell: DeviceShell) -> None:
    opened = ask(shell, Describe())
    assert isinstance(opened, Opened)
    (info,) = opened.devices
    assert (info.name, info.device_type) == (DEVICE, "CPU")
    assert info.memory_limit > 0 and info.incarnation > 0


def test_who_may_have_been_replaced_takes_on_no_step(
    shell: DeviceShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = register(shell)

    def check(name: str) -> None:
        raise UnavailableError(None, None, f"{name} may have been replaced")

    monkeypatch.setattr(shell._steps, "_check_lease", check)
    failed = ask(shell, RunStep(plan, STEP, (np.float32(1),)))
    assert isinstance(failed, StepFailed)
    assert failed.error.message == f"{DEVICE} may have been replaced"
    assert ask(shell, AskUsage()).steps == 0


@pytest.mark.parametrize("order", ["early", "late", "large"])
def test_a_value_meets_its_step(shell: DeviceShell, order: str) -> None:
    plan = register(shell)
    value = np.arange(3, dtype=np.float32)
    if order == "early":
        push(shell, STEP + 1, value)
        done = ask(shell, RunStep(plan, STEP + 1, (np.float32(1),)))
    else:
        answers, threads = run_in_threads(shell, plan, [STEP + 1])
        push(shell, STEP + 1, value, key="another")
        push(shell, STEP + 2, value)
        assert answers == []
        if order == "large":
            heads = SendTensors((), (SendTensor(STEP + 1, KEY, None),))
            shell.calls.push(encode(heads), [encode(TensorValue(value))])
        else:
            push(shell, STEP + 1, value)
        threads[0].join(60)
        (done,) = answers
    assert isinstance(done, StepDone) and done.step == STEP + 1
    assert done.fetches[0].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("count", [0, 2])
def test_feeds_that_a_plan_does_not_take_are_refused(shell: DeviceShell, count: int) -> None:
    plan = register(shell)
    failed = ask(shell, RunStep(plan, STEP + 1, (np.float32(1),) * count))
    assert isinstance(failed, StepFailed) and failed.error.code == errors.INVALID_ARGUMENT
    assert f"{count} values were fed to a plan of {DEVICE} that takes 1:" in failed.error.message


def test_calls_beyond_those_that_may_wait_take_turns(shell: DeviceShell) -> None:
    """The thread of a call that waits is needed for others: it is told to call again."""
    plan = register(shell)
    answers, threads = run_in_threads(shell, plan, [STEP + 1, STEP + 2, STEP + 3])
    assert eventually(lambda: len(answers) == 1)
    away = answers.pop()
    assert isinstance(away, NextFetch)
    # Its step goes on without it.
    push(shell, away.step, np.float32(2))
    assert ask(shell, away) == StepDone(away.step, (np.float32(3),))
    assert eventually(lambda: len(answers) == 1)
    assert isinstance(answers.pop(), NextFetch)
    ask(shell, CloseSession(5))
    for thread in threads:
        thread.join(60)
    assert {a.error.code for a in answers} == {errors.CANCELLED}
    usage = ask(shell, AskUsage())
    assert (usage.plans, usage.steps, usage.rendezvous) == (0, 0, 0)


@pytest.mark.parametrize("early", [True, False])
def test_abort(shell: DeviceShell, early: bool) -> None:
    plan = register(shell)
    report = ErrorReport(errors.UNAVAILABLE, "the peer is gone")
    abort = encode(AbortStep(STEP + 1, report))
    if early:
        shell.calls.take(abort)
        found = ask(shell, RunStep(plan, STEP + 1, (np.float32(1),)))
    else:
        answers, threads = run_in_threads(shell, plan, [STEP + 1])
        shell.calls.take(abort)
        threads[0].join(60)
        (found,) = answers
    assert isinstance(found, StepFailed)
    assert found.error.code == errors.UNAVAILABLE and "the peer is gone" in found.error.message


def test_an_abort_that_overtakes_a_step_stops_it(shell: DeviceShell) -> None:
    """Messages of a lane are served on several threads, and who aborts a step goes on at once."""
    plan = register(shell, graph=doubling_graph())
    assert ask(shell, RunStep(plan, STEP, (np.float32(1),))) == StepDone(STEP, (np.float32(2),))
    shell.calls.take(encode(AbortStep(STEP + 1, ErrorReport(errors.CANCELLED, "interrupted"))))
    found = ask(shell, RunStep(plan, STEP + 1, (np.float32(1),)))
    assert isinstance(found, StepFailed)
    assert found.error.code == errors.CANCELLED and "interrupted" in found.error.message
    assert ask(shell, AskUsage()).steps == 0


def test_low_water_reaps_what_came_too_early(shell: DeviceShell) -> None:
    plan = register(shell)
    for step in range(1, 5):
        push(shell, STEP + step, np.float32(1))
    assert ask(shell, AskUsage()).rendezvous == 4
    done = ask(shell, RunStep(plan, STEP + 4, (np.float32(1),), STEP + 4))
    assert done.fetches == (2.0,)
    assert ask(shell, AskUsage()).rendezvous == 0


@pytest.mark.parametrize("fed", ["before", "after"])
def test_piecewise(shell: DeviceShell, fed: str) -> None:
    plan = register(shell, piecewise=True)
    feed = encode(FeedStep(STEP + 1, 0, np.float32(2)))
    if fed == "before":
        # It has overtaken the start of the step.
        shell.calls.take(feed)
    first: list[Any] = []

    def run() -> None:
        first.append(ask(shell, RunStep(plan, STEP + 1, (), piecewise=True)))

    thread = threading.Thread(target=run)
    thread.start()
    assert eventually(lambda: ask(shell, AskUsage()).piecewise == 1)
    if fed == "after":
        shell.calls.take(feed)
    push(shell, STEP + 1, np.float32(3))
    thread.join(60)
    assert first == [FetchReady(STEP + 1, 0, np.float32(5))]
    assert ask(shell, NextFetch(STEP + 1)) == StepDone(STEP + 1, ())
    late = ask(shell, NextFetch(STEP + 1))
    assert late.code == errors.ABORTED
    assert f"Step id {STEP + 1} is not running on {DEVICE}" in late.message
    assert "the task was started again since" in late.message
    assert ask(shell, AskUsage()).piecewise == 0


def test_a_piecewise_step_that_nobody_asks_about_ends_with_its_session(shell: DeviceShell) -> None:
    plan = register(shell, piecewise=True)
    found: list[Any] = []

    def run() -> None:
        found.append(ask(shell, RunStep(plan, STEP + 1, (), piecewise=True)))

    thread = threading.Thread(target=run)
    thread.start()
    assert eventually(lambda: ask(shell, AskUsage()).steps == 1)
    ask(shell, CloseSession(5))
    thread.join(60)
    assert isinstance(found[0], StepFailed) and found[0].error.code == errors.CANCELLED
    usage = ask(shell, AskUsage())
    assert (usage.plans, usage.steps, usage.piecewise, usage.rendezvous) == (0, 0, 0, 0)


def test_a_freed_plan_is_not_found(shell: DeviceShell) -> None:
    plan = register(shell)
    assert ask(shell, DeregisterPlan(plan)) == Done()
    report = ask(shell, RunStep(plan, STEP + 1, ())).error
    assert report.code == errors.ABORTED
    assert "Graph handle is not found" in report.message and DEVICE in report.message


MALFORMED = {
    "nothing": b"",
    "noise": bytes(range(256)),
    "what nobody asks a device for": encode(DeregisterGraph(1)),
    "an answer": encode(StepDone(STEP, ())),
    "truncated": encode(RunStep(1, STEP, ()))[:70],
}


@pytest.mark.parametrize("what", MALFORMED)
def test_malformed_requests_are_answered(shell: DeviceShell, what: str) -> None:
    report = decode(answer(shell.handlers, MALFORMED[what]))
    assert isinstance(report, ErrorReport)
    assert report.code in (errors.DATA_LOSS, errors.INVALID_ARGUMENT)


def test_a_malformed_graph_is_told_of(shell: DeviceShell) -> None:
    report = ask(shell, RegisterGraph(1, b"\xff" * 9))
    assert report.code == errors.INVALID_ARGUMENT and "GraphDef" in report.message


def test_what_is_answered_is_not_taken_without(
    shell: DeviceShell, caplog: pytest.LogCaptureFixture
) -> None:
    shell.calls.take(encode(DeregisterPlan(1)))
    assert "A caller is refused: it sent a DeregisterPlan." in caplog.text
