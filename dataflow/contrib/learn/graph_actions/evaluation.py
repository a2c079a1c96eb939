"""Evaluates a graph whose variables come from a checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dataflow.contrib.framework.plain_variables import assert_or_get_global_step
from dataflow.contrib.learn.graph_actions.feeding import STOP_SECONDS, restore
from dataflow.errors import CancelledError, OutOfRangeError
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.proto.summary_pb2 import Summary
from dataflow.recording.writer_cache import FileWriterCache
from dataflow.training.coordination.coordinator import Coordinator
from dataflow.training.coordination.queue_runner import start_queue_runners
from dataflow.training.monitored.session_manager import SessionManager
from dataflow.training.supervisor.model_nodes import (
    first_or_made,
    local_initializer,
    saver_of_all,
)
from dataflow.values import logging
from dataflow.variables.variable import (
    global_variables_initializer,
    report_uninitialized_variables,
)


def evaluate(
    graph: Graph,
    output_dir: str,
    checkpoint_path: str | None,
    eval_dict: Mapping[str, Any],
    update_op: Any = None,
    global_step_tensor: Any = None,
    supervisor_master: str = "",
    log_every_steps: int = 10,
    feed_fn: Callable[[], Any] | None = None,
    max_steps: int | None = None,
) -> tuple[Any, Any]:
    """Evaluates until the inputs end, or some steps are done, and writes the last values.

    Args:
      graph: The graph.
      output_dir: Folder of the summary.
      checkpoint_path: Folder of checkpoints; variables are initialised if None.
      eval_dict: Tensors by name.
      update_op: What each step runs instead of them; then they run at the end and for logs.
      global_step_tensor: Counts steps; looked for in the graph if None.
      supervisor_master: Target of the session.
      log_every_steps: Every how many steps values are logged.
      feed_fn: Gives each step's feed.
      max_steps: How many steps there are at most.

    Returns:
      The last values, and the global step.

    Raises:
      ValueError: There is no folder.
    """
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    with graph.as_default():
        global_step = assert_or_get_global_step(graph, global_step_tensor)
        saver = first_or_made(GraphKeys.SAVERS, saver_of_all)
        manager = SessionManager(
            local_init_op=first_or_made(GraphKeys.LOCAL_INIT_OP, local_initializer),
            ready_op=first_or_made(GraphKeys.READY_OP, report_uninitialized_variables),
            ready_for_local_init_op=first_or_made(GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None),
        )
        session, is_ready = manager.recover_session(
            supervisor_master, saver=saver, checkpoint_dir=checkpoint_path
        )
        coordinator = Coordinator()
        threads = start_queue_runners(session, coordinator)
    with session:
        if not is_ready:
            logging.warning("Failed to initialize from %s.", checkpoint_path)
            with graph.as_default():
                session.run(global_variables_initializer())
            if checkpoint_path:
                restore(session, graph, checkpoint_path, saver)
        at = session.run(global_step)
        last = "inf" if max_steps is None else max_steps
        logging.info("Eval steps [0,%s) for training step %d.", last, at)
        steps = _Steps(session, eval_dict, update_op, log_every_steps, feed_fn)
        try:
            try:
                while max_steps is None or steps.done < max_steps:
                    steps.run()
            finally:
                steps.finish()
                # The session ends before the threads that run queues in it.
                session.close()
                _join(coordinator, threads)
        except OutOfRangeError as e:
            _log_end("queue", max_steps, e)
        except StopIteration as e:
            _log_end("iterator", max_steps, e)
    _write(output_dir, steps.results, at)
    return steps.results, at


class _Steps:
    """The steps of an evaluation, and the values of the last one that ran."""

    def __init__(
        self,
        session: Any,
        tensors: Mapping[str, Any],
        update_op: Any,
        log_every: int,
        feed_fn: Callable[[], Any] | None,
    ) -> None:
        self._session = session
        self._tensors = tensors
        self._update_op = update_op
        self._log_every = log_every
        self._feed_fn = feed_fn
        self._feed: Any = None
        self._evaluated: int | None = None
        self.done = 0
        self.results: Any = None

    def run(self) -> None:
        self.done += 1
        start = time.time()
        self._feed = self._feed_fn() if self._feed_fn is not None else None
        if self._update_op is None:
            self._evaluate()
        else:
            self._session.run(self._update_op, feed_dict=self._feed)
        if self.done % self._log_every == 0:
            self.finish()
            text = "Results after %d steps (%.3f sec/batch): %s."
            logging.info(text, self.done, time.time() - start, _text(self.results))

    def finish(self) -> None:
        if self._evaluated != self.done or self.results is None:
            self._evaluate()

    def _evaluate(self) -> None:
        self.results = self._session.run(self._tensors, feed_dict=self._feed)
        self._evaluated = self.done


def _join(coordinator: Coordinator, threads: Any) -> None:
    try:
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=STOP_SECONDS)
    except (RuntimeError, CancelledError) as e:
        logging.warning("Coordinator didn't stop cleanly: %s", e)


def _log_end(what: str, max_steps: int | None, error: Exception) -> None:
    if max_steps is None:
        logging.info("Input %s is exhausted.", what)
    else:
        logging.warning("Input %s is exhausted: %s.", what, error)


def _text(results: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in sorted(results.items()))


def _write(folder: str, results: Mapping[str, Any], step: Any) -> None:
    logging.info("Saving evaluation summary for step %d: %s", step, _text(results))
    summary = Summary()
    for key, value in results.items():
        if value is None:
            continue
        if isinstance(value, (np.float32, float)):
            summary.value.add(tag=key, simple_value=float(value))
        else:
            # A value without a number is what TensorFlow writes, too.
            summary.value.add(tag=key)
            logging.warning("Skipping summary for %s, must be a float or np.float32.", key)
    writer = FileWriterCache.get(folder)
    writer.add_summary(summary, step)
    writer.flush()
