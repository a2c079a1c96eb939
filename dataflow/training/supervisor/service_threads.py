"""The threads that write summaries, speeds and checkpoints for a supervisor."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from dataflow.proto.event_pb2 import SessionLog
from dataflow.proto.summary_pb2 import Summary
from dataflow.training.coordination.looper_thread import LooperThread
from dataflow.training.global_step import global_step
from dataflow.values import logging

if TYPE_CHECKING:
    from dataflow.training.supervisor.supervisor import Supervisor

_MOST_SPEEDS_LOGGED = 10


class SVSummaryThread(LooperThread):
    """Writes the merged summaries at intervals."""

    def __init__(self, sv: Supervisor, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._supervisor, self._session = sv, sess

    def run_loop(self) -> None:
        """Runs the summaries and the step together, so that they belong to each other."""
        supervisor = self._supervisor
        fetches = {"summary": supervisor.summary_op}
        if supervisor.global_step is not None:
            fetches["step"] = supervisor.global_step
        found = self._session.run(fetches)
        step = found.get("step")
        logging.info("Recording summary at step %s.", step)
        supervisor.summary_writer.add_summary(found["summary"], step)


class SVStepCounterThread(LooperThread):
    """Writes at intervals how many steps are made in a second."""

    def __init__(self, sv: Supervisor, sess: Any, step_counter: Any = None) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._supervisor, self._session = sv, sess
        self._counter = sv.global_step if step_counter is None else step_counter
        self._tag = f"{self._counter.op.name}/sec"

    def start_loop(self) -> None:
        """Notes where the count begins."""
        self._time = time.time()
        self._step = global_step(self._session, self._counter)

    def run_loop(self) -> None:
        """Writes the speed since the last time."""
        step, now = global_step(self._session, self._counter), time.time()
        steps, seconds = step - self._step, now - self._time
        self._step, self._time = step, now
        speed = steps / seconds if seconds > 0 else float("inf")
        value = Summary.Value(tag=self._tag, simple_value=speed)
        self._supervisor.summary_writer.add_summary(Summary(value=[value]), step)
        logging.log_first_n(logging.INFO, "%s: %g", _MOST_SPEEDS_LOGGED, self._tag, speed)


class SVTimerCheckpointThread(LooperThread):
    """Saves a checkpoint at intervals."""

    def __init__(self, sv: Supervisor, sess: Any) -> None:
        super().__init__(sv.coord, sv.save_model_secs)
        self._supervisor, self._session = sv, sess

    def run_loop(self) -> None:
        """Saves the model, and writes that it did so."""
        supervisor = self._supervisor
        path, step = supervisor.save_path, supervisor.global_step
        logging.info("Saving checkpoint to path %s", path)
        supervisor.saver.save(self._session, path, global_step=step)
        if supervisor.summary_writer and step is not None:
            log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=path)
            supervisor.summary_writer.add_session_log(log, global_step(self._session, step))
