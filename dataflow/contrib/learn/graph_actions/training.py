"""Trains a graph under a supervisor, with monitors."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.contrib.framework.plain_variables import assert_or_get_global_step
from dataflow.contrib.learn.graph_actions.feeding import saver_of
from dataflow.contrib.learn.monitors.values import NanLossDuringTrainingError
from dataflow.contrib.learn.monitors.writers import get_default_monitors
from dataflow.errors import AbortedError, NotFoundError, OutOfRangeError
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.summaries.merging import merge_all
from dataflow.recording.writer_cache import FileWriterCache
from dataflow.saving.reading import load_variable
from dataflow.training.supervisor.model_nodes import first_or_made
from dataflow.training.supervisor.supervisor import Supervisor
from dataflow.values import logging


def train(
    graph: Graph,
    output_dir: str,
    train_op: Any,
    loss_op: Any,
    global_step_tensor: Any = None,
    init_op: Any = None,
    init_feed_dict: Any = None,
    init_fn: Callable[[Any], Any] | None = None,
    log_every_steps: int = 10,
    supervisor_is_chief: bool = True,
    supervisor_master: str = "",
    supervisor_save_model_secs: float = 600,
    keep_checkpoint_max: int | None = 5,
    supervisor_save_summaries_steps: int = 100,
    feed_fn: Callable[[], Any] | None = None,
    steps: int | None = None,
    fail_on_nan_loss: bool = True,
    monitors: Sequence[Any] | None = None,
    max_steps: int | None = None,
) -> Any:
    """Trains until a step is reached, the inputs end or a monitor ends it.

    Args:
      graph: The graph.
      output_dir: Folder of checkpoints and events.
      train_op: A training step, which counts the global step up.
      loss_op: The loss, a scalar.
      global_step_tensor: Counts steps; looked for in the graph if None.
      init_op: Initialises the model; all global variables if None.
      init_feed_dict: What it is fed.
      init_fn: Called with the session after it.
      log_every_steps: Every how many steps the loss is logged.
      supervisor_is_chief: Whether this process initialises and saves the model.
      supervisor_master: Target of the session.
      supervisor_save_model_secs: Seconds from one checkpoint to the next.
      keep_checkpoint_max: How many are kept; all if None or 0.
      supervisor_save_summaries_steps: Every how many steps summaries are written.
      feed_fn: Gives each step's feed.
      steps: How many steps are done, beside those of earlier calls.
      fail_on_nan_loss: Whether a loss of NaN is an error.
      monitors: What is told of each step; what logs the loss and writes summaries if None.
      max_steps: The last step, with those of earlier calls.

    Returns:
      The last loss; None if no step was done.

    Raises:
      ValueError: Something is missing, or there are both `steps` and `max_steps`.
      NanLossDuringTrainingError: The loss was NaN.
    """
    if steps is not None and max_steps is not None:
        raise ValueError("Can not provide both steps and max_steps.")
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    if train_op is None:
        raise ValueError("Missing train_op.")
    if loss_op is None:
        raise ValueError("Missing loss_op.")
    with graph.as_default():
        global_step = assert_or_get_global_step(graph, global_step_tensor)
    if global_step is None:
        raise ValueError('No "global_step" was provided or found in the graph.')
    while True:
        try:
            writer = FileWriterCache.get(output_dir) if supervisor_is_chief else None
            with graph.as_default():
                told = list(monitors or ())
                if not told and supervisor_is_chief:
                    told = get_default_monitors(
                        loss_op, _summary(), supervisor_save_summaries_steps, summary_writer=writer
                    )
                if not supervisor_is_chief:
                    told = [each for each in told if each.run_on_all_workers]
                last = max_steps
                if last is None and steps:
                    last = _reached(output_dir, global_step) + steps
                for each in told:
                    each.begin(max_steps=last)
                saver = saver_of(graph, keep_checkpoint_max)
            supervisor = Supervisor(
                graph,
                init_op=init_op or Supervisor.USE_DEFAULT,
                init_feed_dict=init_feed_dict,
                is_chief=supervisor_is_chief,
                logdir=output_dir,
                saver=saver,
                global_step=global_step,
                summary_op=None,
                summary_writer=writer,
                save_model_secs=supervisor_save_model_secs,
                init_fn=init_fn,
            )
            session = supervisor.prepare_or_wait_for_session(supervisor_master)
            supervisor.start_queue_runners(session)
            with session:
                steps_of = _Steps(supervisor, session, global_step, train_op, loss_op, told)
                steps_of.run(last, feed_fn, log_every_steps, fail_on_nan_loss)
                return steps_of.loss
        except AbortedError:
            # A parameter server was started again.
            logging.warning("Training got Aborted error. Keep training.")


class _Steps:
    """The steps of a training."""

    def __init__(
        self,
        supervisor: Supervisor,
        session: Any,
        global_step: Any,
        train_op: Any,
        loss_op: Any,
        monitors: Sequence[Any],
    ) -> None:
        self._supervisor = supervisor
        self._session = session
        self._global_step = global_step
        self._fetches = [train_op, loss_op]
        self._loss_name = loss_op.name
        self._monitors = monitors
        self.loss: Any = None

    def run(self, last: int | None, feed_fn: Any, log_every_steps: int, fails_on_nan: bool) -> None:
        """Trains, and saves the model whatever ends it."""
        try:
            self._loop(last, feed_fn, log_every_steps, fails_on_nan)
        except OutOfRangeError as e:
            text = "Got exception during tf.learn training loop possibly due to exhausted input "
            logging.warning(text + "queue %s.", e)
        except StopIteration:
            logging.info("Exhausted input iterarator.")
        except BaseException:
            try:
                self._end()
            except Exception as e:  # what ended the training is the error to tell
                logging.error("Got exception during tf.learn final checkpoint %s.", e)
            raise
        try:
            self._end()
        except OutOfRangeError as e:
            text = "OutOfRangeError in tf.learn final checkpoint possibly due to exhausted input "
            logging.warning(
                text + "queue. Note: summary_op is not expected to trigger dequeues. %s.", e
            )

    def _loop(
        self, last: int | None, feed_fn: Any, log_every_steps: int, fails_on_nan: bool
    ) -> None:
        step = logged = self._session.run(self._global_step)
        logging.info("Training steps [%d,%s)", step, "inf" if last is None else last)
        while not self._supervisor.should_stop() and (last is None or step < last):
            start = time.time()
            outputs, is_end = self._run_one(step + 1, feed_fn() if feed_fn is not None else None)
            self.loss = outputs[self._loss_name]
            if np.isnan(self.loss):
                text = "Model diverged with loss = NaN."
                if fails_on_nan:
                    logging.error(text)
                    raise NanLossDuringTrainingError()
                logging.warning(text)
            if is_end:
                break
            now = self._session.run(self._global_step)
            if now <= step:
                text = "Global step was not incremented by train op at step %s: new step %d"
                logging.error(text, step, now)
            step = now
            if (last is not None and step >= last) or step - logged >= log_every_steps:
                text = "training step %d, loss = %.5f (%.3f sec/batch)."
                logging.info(text, step, self.loss, time.time() - start)
                logged = step

    def _run_one(self, step: int, feed: Any) -> tuple[dict[Any, Any], bool]:
        """What a step gave by name, and whether a monitor ends the training."""
        asked = list(self._fetches)
        for each in self._monitors:
            asked += each.step_begin(step)
        asked = list(dict.fromkeys(asked))
        values = self._session.run(asked, feed_dict=feed)
        names = [each.name if isinstance(each, Tensor) else each for each in asked]
        outputs = dict(zip(names, values, strict=True))
        ends = [each.step_end(step, outputs) for each in self._monitors]
        return outputs, any(ends)

    def _end(self) -> None:
        self._supervisor.stop(close_summary_writer=False)
        if not self._supervisor.is_chief:
            return
        step = self._session.run(self._global_step)
        path = self._supervisor.save_path
        logging.info("Saving checkpoint for step %d to checkpoint: %s.", step, path)
        self._supervisor.saver.save(self._session, path, global_step=step)
        for each in self._monitors:
            each.end()


def _summary() -> Any:
    return first_or_made(GraphKeys.SUMMARY_OP, merge_all)


def _reached(folder: str, global_step: Any) -> int:
    """The step of the last checkpoint."""
    try:
        return int(load_variable(folder, global_step.op.name))
    except (NotFoundError, ValueError):
        return 0
