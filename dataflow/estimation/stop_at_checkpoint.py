"""A hook that ends training at a step, on workers when the chief has saved it."""

from __future__ import annotations

import time
from typing import Any

from dataflow.estimation.estimator import Estimator
from dataflow.training.hooks.global_step_read import global_step_read
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from dataflow.training.hooks.stop_at_step import StopAtStepHook


def make_stop_at_checkpoint_step_hook(
    estimator: Estimator, last_step: int, wait_after_file_check_secs: float = 30
) -> SessionRunHook:
    """A hook that ends training at a step.

    Args:
      estimator: The estimator that trains.
      last_step: The step.
      wait_after_file_check_secs: How long a worker waits after it has looked for a checkpoint of
        the step.

    Raises:
      ValueError: There is no step.
    """
    if estimator.config.is_chief:
        return StopAtStepHook(last_step=last_step)
    return _StopAtCheckpoint(estimator, last_step, wait_after_file_check_secs)


class _StopAtCheckpoint(SessionRunHook):
    """Trains on until a checkpoint has the step: what the chief has not saved may be lost."""

    def __init__(self, estimator: Estimator, last_step: int, seconds: float) -> None:
        if last_step is None:
            raise ValueError("last_step must be specified.")
        self._estimator = estimator
        self._last_step = last_step
        self._seconds = seconds
        self._step: Any = None

    def begin(self) -> None:
        self._step = global_step_read("StopAtCheckpointStepHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if run_values.results + 1 < self._last_step:
            return
        if self._estimator._saved_step() >= self._last_step:
            run_context.request_stop()
        else:
            # Many workers look at the same file.
            time.sleep(self._seconds)
