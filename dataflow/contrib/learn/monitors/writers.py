"""Monitors that write files: summaries, checkpoints, and how fast the steps are."""

from __future__ import annotations

import os
import time
from typing import Any

from dataflow.contrib.learn.monitors.base import BaseMonitor, EveryN, output_of
from dataflow.contrib.learn.monitors.values import PrintTensor
from dataflow.proto.event_pb2 import SessionLog
from dataflow.proto.summary_pb2 import Summary
from dataflow.recording.file_writer import FileWriter
from dataflow.recording.writer_cache import FileWriterCache
from dataflow.values import logging


class SummarySaver(EveryN):
    """Writes summaries."""

    def __init__(
        self,
        summary_op: Any,
        save_steps: int = 100,
        output_dir: Any = None,
        summary_writer: Any = None,
        scaffold: Any = None,
    ) -> None:
        """Makes a monitor.

        Args:
          summary_op: The summary; the scaffold's if None.
          save_steps: Every how many steps it is written.
          output_dir: Where to; the estimator's folder if None.
          summary_writer: Writes it, rather than one for `output_dir`.
          scaffold: Has a summary.
        """
        super().__init__(every_n_steps=save_steps)
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        if summary_writer is None and output_dir:
            self._summary_writer = FileWriter(output_dir)
        self._scaffold = scaffold

    def set_estimator(self, estimator: Any) -> None:
        """Takes the estimator's folder if there is no other."""
        super().set_estimator(estimator)
        if self._summary_writer is None:
            self._summary_writer = FileWriter(estimator.model_dir)

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the summary."""
        super().every_n_step_begin(step)
        if self._summary_op is None and self._scaffold is not None:
            self._summary_op = self._scaffold.summary_op
        return [] if self._summary_op is None else [self._summary_op]

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Writes it."""
        super().every_n_step_end(step, outputs)
        if self._summary_op is not None and self._summary_writer:
            self._summary_writer.add_summary(output_of(outputs, self._summary_op), step)
        return False

    def end(self, session: Any = None) -> None:
        """Writes what is left."""
        super().end(session=session)
        if self._summary_writer:
            self._summary_writer.flush()


class CheckpointSaver(BaseMonitor):
    """Saves checkpoints every so many steps or seconds, after the first and the last step."""

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
    ) -> None:
        """Makes a monitor.

        Args:
          checkpoint_dir: The folder.
          save_secs: Every how many seconds.
          save_steps: Every how many steps.
          saver: Saves; the scaffold's if None.
          checkpoint_basename: Begins the files' names.
          scaffold: Has a saver.

        Raises:
          ValueError: None or both of `save_secs` and `save_steps` are given.
        """
        logging.info("Create CheckpointSaver.")
        super().__init__()
        self._saver = saver
        self._summary_writer = FileWriterCache.get(checkpoint_dir)
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._save_secs = save_secs
        self._save_steps = save_steps
        self._forget()
        if save_steps is None and save_secs is None:
            raise ValueError("Either save_steps or save_secs should be provided")
        if save_steps is not None and save_secs is not None:
            raise ValueError("Can not provide both save_steps and save_secs.")

    def _forget(self) -> None:
        self._last_saved_time: float | None = None
        self._last_begin_step: int | None = None
        self._last_saved_step: int | None = None

    def begin(self, max_steps: int | None = None) -> None:
        """Begins anew."""
        super().begin(max_steps)
        self._forget()

    def step_begin(self, step: int) -> list[Any]:
        """Takes note of the step."""
        self._last_begin_step = step
        return super().step_begin(step)

    def post_step(self, step: int, session: Any) -> None:
        """Saves if it is time."""
        super().post_step(step, session)
        if self._is_due(step):
            self._save(step, session)

    def _is_due(self, step: int) -> bool:
        if self._last_saved_time is None or self._last_saved_step is None:
            return True
        if self._save_steps is not None:
            return step >= self._last_saved_step + self._save_steps
        assert self._save_secs is not None
        return time.time() >= self._last_saved_time + self._save_secs

    def end(self, session: Any = None) -> None:
        """Saves the last step."""
        super().end(session)
        self._save(self._last_begin_step, session)

    def _save(self, step: int | None, session: Any) -> None:
        if step == self._last_saved_step:
            return
        logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        self._last_saved_time, self._last_saved_step = time.time(), step
        saver = self._scaffold.saver if self._saver is None else self._saver
        saver.save(session, self._save_path, global_step=step)
        self._summary_writer.add_session_log(
            SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path), step
        )


class StepCounter(EveryN):
    """Writes how many steps a second has."""

    def __init__(
        self, every_n_steps: int = 100, output_dir: Any = None, summary_writer: Any = None
    ) -> None:
        """Makes a monitor.

        Args:
          every_n_steps: Every how many steps.
          output_dir: Where to; the estimator's folder if None.
          summary_writer: Writes it, rather than one for `output_dir`.
        """
        super().__init__(every_n_steps=every_n_steps)
        self._last_reported: tuple[int, float] | None = None
        self._summary_writer = summary_writer
        if summary_writer is None and output_dir:
            self._summary_writer = FileWriterCache.get(output_dir)

    def set_estimator(self, estimator: Any) -> None:
        """Takes the estimator's folder if there is no other."""
        super().set_estimator(estimator)
        if self._summary_writer is None:
            self._summary_writer = FileWriterCache.get(estimator.model_dir)

    def every_n_step_end(self, current_step: int, outputs: Any) -> Any:
        """Writes it, from the second time on."""
        now = time.time()
        if self._last_reported is not None and self._summary_writer:
            step, then = self._last_reported
            rate = (current_step - step) / (now - then)
            value = Summary.Value(tag="global_step/sec", simple_value=rate)
            self._summary_writer.add_summary(Summary(value=[value]), current_step)
        self._last_reported = current_step, now


def get_default_monitors(
    loss_op: Any = None,
    summary_op: Any = None,
    save_summary_steps: int = 100,
    output_dir: Any = None,
    summary_writer: Any = None,
) -> list[BaseMonitor]:
    """Monitors that log a loss and write a summary.

    Args:
      loss_op: The loss; not logged if None.
      summary_op: The summary; not written if None.
      save_summary_steps: Every how many steps it is written.
      output_dir: Where to.
      summary_writer: Writes it.
    """
    found: list[BaseMonitor] = []
    if loss_op is not None:
        found.append(PrintTensor(tensor_names={"loss": loss_op.name}))
    if summary_op is not None:
        found.append(SummarySaver(summary_op, save_summary_steps, output_dir, summary_writer))
    return found
