"""The steps that calls ask a device for: answers return with calls, as they go over a lane."""

from __future__ import annotations

from collections.abc import Sequence
from queue import SimpleQueue
from typing import Final

from dataflow.actors.code.failure import unknown_step
from dataflow.actors.ray.actors.device_steps import DeviceSteps, Submit
from dataflow.actors.ray.links.calls import expect
from dataflow.actors.step.numbers import STEP_BITS
from dataflow.actors.transfers.lanes.service import Thunk
from dataflow.actors.wire.codec import decode
from dataflow.actors.wire.messages import (
    FetchReady,
    Message,
    NextFetch,
    RunStep,
    SendTensor,
    SendTensors,
    TensorValue,
)


class DeviceCalls:
    """Serves the calls of sessions and of other devices. Called on many threads."""

    def __init__(self, name: str, steps: DeviceSteps, submit: Submit) -> None:
        """Makes the server of a device.

        Args:
          name: Its full name.
          steps: Does what is asked for.
          submit: Has a thread do something.
        """
        self._name = name
        self._steps = steps
        self._submit = submit
        self._piecewise: dict[int, _Call] = {}

    def __len__(self) -> int:
        """Number of piecewise steps whose end has not been asked for."""
        return len(self._piecewise)

    def run(self, message: RunStep) -> Message:
        """Runs a step, of a piecewise one up to its first answer."""
        call = _Call()
        if message.piecewise:
            # Between its answers there is no call whose thread could do the work.
            self._piecewise[message.step] = call
            self._steps.run(call, message, self._submit)
        else:
            self._steps.run(call, message, call.submit)
        return self._answer(message.step, call)

    def next_fetch(self, message: NextFetch) -> Message:
        """The next answer of a piecewise step."""
        call = self._piecewise.get(message.step)
        if call is None:
            raise unknown_step(message.step, self._name)
        return self._answer(message.step, call)

    def take(self, data: bytes) -> None:
        """Takes a message that is not answered; nobody sees what this raises."""
        self._steps.take(_NOBODY, decode(data))

    def push(self, data: bytes, large: Sequence[bytes]) -> None:
        """SendTensors, with the values of the large ones; nobody sees what this raises."""
        message = expect(decode(data), SendTensors)
        for tensor in message.tensors:
            self._steps.take(_NOBODY, tensor)
        for tensor, found in zip(message.large, large, strict=True):
            value = expect(decode(found), TensorValue).value
            whole = SendTensor(tensor.step, tensor.key, value, tensor.dead)
            self._steps.take(_NOBODY, whole)

    def forget_session(self, session: int) -> None:
        """Forgets the piecewise steps of a session."""
        for step in [s for s in tuple(self._piecewise) if s >> STEP_BITS == session]:
            self._piecewise.pop(step, None)

    def _answer(self, step: int, call: _Call) -> Message:
        """The next answer of a step, and that was it unless others follow."""
        found = call.answer()
        if not isinstance(found, FetchReady):
            self._piecewise.pop(step, None)
        return found


class _Nobody:
    """A lane's end to which no answers go."""

    whom = "A caller"
    is_open = True

    def send(self, message: Message, /) -> None:
        """Does nothing."""

    def shut(self) -> None:
        """Does nothing: there is no connection."""


class _Call(_Nobody):
    """A lane's end in one step: its answers wait for calls, as does work for their threads."""

    def __init__(self) -> None:
        self._inbox: SimpleQueue[Message | Thunk] = SimpleQueue()

    def send(self, message: Message, /) -> None:
        """Answers."""
        self._inbox.put(message)

    def submit(self, work: Thunk) -> None:
        """Has the thread of the call do something."""
        self._inbox.put(work)

    def answer(self) -> Message:
        """Waits for the next answer, and does the work that comes before it."""
        while callable(found := self._inbox.get()):
            found()
        return found


_NOBODY: Final = _Nobody()
