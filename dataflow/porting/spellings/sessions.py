"""tensorflow.python.training.monitored_session: the layers of a monitored session, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.graph import Graph
from dataflow.session.base_session import BaseSession
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.training.monitored.monitored_session import StepContext
from dataflow.training.monitored.wrapped_sessions import (
    CoordinatedSession,
    HookedSession,
    RecoverableSession,
)


class _WrappedSession:
    """A session, or another of these classes, within one."""

    def __init__(self, sess: Any) -> None:
        self._sess = sess

    @property
    def graph(self) -> Graph:
        """The session's graph."""
        graph: Graph = self._sess.graph
        return graph

    @property
    def sess_str(self) -> Any:
        """The session's target."""
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """Whether no further step is wanted, here or within."""
        if self._check_stop() or self._sess is None:
            return True
        return not isinstance(self._sess, BaseSession) and bool(self._sess.should_stop())

    def _check_stop(self) -> bool:
        """Whether no further step is wanted here; for classes below to say."""
        return False

    def close(self) -> None:
        """Closes the session."""
        if self._sess is not None:
            self._sess.close()
        self._sess = None

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a step."""
        return self._sess.run(*args, **kwargs)

    def run_step_fn(self, step_fn: Any, raw_session: Any, run_with_hooks: Any) -> Any:
        """Calls a function of a context of a step.

        Args:
          step_fn: The function.
          raw_session: The session to run other steps in.
          run_with_hooks: Runs a step within all; by default `run`.
        """
        return step_fn(StepContext(raw_session, run_with_hooks or self.run))


class _Inner:
    """A session within, as the classes of this library see it."""

    def __init__(self, sess: Any) -> None:
        self._sess = sess

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sess, name)

    @property
    def should_stop(self) -> bool:
        """Whether it wants no further step."""
        return not isinstance(self._sess, BaseSession) and bool(self._sess.should_stop())


class _HookedSession(_WrappedSession):
    """Calls hooks before and after each step."""

    def __init__(self, sess: Any, hooks: Sequence[SessionRunHook]) -> None:
        super().__init__(sess)
        self._hooked = HookedSession(sess, hooks)

    @property
    def _should_stop(self) -> bool:
        return self._hooked.should_stop

    @_should_stop.setter
    def _should_stop(self, value: bool) -> None:
        self._hooked.should_stop = value

    def _check_stop(self) -> bool:
        return self._should_stop

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a step, with what the hooks add."""
        return self._hooked.run(*args, **kwargs)


class _CoordinatedSession(_WrappedSession):
    """Stops with the threads of a coordinator, and stops these."""

    def __init__(self, sess: Any, coord: Any, stop_grace_period_secs: float = 120) -> None:
        super().__init__(sess)
        inner: Any = _Inner(sess)
        self._coordinated = CoordinatedSession(inner, coord, stop_grace_period_secs)

    def _check_stop(self) -> bool:
        return self._sess is None or self._coordinated.should_stop

    def close(self) -> None:
        """Stops the threads and closes the session."""
        self._coordinated.close()
        self._sess = None

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a step; raises the error of a thread."""
        return self._coordinated.run(*args, **kwargs)


class _RecoverableSession(_WrappedSession):
    """Goes on in a new session when a task was lost."""

    def __init__(self, sess_creator: Any) -> None:
        def create() -> Any:
            self._sess = sess_creator.create_session()
            return _Inner(self._sess)

        super().__init__(None)
        self._recoverable = RecoverableSession(create)

    def _check_stop(self) -> bool:
        return self._recoverable.should_stop

    def close(self) -> None:
        """Closes the session."""
        self._recoverable.close()
        self._sess = None

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a step, again in a new session if a task was lost."""
        return self._recoverable.run(*args, **kwargs)
