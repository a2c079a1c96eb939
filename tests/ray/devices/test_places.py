"""Threads of a device: steps wait for one in order, and a kernel that hangs takes none for good."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.ray.actors.device import DeviceShell
from dataflow.actors.ray.links.calls import answer
from dataflow.actors.step.numbers import STEP_BITS
from dataflow.actors.threads.library_threads import release_library_threads
from dataflow.actors.wire.codec import decode, encode
from dataflow.actors.wire.messages import (
    AbortStep,
    AskUsage,
    Message,
    OpenDevice,
    PlanOptions,
    RegisterGraph,
    RunStep,
    StepDone,
    StepFailed,
)
from dataflow.errors import ErrorReport
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.values import attrs, dtypes
from tests.actors import trial_ops
from tests.ray.actors import eventually

DEVICE = "/job:worker/replica:0/task:1/device:CPU:0"
STEP = 5 << STEP_BITS
AT_WORK = 2
"""Threads of the device that may work for steps."""
LATE = ErrorReport(errors.DEADLINE_EXCEEDED, "late")


class Asker:
    """A lane's end that keeps what the device answers."""

    whom = "The test"
    is_open = True

    def __init__(self) -> None:
        self.answers: list[Any] = []

    def send(self, message: Message, /) -> None:
        self.answers.append(message)

    def shut(self) -> None:
        raise AssertionError("refused")


class Device:
    """A device whose steps call a function of the test, and who asks it."""

    def __init__(self) -> None:
        config = ConfigProto(intra_op_parallelism_threads=1).SerializeToString()
        opening = encode(OpenDevice("cluster", DEVICE, 1, config))
        self.shell = DeviceShell(opening, AT_WORK, lambda name: None)
        self.asker = Asker()
        graph = GraphDef()
        for op, name, inputs, more in (
            ("_Arg", "arg", [], {"index": 0}),
            ("TrialCall", "call", ["arg"], {}),
            ("_Retval", "retval", ["call"], {"index": 0}),
        ):
            node = graph.node.add(op=op, name=name, input=inputs, device=DEVICE)
            for key, value in {"T": dtypes.float32, **more}.items():
                attrs.encode_inferred(value, node.attr[key])
        message = RegisterGraph(5, graph.SerializeToString(), PlanOptions())
        found = decode(answer(self.shell.handlers, encode(message)))
        self._plan = found.parts[0].plan

    def start(self, number: int) -> threading.Thread:
        """Has a thread of a lane take a step, which is fed its number."""
        message = RunStep(self._plan, STEP + number, (np.float32(number),))
        thread = threading.Thread(target=self.shell._steps.serve, args=(self.asker, message))
        thread.start()
        return thread

    def stop(self, number: int) -> None:
        """Stops a step."""
        self.shell._steps.serve(self.asker, AbortStep(STEP + number, LATE))

    @property
    def ended(self) -> list[int]:
        """The steps that were answered, in order; minus the number of one that failed."""
        return [
            a.step - STEP if isinstance(a, StepDone) else STEP - a.step for a in self.asker.answers
        ]

    def usage(self) -> tuple[int, int]:
        """Steps that run and rendezvous that are open."""
        usage = decode(answer(self.shell.handlers, encode(AskUsage())))
        return usage.steps, usage.rendezvous


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    # A shell has its process to itself elsewhere.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    interval = sys.getswitchinterval()
    with trial_ops.registered():
        yield Device()
    release_library_threads(1)
    sys.setswitchinterval(interval)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Kernels of steps below 3 wait for it."""
    gate, began = threading.Event(), []

    def call(value: Any) -> Any:
        began.append(int(value))
        assert value >= 3 or gate.wait(60)
        return value

    trial_ops.functions["call"] = call
    yield gate
    gate.set()


def test_steps_wait_for_a_thread_in_order(device: Device, gate: threading.Event) -> None:
    second, call = threading.Event(), trial_ops.functions["call"]
    trial_ops.functions["call"] = lambda v: call(v) if v != 2 else (second.wait(60), v)[1]
    held = [device.start(number) for number in (1, 2)]
    assert eventually(lambda: device.usage()[0] == 2)
    for number in range(3, 9):
        # The thread that brings the message does not wait.
        device.start(number).join(60)
    assert device.ended == []
    device.stop(5)
    assert device.ended == [-5]
    assert device.asker.answers[0] == StepFailed(STEP + 5, LATE)
    # One thread is free: where two are, either may be the first to answer.
    second.set()
    assert eventually(lambda: len(device.ended) == 7)
    assert device.ended == [-5, 2, 3, 4, 6, 7, 8]
    gate.set()
    for thread in held:
        thread.join(60)
    assert eventually(lambda: len(device.ended) == 8)
    assert device.usage() == (0, 0)


def test_kernels_that_hang_are_left_behind(device: Device, gate: threading.Event) -> None:
    held = [device.start(number) for number in (1, 2)]
    assert eventually(lambda: device.usage()[0] == 2)
    waits = device.start(3)
    waits.join(60)
    started = time.monotonic()
    device.stop(1)
    device.stop(2)
    # Their places are others'.
    assert eventually(lambda: len(device.ended) == 3)
    assert time.monotonic() - started < 30.0
    assert sorted(device.ended) == [-2, -1, 3]
    device.start(4).join(60)
    assert device.ended[-1] == 4
    gate.set()
    for thread in held:
        thread.join(60)
    # What they return is dropped, and there are as many places as before.
    assert eventually(lambda: device.usage() == (0, 0))
    assert len(device.ended) == 4
    assert device.shell._steps._places.left_behind == 0
    assert device.shell._steps._places._free == AT_WORK
