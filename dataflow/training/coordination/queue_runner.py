"""Queue runners: threads that fill a queue, one for each enqueue operation."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from dataflow.errors import (
    OpError,
    OutOfRangeError,
    error_code_from_exception_type,
    exception_type_from_error_code,
)
from dataflow.graph.collection_protos import register_proto_function
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import (
    add_to_collection,
    get_collection,
    get_default_graph,
    get_default_session,
)
from dataflow.proto.queue_runner_pb2 import QueueRunnerDef
from dataflow.session.base_session import SessionInterface
from dataflow.training.coordination.coordinator import Coordinator
from dataflow.values import logging
from dataflow.values.scope_names import prepend_name_scope, strip_name_scope


class QueueRunner:
    """Runs enqueue operations on threads until they fail, or a coordinator stops them."""

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        """Makes a queue runner, whose threads `create_threads` makes.

        Args:
          queue: The queue.
          enqueue_ops: Operations, each of which has a thread that runs it again and again.
          close_op: Closes the queue; made if None.
          cancel_op: Closes the queue and cancels pending enqueues; made if None.
          queue_closed_exception_types: Errors that say that there is no more input; OutOfRangeError
            if None.
          queue_runner_def: A QueueRunnerDef that says all of this.
          import_scope: Name scope into which what it names was imported.

        Raises:
          ValueError: Both a QueueRunnerDef and a queue are given, or neither.
          TypeError: `queue_closed_exception_types` is no tuple of errors.
        """
        if queue_runner_def:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._read(queue_runner_def, import_scope)
        else:
            if not queue or not enqueue_ops:
                raise ValueError("Must provide queue and enqueue_ops.")
            _check_types(queue_closed_exception_types)
            self._queue: Any = queue
            self._enqueue_ops: list[Any] = list(enqueue_ops)
            self._close_op: Any = queue.close() if close_op is None else close_op
            self._cancel_op: Any = (
                queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
            )
            self._closed_types: tuple[type[OpError], ...] = queue_closed_exception_types or ()
        self._closed_types = self._closed_types or (OutOfRangeError,)
        self._lock = threading.Lock()
        self._runs_per_session: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[Exception] = []

    @property
    def queue(self) -> Any:
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[Any]:
        """The operations that have threads."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """Closes the queue."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """Closes the queue and cancels pending enqueues."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[OpError], ...]:
        """Errors that say that there is no more input."""
        return self._closed_types

    @property
    def exceptions_raised(self) -> list[Exception]:
        """What was raised on threads that have no coordinator."""
        return self._exceptions_raised

    @property
    def name(self) -> str:
        """The name of the queue."""
        found: str = self._queue.name
        return found

    def create_threads(
        self, sess: Any, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Makes the threads for a session; none if it has some that still run.

        Args:
          sess: The session.
          coord: Is told of errors, and stops the threads: a further one then closes the queue.
          daemon: Whether the program may end before the threads.
          start: Whether to start them.

        Returns:
          The threads.
        """
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        threads = [
            threading.Thread(
                target=self._run,
                args=(sess, op, coord),
                name=f"QueueRunnerThread-{self.name}-{op.name}",
            )
            for op in self._enqueue_ops
        ]
        if coord is not None:
            closer = threading.Thread(
                target=self._close_on_stop,
                args=(sess, coord),
                name=f"QueueRunnerThread-{self.name}-close_on_stop",
            )
            threads.append(closer)
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            thread.daemon = daemon or thread.daemon
            if start:
                thread.start()
        return threads

    def to_proto(self, export_scope: str | None = None) -> QueueRunnerDef | None:
        """The QueueRunnerDef of this one; None if its queue is not in that name scope."""
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        return QueueRunnerDef(
            queue_name=strip_name_scope(self.name, export_scope),
            enqueue_op_name=[strip_name_scope(op.name, export_scope) for op in self._enqueue_ops],
            close_op_name=strip_name_scope(self._close_op.name, export_scope),
            cancel_op_name=strip_name_scope(self._cancel_op.name, export_scope),
            queue_closed_exception_types=map(error_code_from_exception_type, self._closed_types),
        )

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """The queue runner that a QueueRunnerDef says."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)

    def _read(self, definition: QueueRunnerDef, import_scope: str | None) -> None:
        graph = get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(prepend_name_scope(name, import_scope))

        self._queue = element(definition.queue_name)
        self._enqueue_ops = [element(name) for name in definition.enqueue_op_name]
        self._close_op = element(definition.close_op_name)
        self._cancel_op = element(definition.cancel_op_name)
        self._closed_types = tuple(
            exception_type_from_error_code(code) for code in definition.queue_closed_exception_types
        )

    def _enqueue_function(self, sess: Any, enqueue_op: Any) -> Callable[[], Any]:
        """Runs an enqueue operation once."""
        function: Callable[[], Any] = sess.make_callable(enqueue_op)
        return function

    def _run(self, sess: Any, enqueue_op: Any, coord: Coordinator | None) -> None:
        """Enqueues until it fails or is stopped; the last thread closes the queue at the end."""
        is_counted = True
        try:
            enqueue = self._enqueue_function(sess, enqueue_op)
            while coord is None or not coord.should_stop():
                try:
                    enqueue()
                except self._closed_types:
                    is_counted = False
                    if self._count_down(sess):
                        _run_quietly(sess, self._close_op)
                    return
        except Exception as error:
            if coord is not None:
                coord.request_stop(error)
                return
            logging.error("Exception in QueueRunner: %s", str(error))
            with self._lock:
                self._exceptions_raised.append(error)
            raise
        finally:
            if is_counted:
                self._count_down(sess)

    def _count_down(self, sess: Any) -> bool:
        """Counts a thread that ends; True for the last one of its session."""
        with self._lock:
            self._runs_per_session[sess] -= 1
            return not self._runs_per_session[sess]

    def _close_on_stop(self, sess: Any, coord: Coordinator) -> None:
        coord.wait_for_stop()
        _run_quietly(sess, self._cancel_op)


def add_queue_runner(qr: QueueRunner, collection: Any = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a queue runner to a collection of the default graph."""
    add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: Any = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Makes and starts the threads of all queue runners in a collection.

    Args:
      sess: The session; the default session if None.
      coord: Stops the threads.
      daemon: Whether the program may end before the threads.
      start: Whether to start them.
      collection: Where the queue runners are.

    Returns:
      The threads; none for a monitored session, which has started them.

    Raises:
      ValueError: There is no session.
      TypeError: `sess` is no session.
    """
    sess = get_default_session() if sess is None else sess
    if sess is None:
        raise ValueError(
            "Cannot start queue runners: No default session is "
            "registered. Use `with sess.as_default()` or pass an "
            "explicit session to tf.start_queue_runners(sess=sess)"
        )
    if not isinstance(sess, SessionInterface):
        if type(sess).__name__ in ("MonitoredSession", "SingularMonitoredSession"):
            return []
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {sess.__class__}")
    with sess.graph.as_default():
        runners = get_collection(collection)
        if not runners:
            logging.warning(
                "`tf.train.start_queue_runners()` was called when no queue runners were defined. "
                "You can safely remove the call to this deprecated function."
            )
        return [
            thread
            for runner in runners
            for thread in runner.create_threads(sess, coord=coord, daemon=daemon, start=start)
        ]


def _check_types(types: Any) -> None:
    if types is None:
        return
    is_tuple = isinstance(types, tuple) and types
    if not is_tuple or not all(issubclass(each, OpError) for each in types):
        raise TypeError(
            "queue_closed_exception_types, when provided, "
            f"must be a tuple of tf.error types, but saw: {types}"
        )


def _run_quietly(sess: Any, operation: Any) -> None:
    """Runs an operation that may fail: the session, or the queue, may be closed already."""
    try:
        sess.run(operation)
    except Exception as error:
        logging.vlog(1, "Ignored exception: %s", str(error))


register_proto_function(
    GraphKeys.QUEUE_RUNNERS, QueueRunnerDef, QueueRunner.to_proto, QueueRunner.from_proto
)
