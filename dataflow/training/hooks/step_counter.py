"""The hook that says how many steps are made in a second."""

from __future__ import annotations

from typing import Any, Final

from dataflow.proto.summary_pb2 import Summary
from dataflow.recording.writer_cache import FileWriterCache
from dataflow.training.global_step import get_global_step
from dataflow.training.hooks.global_step_read import global_step_read
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from dataflow.training.hooks.timers import SecondOrStepTimer
from dataflow.values import logging

_MOST_WARNINGS: Final = 5


class StepCounterHook(SessionRunHook):
    """Logs how many steps are made in a second, and writes it as a summary."""

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        """Makes a hook.

        Args:
          every_n_steps: How many steps from one time to the next.
          every_n_secs: How many seconds.
          output_dir: Folder of the summaries; its writer is that of `tf.summary.FileWriterCache`.
          summary_writer: Writes them, rather than the folder's own.

        Raises:
          ValueError: Not exactly one of steps and seconds is given.
        """
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._output_dir = output_dir
        self._summary_writer = summary_writer
        self._last_global_step: Any = None
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        """Says by how much a run of the session raises the global step."""
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """See `SessionRunHook`."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step_tensor = global_step_read("StepCounterHook")
        self._summary_tag = f"{get_global_step().op.name}/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """See `SessionRunHook`."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Records if it is time; the step that it saw may be from before the update."""
        stale = run_values.results
        if self._timer.should_trigger_for_step(stale + self._steps_per_run):
            step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds is not None and steps is not None:
                    self._log_and_record(steps, seconds, step)
        if stale == self._last_global_step:
            logging.log_first_n(
                logging.WARN,
                "The global step (tf.train.get_global_step) has not been increased: it is %s, and "
                "was %s before. If it never is, pass tf.train.get_global_step() as global_step to "
                "Optimizer.minimize or Optimizer.apply_gradients.",
                _MOST_WARNINGS,
                stale,
                self._last_global_step,
            )
        self._last_global_step = stale

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: Any) -> None:
        """Logs the speed and writes it; subclasses report other figures of the same steps."""
        speed = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            value = Summary.Value(tag=self._summary_tag, simple_value=speed)
            self._summary_writer.add_summary(Summary(value=[value]), global_step)
        logging.info("%s: %g", self._summary_tag, speed)
