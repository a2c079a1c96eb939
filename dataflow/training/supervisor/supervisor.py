"""tf.train.Supervisor: opens a model's session, and saves and shows the model while it trains."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Final

from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import get_default_graph
from dataflow.importing.files import write_graph
from dataflow.library.summaries.merging import merge_all
from dataflow.proto.event_pb2 import SessionLog
from dataflow.proto.summary_pb2 import Summary
from dataflow.recording.file_writer import FileWriter
from dataflow.saving.meta_graph.export import export_meta_graph
from dataflow.session.session import Session
from dataflow.training.coordination.coordinator import Coordinator
from dataflow.training.coordination.looper_thread import LooperThread
from dataflow.training.global_step import global_step as value_of_step
from dataflow.training.monitored.session_manager import SessionManager
from dataflow.training.supervisor.model_nodes import (
    first_or_made,
    local_initializer,
    saver_of_all,
    step_by_name,
)
from dataflow.training.supervisor.service_threads import (
    SVStepCounterThread,
    SVSummaryThread,
    SVTimerCheckpointThread,
)
from dataflow.values import logging
from dataflow.variables.variable import global_variables_initializer, report_uninitialized_variables


class Supervisor:
    """Opens sessions that are ready to train; threads beside them save the model and show it."""

    USE_DEFAULT: Final = 0

    def __init__(
        self,
        graph: Graph | None = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Callable[[Any], Any] | None = None,
        local_init_run_options: Any = None,
    ) -> None:
        """Adds to the graph what is missing, and finalizes it.

        What is `USE_DEFAULT` comes from the graph's collections, or is made; None is for none.

        Args:
          graph: The graph; the default one if None.
          ready_op: Gives the names of what is not initialised.
          ready_for_local_init_op: Gives those that `local_init_op` needs.
          is_chief: Whether it initialises, saves and shows the model, rather than waiting for one
            that does.
          init_op: Initialises the model.
          init_feed_dict: What it is fed.
          local_init_op: Initialises what each session has of its own.
          logdir: Folder of checkpoints and events.
          summary_op: Gives merged summaries.
          saver: Saves and restores the model.
          global_step: Counts the steps.
          save_summaries_secs: Seconds from one summary to the next; 0 for none.
          save_model_secs: Seconds from one checkpoint to the next; 0 for none.
          recovery_wait_secs: Seconds from one look at a model that is waited for to the next.
          stop_grace_secs: How long threads may take to end.
          checkpoint_basename: What the names of checkpoints begin with.
          session_manager: Opens the sessions, rather than one of the supervisor's own.
          summary_writer: Writes events, rather than one of the supervisor's own.
          init_fn: Called with the session after `init_op`.
          local_init_run_options: RunOptions of `local_init_op`.

        Raises:
          ValueError: This is no chief, and a variable is on no device.
        """
        self._graph = get_default_graph() if graph is None else graph
        default = Supervisor.USE_DEFAULT

        def given(value: Any, key: str, make: Callable[[], Any]) -> Any:
            return first_or_made(key, make) if value is default else value

        with self._graph.as_default():
            self._ready_op = given(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            self._ready_for_local_init_op = given(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            self._init_op = given(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._local_init_op = given(local_init_op, GraphKeys.LOCAL_INIT_OP, local_initializer)
            self._saver = given(saver, GraphKeys.SAVERS, saver_of_all)
            self._summary_op = given(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = given(global_step, GraphKeys.GLOBAL_STEP, step_by_name)
        self._meta_graph_def = export_meta_graph(
            graph_def=self._graph.as_graph_def(add_shapes=True),
            saver_def=self._saver.saver_def if self._saver else None,
            graph=self._graph,
        )
        self._init_feed_dict, self._init_fn = init_feed_dict, init_fn
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._stop_grace_secs = stop_grace_secs
        self._logdir = logdir if is_chief else None
        self._save_summaries_secs = save_summaries_secs if is_chief else None
        self._save_model_secs = save_model_secs if is_chief else None
        self._save_path = os.path.join(self._logdir, checkpoint_basename) if self._logdir else None
        self._summary_writer: Any = None
        if is_chief and summary_writer is not default:
            self._summary_writer = summary_writer
        elif self._logdir:
            self._summary_writer = FileWriter(self._logdir)
        self._is_graph_written = False
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        if not is_chief:
            self._check_placed()
        self._graph.finalize()

    @property
    def is_chief(self) -> bool:
        """Whether it initialises, saves and shows the model."""
        return self._is_chief

    @property
    def session_manager(self) -> Any:
        """Opens the sessions."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """Stops the threads."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """Initialises the model."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """What `init_op` is fed."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """Gives the names of what is not initialised."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """Gives the names of what `local_init_op` needs and is not initialised."""
        return self._ready_for_local_init_op

    @property
    def summary_writer(self) -> Any:
        """Writes events; None if there are none to write."""
        return self._summary_writer

    @property
    def summary_op(self) -> Any:
        """Gives merged summaries."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> Any:
        """Seconds from one summary to the next."""
        return self._save_summaries_secs

    @property
    def global_step(self) -> Any:
        """Counts the steps."""
        return self._global_step

    @property
    def saver(self) -> Any:
        """Saves and restores the model."""
        return self._saver

    @property
    def save_model_secs(self) -> Any:
        """Seconds from one checkpoint to the next."""
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        """What the paths of checkpoints begin with."""
        return self._save_path

    def start_standard_services(self, sess: Any) -> list[threading.Thread] | None:
        """Starts the threads that save and show the model; None without a `logdir`.

        Raises:
          RuntimeError: This is no chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. "
                "Because only chief supervisors can write events."
            )
        if not self._logdir:
            logging.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        writer, step = self._summary_writer, self._global_step
        if writer and step is not None:
            log = SessionLog(status=SessionLog.START)
            writer.add_session_log(log, value_of_step(sess, step))
        threads: list[threading.Thread] = []
        if writer and self._save_summaries_secs:
            if self._summary_op is not None:
                threads.append(SVSummaryThread(self, sess))
            if step is not None:
                threads.append(SVStepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(SVTimerCheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """Opens a session whose model is ready: the chief makes it so, others wait for that.

        Args:
          master: The session's target.
          config: Its ConfigProto.
          wait_for_checkpoint: Whether the chief waits for a checkpoint.
          max_wait_secs: For how long, or for how long others wait for the chief.
          start_standard_services: Whether to start the threads, and those of queues.
        """
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            session = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                logging.info("Starting standard services.")
                self.start_standard_services(session)
        else:
            session = self._session_manager.wait_for_session(
                master, config=config, max_wait_secs=max_wait_secs
            )
        if start_standard_services:
            logging.info("Starting queue runners.")
            self.start_queue_runners(session)
        return session

    def start_queue_runners(
        self, sess: Any, queue_runners: Iterable[Any] | None = None
    ) -> list[threading.Thread]:
        """Starts the threads of queue runners; of those in the graph's collection if None."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [
            thread
            for runner in queue_runners
            for thread in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)
        ]

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """Starts a thread that calls a function at intervals; arguments as for `LooperThread`."""
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def stop(
        self,
        threads: Iterable[threading.Thread] | None = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Stops all threads and waits for them; the session stays open.

        Args:
          threads: Further threads to wait for.
          close_summary_writer: Whether to close the writer.
          ignore_live_threads: Whether threads that do not end are left alone.

        Raises:
          RuntimeError: Threads do not end.
          BaseException: What a thread failed with.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                threads,
                stop_grace_period_secs=self._stop_grace_secs,
                ignore_live_threads=ignore_live_threads,
            )
        finally:
            if close_summary_writer and self._summary_writer:
                self._summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self._summary_writer.close()
                self._is_graph_written = False

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop; `ex` is the reason, see `Coordinator.request_stop`."""
        self._coord.request_stop(ex=ex)

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> AbstractContextManager[None]:
        """Inside of the context any exception asks for a stop, and goes no further."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Waits until a stop is asked for."""
        self._coord.wait_for_stop()

    def summary_computed(
        self, sess: Any, summary: Summary | bytes, global_step: Any = None
    ) -> None:
        """Writes a summary.

        Args:
          sess: The session.
          summary: A Summary, serialized or not.
          global_step: The step it is of; where the session is if None.

        Raises:
          RuntimeError: There is nothing that writes.
        """
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = value_of_step(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

    @contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Session]:
        """A session that is ready; at its end the threads are stopped and it is closed.

        What fails inside or in a thread is raised at the end; OutOfRangeError only ends it.

        Args:
          master: The session's target.
          config: Its ConfigProto.
          start_standard_services: Whether to start the threads.
          close_summary_writer: Whether to close the writer at the end.
        """
        session = None
        try:
            session = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services
            )
            yield session
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    with suppress(Exception):
                        session.close()

    def _write_graph(self) -> None:
        if self._logdir:
            nodes = self._graph.as_graph_def(add_shapes=True)
            write_graph(nodes, self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._is_graph_written:
            self._summary_writer.add_graph(self._graph)
            self._summary_writer.add_meta_graph(self._meta_graph_def)
            self._is_graph_written = True

    def _check_placed(self) -> None:
        for node in self._graph.get_operations():
            if node.type in ("Variable", "VariableV2") and not node.device:
                raise ValueError(
                    f"When using replicas, all Variables must have their device set: {node}"
                )

    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed
