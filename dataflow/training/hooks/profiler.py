"""The hook that traces a step every so many steps or seconds."""

from __future__ import annotations

import os
from typing import Any

from dataflow.proto.config_pb2 import RunOptions
from dataflow.recording.writer_cache import FileWriterCache
from dataflow.training.hooks.chrome_trace import chrome_trace
from dataflow.training.hooks.global_step_read import global_step_read
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from dataflow.training.hooks.timers import SecondOrStepTimer
from dataflow.values import logging
from dataflow.values.system_errors import system_errors


class ProfilerHook(SessionRunHook):
    """Traces steps: a `timeline-STEP.json` for each, and an event for TensorBoard."""

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: Any = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        """Makes a hook.

        Args:
          save_steps: How many steps from one time to the next.
          save_secs: How many seconds; exactly one of the two.
          output_dir: The folder to write to; its writer is that of `tf.summary.FileWriterCache`.
          show_dataflow: Whether arrows go from what makes a value to what takes it.
          show_memory: Whether the bytes of results are counted.

        Raises:
          ValueError: Not exactly one of steps and seconds is given.
        """
        self._output_file = os.path.join(output_dir, "timeline-{}.json")
        self._file_writer = FileWriterCache.get(output_dir)
        self._show_dataflow = show_dataflow
        self._show_memory = show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._next_step: Any = None
        self._request_summary = False

    def begin(self) -> None:
        """See `SessionRunHook`."""
        self._next_step = None
        self._global_step_tensor = global_step_read("ProfilerHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for a trace if it is time; it never is at the first step."""
        self._request_summary = self._next_step is not None and self._timer.should_trigger_for_step(
            self._next_step
        )
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._request_summary else None
        return SessionRunArgs({"global_step": self._global_step_tensor}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes the trace it asked for."""
        stale = run_values.results["global_step"]
        if self._next_step is None:
            self._timer.update_last_triggered_step(stale)
        step = stale + 1
        if self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
            self._timer.update_last_triggered_step(step)
            metadata = run_values.run_metadata
            self._save(step, self._output_file.format(step), metadata.step_stats)
            self._file_writer.add_run_metadata(metadata, f"step_{step}")
        self._next_step = step + 1

    def _save(self, step: Any, save_path: str, step_stats: Any) -> None:
        """Writes a trace as a file of Chrome's viewer."""
        logging.info("Saving timeline for %d into '%s'.", step, save_path)
        trace = chrome_trace(step_stats, self._show_dataflow, self._show_memory)
        with system_errors(), open(save_path, "w", encoding="utf-8") as file:
            file.write(trace)
