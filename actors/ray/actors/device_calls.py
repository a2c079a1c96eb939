"""The steps that calls ask a device for: answers return with calls, as they go over a lane."""

from __future__ import annotations

import time
from collections.abc import Sequence
from queue import SimpleQueue
from typing import Final

from dataflow.actors.code.failure import unknown_step
from dataflow.actors.ray.actors.device_steps import DeviceSteps, Submit
from dataflow.actors.ray.links.calls import expect
from dataflow.actors.step.numbers import STEP_BITS
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

_TURN: Final = 0.02
"""Seconds for which a call that is one too many waits for another one to return."""


class DeviceCalls:
    """Serves the calls of sessions and of other devices. Called on many threads."""

    def __init__(self, name: str, steps: DeviceSteps, most: int, submit: Submit) -> None:
        """Makes the server of a device.

        Args:
          name: Its full name.
          steps: Does what is asked for.
          most: Calls that may wait for an answer; there is a thread for one more. Beyond that the
            one that has waited longest is told to call again: what it waits for may be a step of
            another device that is queued there behind such calls.
          submit: Has a thread do something.
        """
        self._name = name
        self._steps = steps
        self._most = most
        self._submit = submit
        self._unanswered: dict[int, _Call] = {}
        """The steps whose next answer a call will ask for."""
        self._waiting: dict[int, _Call] = {}
        """Those that a call waits for, in order."""

    def __len__(self) -> int:
        """Number of steps whose end has still to be asked for."""
        return len(self._unanswered)

    def run(self, message: RunStep) -> Message:
        """Runs a step, of a piecewise one up to its first answer."""
        call = _Call()
        if message.piecewise:
            self._unanswered[message.step] = call
        # Between its answers there is no call whose thread could do the work.
        self._steps.run(call, message, self._submit)
        return self._answer(message.step, call)

    def next_fetch(self, message: NextFetch) -> Message:
        """The next answer of a step."""
        call = self._unanswered.get(message.step)
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
        """Forgets the steps of a session whose answers were not asked for."""
        for step in [s for s in tuple(self._unanswered) if s >> STEP_BITS == session]:
            self._unanswered.pop(step, None)

    def _answer(self, step: int, call: _Call) -> Message:
        """The next answer of a step, and that was it unless others follow."""
        if len(self._waiting) >= self._most:
            # Not so often that nothing else is done.
            time.sleep(_TURN)
            self._send_away()
        self._waiting[step] = call
        try:
            found = call.answer()
        finally:
            self._waiting.pop(step, None)
        if isinstance(found, NextFetch):
            self._unanswered[step] = call
        elif not isinstance(found, FetchReady):
            self._unanswered.pop(step, None)
        return found

    def _send_away(self) -> None:
        """Has the call that has waited longest return, to be made again."""
        for step in tuple(self._waiting)[:1]:
            call = self._waiting.pop(step, None)
            if call is not None:
                call.send(NextFetch(step))


class _Nobody:
    """A lane's end to which no answers go."""

    whom = "A caller"
    is_open = True

    def send(self, message: Message, /) -> None:
        """Does nothing."""

    def shut(self) -> None:
        """Does nothing: there is no connection."""


class _Call(_Nobody):
    """A lane's end in one step: its answers wait for calls."""

    def __init__(self) -> None:
        self._answers: SimpleQueue[Message] = SimpleQueue()

    def send(self, message: Message, /) -> None:
        """Answers."""
        self._answers.put(message)

    def answer(self) -> Message:
        """Waits for the next answer."""
        return self._answers.get()


_NOBODY: Final = _Nobody()
