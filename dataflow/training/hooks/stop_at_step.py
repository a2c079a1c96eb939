"""Hooks that watch the global step: one ends training, one lets a worker begin later."""

from __future__ import annotations

import time
from typing import Any, Final

from dataflow.training.hooks.global_step_read import global_step_read
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from dataflow.values import logging

_SECONDS_BETWEEN_LOOKS: Final = 0.5
_STEPS_BETWEEN_LOGS: Final = 1000


class StopAtStepHook(SessionRunHook):
    """Asks for a stop at a step, or after so many."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        """Makes a hook.

        Args:
          num_steps: How many steps from where the first session begins.
          last_step: The global step after which nothing runs.

        Raises:
          ValueError: Not exactly one of the two is given.
        """
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self) -> None:
        """See `SessionRunHook`."""
        self._global_step_tensor = global_step_read("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Counts from the first session's step: a recovered one goes on."""
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """See `SessionRunHook`."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Looks again before it stops: the value of the step may be from before its update."""
        assert self._last_step is not None
        if run_values.results + 1 < self._last_step:
            return
        if run_context.session.run(self._global_step_tensor) >= self._last_step:
            run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Holds the first step back until others have come to a global step."""

    def __init__(self, wait_until_step: int) -> None:
        """Makes a hook that waits for that step."""
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        """See `SessionRunHook`."""
        self._worker_is_started = False
        self._global_step_tensor = global_step_read("GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        """Waits, if it is the first step."""
        if self._worker_is_started:
            return
        if self._wait_until_step <= 0:
            self._worker_is_started = True
            return
        logging.info("Waiting for global step %d before starting training.", self._wait_until_step)
        last_logged_step = 0
        while True:
            step = run_context.session.run(self._global_step_tensor)
            if step >= self._wait_until_step:
                self._worker_is_started = True
                return
            if step - last_logged_step > _STEPS_BETWEEN_LOGS:
                logging.info(
                    "Waiting for global step %d before starting training. Current step is %d.",
                    self._wait_until_step,
                    step,
                )
                last_logged_step = step
            time.sleep(_SECONDS_BETWEEN_LOOKS)
