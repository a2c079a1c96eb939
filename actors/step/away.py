"""A step that runs away from its caller, who can leave behind a kernel that does not end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import Any, Final

from dataflow.actors.step.join import (
    KERNEL_PATIENCE,
    DeviceStep,
    StartTogether,
    StepJoin,
    for_devices,
)
from dataflow.actors.threads.errands import Errands
from dataflow.actors.threads.home import Inbox
from dataflow.actors.wire.messages import DevicePart

_GLANCE: Final = 0.002
"""Seconds between looks whether a step that was stopped still writes."""


class AwayStep:
    """One step on devices of this process, driven by a thread that nobody waits for for ever.

    A step that has failed may take `KERNEL_PATIENCE` to end; then its caller leaves, and the thread
    sees to its end. Who still writes to what outlives the step is waited for.
    """

    def __init__(
        self,
        step_id: int,
        parts: Sequence[tuple[DeviceStep, DevicePart]],
        num_fetches: int,
        inbox: Inbox,
    ) -> None:
        """Makes a step that has not started; for the arguments see `StepJoin`."""
        self._changed = threading.Lock()
        """Held while the step has not changed since the caller has looked."""
        self._changed.acquire()
        self._join = StepJoin(
            step_id, parts, num_fetches, inbox, on_change=partial(_look, self._changed)
        )

    def run(
        self,
        errands: Errands,
        feeds: Sequence[Any],
        together: StartTogether,
        timeout: float | None,
        leave: Callable[[int], bool],
    ) -> list[Any]:
        """Runs the step.

        Args:
          errands: The threads.
          feeds: Values in the order of the signature.
          together: See `StepJoin.start`.
          timeout: Seconds after which it is stopped; None if it may take its time.
          leave: Leaves the step of that id to its threads; False if it still writes.

        Returns:
          The fetches.

        Raises:
          OpError: The first error of the step.
        """
        join = self._join
        deadline = None if timeout is None else monotonic() + timeout
        errands.put(partial(_drive, join, feeds, together))
        try:
            self._wait(deadline, leave)
        except BaseException as interruption:
            # It goes its own way: to hold it would hold all that its traceback refers to.
            join.fail(for_devices(interruption))
            self._wait(None, leave)
            raise
        return join.result()

    def _wait(self, deadline: float | None, leave: Callable[[int], bool]) -> None:
        """Waits until the step is over, or has failed and does not end."""
        join, given_up = self._join, None
        while not join.is_over:
            now = monotonic()
            if join.error is not None:
                given_up = given_up or now + KERNEL_PATIENCE
                if now >= given_up and leave(join.step_id):
                    return
                left = given_up - now if now < given_up else _GLANCE
            elif deadline is None:
                left = -1.0
            elif now < deadline:
                left = deadline - now
            else:
                join.time_out()
                continue
            self._changed.acquire(timeout=left)


def _look(changed: threading.Lock) -> None:
    """Has the caller look what has changed; in no circle with the step, which holds its values."""
    try:
        changed.release()
    except RuntimeError:
        # It will look anyway.
        return


def _drive(join: StepJoin, feeds: Sequence[Any], together: StartTogether) -> None:
    """Starts a step and does its work until it is over."""
    try:
        join.start(feeds, together)
    except BaseException as error:
        # What has not started will not end.
        join.fail(error)
        return
    del feeds
    join.serve()
