"""Session and InteractiveSession: the sessions programs open."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from dataflow.errors import OpError
from dataflow.graph import default_stacks
from dataflow.graph.graph import Graph
from dataflow.graph.tracebacks import shortened
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.session.arguments import target_bytes
from dataflow.session.back_end import connect
from dataflow.session.base_session import BaseSession
from dataflow.values.interrupts import sheltered

if TYPE_CHECKING:
    from typing_extensions import Self

_LOGGER = logging.getLogger("dataflow")

CLOSE_SECONDS: Final = 30.0
"""How long leaving a `with` block after an error waits for the session to close."""


class Session(BaseSession):
    """Runs a graph: `with Session() as sess: sess.run(...)`; see `BaseSession` for the arguments.

    As a context manager it is the default session, its graph the default graph, and it is closed
    at the end.

    >>> x = tf.placeholder(tf.float32, [2])
    >>> with tf.Session() as session:
    ...     print(session.run(2.0 * x, feed_dict={x: [1.0, 2.0]}))
    [2. 4.]
    """

    @shortened
    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        # Made on entering only: both refer to the session, which must not keep itself alive.
        self._graph_context: AbstractContextManager[Graph] | None = None
        self._session_context: AbstractContextManager[Self] | None = None

    def __enter__(self) -> Self:
        if self._graph_context is not None:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` if you "
                "want to enter a session multiple times."
            )
        self._graph_context = self._graph.as_default()
        self._session_context = self.as_default()
        self._graph_context.__enter__()
        return self._session_context.__enter__()

    def __exit__(self, exec_type: Any, exec_value: Any, exec_tb: Any) -> None:
        if exec_type is OpError:
            _LOGGER.error("Session closing due to OpError: %s", exec_value)
        session_context, graph_context = self._session_context, self._graph_context
        self._session_context = self._graph_context = None
        assert session_context is not None and graph_context is not None
        # Told of no exception: the contexts have nothing to do with it, and would raise it anew.
        session_context.__exit__(None, None, None)
        graph_context.__exit__(None, None, None)
        if exec_type is None:
            self.close()
            return
        closing = threading.Thread(name="SessionCloseThread", target=self.close, daemon=True)
        closing.start()
        closing.join(CLOSE_SECONDS)
        if closing.is_alive():
            _LOGGER.error(
                "Session failed to close after %d seconds. Continuing after this point may leave "
                "your program in an undefined state.",
                CLOSE_SECONDS,
            )

    @staticmethod
    def reset(
        target: Any, containers: Sequence[Any] | None = None, config: ConfigProto | None = None
    ) -> None:
        """Clears resource containers on a target, and closes all its sessions.

        Args:
          target: The target, as for a session.
          containers: Names of the containers; the default one alone if there are none.
          config: Options for reaching the target.

        Raises:
          OpError: The target cannot be reached or fails.
        """
        names = [c.decode() if isinstance(c, bytes) else str(c) for c in containers or ()]
        config = ConfigProto() if config is None else config
        runtime = connect((target_bytes(target) or b"").decode(), config)
        sheltered(partial(runtime.reset, names))


class InteractiveSession(BaseSession):
    """A session for a shell: the default session from the moment it is made until it is closed.

    It places only what a run needs, so an operation that fits no device does no harm until it is
    fetched. See `BaseSession` for the arguments.

    >>> session = tf.InteractiveSession()
    >>> print((tf.constant(1) + 2).eval())
    3
    >>> session.close()
    """

    _lock = threading.Lock()
    _active_session_count = 0

    @shortened
    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        interactive = ConfigProto()
        if config:
            interactive.CopyFrom(config)
        else:
            interactive.gpu_options.allow_growth = True
        interactive.graph_options.place_pruned_graph = True
        super().__init__(target, graph, interactive)
        with InteractiveSession._lock:
            if InteractiveSession._active_session_count > 0:
                warnings.warn(
                    "An interactive session is already active. This can cause out-of-memory errors "
                    "in some cases. You must explicitly call `InteractiveSession.close()` to "
                    "release resources held by the other session(s).",
                    stacklevel=2,
                )
            InteractiveSession._active_session_count += 1
        self._explicitly_closed = False
        self._explicit_graph: Graph | None = graph
        default_stacks.sessions.stack.append(self)
        if graph is not None:
            default_stacks.graphs.stack.append(graph)

    def close(self) -> None:
        """Closes the session; the thread's default session is again the one before.

        Raises:
          OpError: The back end fails to.
        """
        super().close()
        with InteractiveSession._lock:
            if self._explicitly_closed:
                return
            self._explicitly_closed = True
            InteractiveSession._active_session_count -= 1
        if self._explicit_graph is not None:
            _remove_last(default_stacks.graphs.stack, self._explicit_graph)
        _remove_last(default_stacks.sessions.stack, self)


def _remove_last(stack: list[Any], item: Any) -> None:
    """Takes the innermost occurrence off a stack; interactive sessions may end in any order."""
    for index in range(len(stack) - 1, -1, -1):
        if stack[index] is item:
            del stack[index]
            return
