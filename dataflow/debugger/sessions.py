"""Sessions around others whose steps dump what they compute."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from dataflow.debugger.watching import Texts, watch_graph
from dataflow.errors import OpError
from dataflow.graph import default_stacks
from dataflow.graph.graph import Graph
from dataflow.proto.config_pb2 import RunMetadata, RunOptions
from dataflow.records.dumps import DEBUG_OP, FEEDS_NAME, FETCHES_NAME, dump_text
from dataflow.session.base_session import SessionInterface
from dataflow.values import nest


class WatchOptions(NamedTuple):
    """What a step dumps: patterns as `watch_graph` takes them."""

    debug_ops: Texts = DEBUG_OP
    node_name_regex_allowlist: str | None = None
    op_type_regex_allowlist: str | None = None
    tensor_dtype_regex_allowlist: str | None = None
    tolerate_debug_op_creation_failures: bool = False


WatchFn = Callable[[Any, Any], Any]
"""Takes fetches and feeds, and gives `WatchOptions`, or the values of one in their order."""


def dumping_options(
    graph: Graph, folder: str, watches: Any, given: RunOptions | None = None
) -> RunOptions:
    """RunOptions of a step that dumps to a folder what a `WatchFn` has said.

    Args:
      graph: The graph.
      folder: Where to.
      watches: `WatchOptions`, or the values of one in their order; None for all tensors.
      given: What else there is in the options.
    """
    options = RunOptions()
    if given is not None:
        options.CopyFrom(given)
    ops, name, kind, dtype, tolerates = WatchOptions(*(watches or ()))
    watch_graph(options, graph, ops, [f"file://{folder}"], name, kind, dtype, tolerates)
    return options


class BaseDebugWrapperSession(SessionInterface):
    """Passes everything on to a session; `run` goes through `run_step`, which subclasses have.

    Args:
      sess: The session.
      thread_name_filter: A pattern for the beginning of names of threads; those of others run as
        without the debugger.
      pass_through_operrors: Whether `run_step` raises errors of steps that dump. Otherwise it
        returns None, so that the dumps can be looked at.

    Raises:
      TypeError: It is no session.
    """

    def __init__(
        self,
        sess: Any,
        thread_name_filter: str | None = None,
        pass_through_operrors: bool | None = False,
    ) -> None:
        if not callable(getattr(sess, "run", None)) or not hasattr(sess, "graph"):
            raise TypeError(f"Expected a session to wrap, but got {sess!r}.")
        self._sess = sess
        self._threads = re.compile(thread_name_filter) if thread_name_filter else None
        self._passes_errors = bool(pass_through_operrors)
        self._entered: list[Any] = []

    @property
    def graph(self) -> Graph:
        """The graph that is run."""
        graph: Graph = self._sess.graph
        return graph

    @property
    def graph_def(self) -> Any:
        """The graph as a GraphDef."""
        return self._sess.graph_def

    @property
    def sess_str(self) -> bytes | None:
        """The target."""
        target: bytes | None = self._sess.sess_str
        return target

    @property
    def session(self) -> Any:
        """The session that was wrapped."""
        return self._sess

    def run(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Any:
        """Runs a step as `Session.run` does; see the class for errors."""
        is_other = self._threads and not self._threads.match(threading.current_thread().name)
        if is_other or not nest.flatten(fetches):
            return self._sess.run(fetches, feed_dict, options, run_metadata)
        return self.run_step(fetches, feed_dict, options, run_metadata)

    def run_step(
        self, fetches: Any, feed_dict: Any, options: Any, run_metadata: RunMetadata | None
    ) -> Any:
        """Runs a step; the arguments are those of `run`."""
        raise NotImplementedError(f"{type(self).__name__} says not how steps run.")

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> str:
        """Not with the debugger.

        Raises:
          NotImplementedError: Always.
        """
        raise NotImplementedError(
            "partial_run_setup is not implemented for debug-wrapper sessions."
        )

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """Not with the debugger.

        Raises:
          NotImplementedError: Always.
        """
        raise NotImplementedError("partial_run is not implemented for debug-wrapper sessions.")

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """As `MonitoredSession.run_step_fn`."""
        return step_fn(_StepContext(self))

    def as_default(self) -> Any:
        """Makes this the default session inside of the context."""
        return default_stacks.sessions.entered(self)

    def close(self) -> None:
        """Closes the session."""
        self._sess.close()

    def should_stop(self) -> bool:
        """As the session, if it is a `MonitoredSession`.

        Raises:
          ValueError: It is none.
        """
        if not hasattr(self._sess, "should_stop"):
            raise ValueError(f"The wrapped session has no should_stop(): {self._sess!r}")
        return bool(self._sess.should_stop())

    def __enter__(self) -> BaseDebugWrapperSession:
        context = self.as_default()
        context.__enter__()
        self._entered.append(context)
        return self

    def __exit__(self, *error: Any) -> None:
        self._entered.pop().__exit__(*error)
        self.close()

    def __getattr__(self, name: str) -> Any:
        if name == "_sess":
            raise AttributeError(name)
        return getattr(self._sess, name)


class _StepContext:
    def __init__(self, session: BaseDebugWrapperSession) -> None:
        self.session = session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        return self.session.run(*args, **kwargs)


class DumpingDebugWrapperSession(BaseDebugWrapperSession):
    """Each step dumps to a folder of its own.

    Args:
      sess: The session.
      session_root: A folder, empty or to be made; each step gets "run_microseconds_number" in it.
      watch_fn: Is called with fetches and feeds, and says by `WatchOptions` what is dumped.
      thread_name_filter: See `BaseDebugWrapperSession`.
      pass_through_operrors: See there.

    Raises:
      ValueError: `session_root` is a file, or not empty.
    """

    def __init__(
        self,
        sess: Any,
        session_root: str,
        watch_fn: WatchFn | None = None,
        thread_name_filter: str | None = None,
        pass_through_operrors: bool | None = None,
    ) -> None:
        super().__init__(sess, thread_name_filter, pass_through_operrors)
        self._root = made_root(session_root)
        self._watch_fn = watch_fn
        self._steps = 0
        self._lock = threading.Lock()

    def run_step(
        self, fetches: Any, feed_dict: Any, options: Any, run_metadata: RunMetadata | None
    ) -> Any:
        """Runs a step that dumps."""
        with self._lock:
            number, self._steps = self._steps, self._steps + 1
        folder = new_step_folder(self._root, number, fetches, feed_dict)
        watches = self._watch_fn(fetches, feed_dict) if self._watch_fn else None
        options = dumping_options(self.graph, folder, watches, options)
        try:
            return self._sess.run(fetches, feed_dict, options, run_metadata)
        except OpError:
            if self._passes_errors:
                raise
            return None


def made_root(root: str) -> str:
    """The folder for dumps, made if there is none.

    Raises:
      ValueError: It is a file, or not empty.
    """
    path = os.path.expanduser(root)
    if os.path.exists(path):
        if not os.path.isdir(path):
            raise ValueError(f"session_root path points to a file: {path}")
        if os.listdir(path):
            raise ValueError(f"session_root path points to a non-empty directory: {path}")
    os.makedirs(path, exist_ok=True)
    return os.path.abspath(path)


def new_step_folder(root: str, number: int, fetches: Any, feed_dict: Any) -> str:
    """A folder for the dumps of a step, with what it is asked for."""
    folder = os.path.join(root, f"run_{time.time_ns() // 1000}_{number}")
    os.makedirs(folder)
    dump_text(os.path.join(folder, FETCHES_NAME), repr(fetches))
    keys = repr(feed_dict.keys()) if feed_dict else repr(feed_dict)
    dump_text(os.path.join(folder, FEEDS_NAME), keys)
    return folder
