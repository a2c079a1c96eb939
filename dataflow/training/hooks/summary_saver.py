"""The hook that writes summaries every so many steps or seconds."""

from __future__ import annotations

from typing import Any

from dataflow.proto.event_pb2 import SessionLog
from dataflow.recording.writer_cache import FileWriterCache
from dataflow.training.hooks.global_step_read import global_step_read
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from dataflow.training.hooks.timers import SecondOrStepTimer


class SummarySaverHook(SessionRunHook):
    """Writes the summaries of the first step, and of others in intervals."""

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        """Makes a hook.

        Args:
          save_steps: How many steps from one time to the next.
          save_secs: How many seconds; exactly one of the two.
          output_dir: The folder to write to; its writer is that of `tf.summary.FileWriterCache`.
          summary_writer: Writes them, rather than the folder's own.
          scaffold: Its `summary_op` makes them.
          summary_op: Makes them: a tensor, or a list of tensors.

        Raises:
          ValueError: Not exactly one of `scaffold` and `summary_op` is given, or of steps and
            seconds.
        """
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._output_dir = output_dir
        self._summary_writer = summary_writer
        self._scaffold = scaffold
        self._summary_op = summary_op
        self._next_step: Any = None
        self._request_summary = False

    def begin(self) -> None:
        """See `SessionRunHook`."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step = None
        self._global_step_tensor = global_step_read("SummarySaverHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the summaries if it is time."""
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(
            self._next_step
        )
        fetches = {"global_step": self._global_step_tensor}
        summaries = self._get_summary_op() if self._request_summary else None
        if summaries is not None:
            fetches["summary"] = summaries
        return SessionRunArgs(fetches)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes the summaries it asked for; the step that came with them may be too early."""
        writer = self._summary_writer
        if not writer:
            return
        step = run_values.results["global_step"] + 1
        if self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            writer.add_session_log(SessionLog(status=SessionLog.START), step)
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any = None) -> None:
        """Puts what waits into the file."""
        if self._summary_writer:
            self._summary_writer.flush()

    def _get_summary_op(self) -> list[Any] | None:
        """The tensors to fetch, or None; subclasses say which."""
        found = self._scaffold.summary_op if self._summary_op is None else self._summary_op
        if found is None or isinstance(found, list):
            return found
        return [found]
