"""Evaluating checkpoints as they appear, and a summary at the end of each evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.library.summaries.merging import merge_all
from dataflow.recording.file_writer import FileWriter
from dataflow.saving.state import checkpoints_iterator, latest_checkpoint
from dataflow.training.evaluation import evaluate_once
from dataflow.training.global_step import get_or_create_global_step
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.training.monitored.scaffold import Scaffold
from dataflow.values import logging


def wait_for_new_checkpoint(
    checkpoint_dir: Any,
    last_checkpoint: str | None = None,
    seconds_to_sleep: float = 1,
    timeout: float | None = None,
) -> str | None:
    """Waits for a checkpoint other than the last one.

    Args:
      checkpoint_dir: The folder.
      last_checkpoint: The last one; None for any.
      seconds_to_sleep: How long to wait from one look to the next.
      timeout: How long in all; for ever if None.

    Returns:
      Its path; None if none has come in time.
    """
    logging.info("Waiting for new checkpoint at %s", checkpoint_dir)
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        found = latest_checkpoint(checkpoint_dir)
        if found is not None and found != last_checkpoint:
            logging.info("Found new checkpoint at %s", found)
            return found
        if end is not None and time.monotonic() + seconds_to_sleep > end:
            return None
        time.sleep(seconds_to_sleep)


class SummaryAtEndHook(SessionRunHook):
    """Writes a summary at the end of a session."""

    def __init__(
        self,
        log_dir: Any = None,
        summary_writer: Any = None,
        summary_op: Any = None,
        feed_dict: Any = None,
    ) -> None:
        """Makes a hook.

        Args:
          log_dir: Folder of the event file, of a writer that is closed at the end.
          summary_writer: Writes it, rather than one of the hook's own.
          summary_op: Gives it; all summaries of the graph if None.
          feed_dict: What that is fed.

        Raises:
          ValueError: Neither a folder nor a writer is given.
        """
        self._summary_op = summary_op
        self._replace_summary_op = summary_op is None
        self._feed_dict = feed_dict
        self._summary_writer = summary_writer
        self._log_dir = log_dir
        if self._log_dir is None and self._summary_writer is None:
            raise ValueError("One of log_dir or summary_writer should be used.")

    def begin(self) -> None:
        """See `SessionRunHook`."""
        if self._replace_summary_op:
            self._summary_op = merge_all()
        self._global_step = get_or_create_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """See `SessionRunHook`."""
        if self._summary_writer is None and self._log_dir:
            self._summary_writer = FileWriter(self._log_dir, graph=scopes.get_default_graph())

    def end(self, session: Any) -> None:
        """See `SessionRunHook`."""
        if self._summary_op is not None:
            step = int(session.run(self._global_step))
            summary = session.run(self._summary_op, self._feed_dict)
            self._summary_writer.add_summary(summary, step)
        self._summary_writer.flush()
        if self._log_dir:
            self._summary_writer.close()
            self._summary_writer = None


def evaluate_repeatedly(
    checkpoint_dir: Any,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    eval_interval_secs: float = 60,
    hooks: Sequence[SessionRunHook] | None = None,
    config: Any = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Any:
    """Evaluates each new checkpoint of a folder.

    Args:
      checkpoint_dir: The folder.
      master: See `evaluate_once`.
      scaffold: See there.
      eval_ops: See there.
      feed_dict: See there.
      final_ops: See there.
      final_ops_feed_dict: See there.
      eval_interval_secs: The least time from one evaluation to the next.
      hooks: See there.
      config: See there.
      max_number_of_evaluations: How many; without an end if None.
      timeout: How long to wait for a new checkpoint.
      timeout_fn: Asked when none has come in time: whether to give up.

    Returns:
      The values of `final_ops` in the last evaluation.
    """
    # The counter of steps is of each evaluation, what updates is built once.
    if eval_ops is not None and not isinstance(eval_ops, dict):
        eval_ops = list(eval_ops) if isinstance(eval_ops, (list, tuple)) else [eval_ops]
    scaffold = scaffold or Scaffold()
    found = None
    paths = checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for count, path in enumerate(paths, 1):
        ops = dict(eval_ops) if isinstance(eval_ops, dict) else eval_ops
        found = evaluate_once(
            path,
            master=master,
            scaffold=scaffold,
            eval_ops=ops,
            feed_dict=feed_dict,
            final_ops=final_ops,
            final_ops_feed_dict=final_ops_feed_dict,
            hooks=hooks,
            config=config,
        )
        if max_number_of_evaluations is not None and count >= max_number_of_evaluations:
            break
    return found
