"""Sessions that initialise their model, call hooks, fill queues, and survive a lost task."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

from dataflow.errors import OutOfRangeError
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import get_collection, get_default_graph
from dataflow.training.coordination.coordinator import Coordinator
from dataflow.training.coordination.queue_runner import start_queue_runners
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.training.monitored.scaffold import Scaffold
from dataflow.training.monitored.session_creators import ChiefSessionCreator, SessionCreator
from dataflow.training.monitored.wrapped_sessions import (
    CoordinatedSession,
    HookedSession,
    RecoverableSession,
)


class StepContext:
    """What the function of `run_step_fn` works with."""

    def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
        """Holds a session without hooks, and how to run a step with them."""
        self._sess = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session, without hooks."""
        return self._sess

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a step as `MonitoredSession.run` does."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the session's loop: `with` takes this as its end."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class _Opened(NamedTuple):
    """What TensorFlow's tests ask for: the session below, and who stops its threads."""

    tf_sess: Any
    coord: Coordinator


S = TypeVar("S", bound="_MonitoredSession")


class _MonitoredSession:
    """What both kinds of monitored sessions do."""

    StepContext = StepContext

    def __init__(
        self,
        session_creator: SessionCreator | None,
        hooks: Sequence[SessionRunHook] | None,
        should_recover: bool,
        stop_grace_period_secs: float,
    ) -> None:
        self._graph_was_finalized = get_default_graph().finalized
        self._hooks = hooks or []
        self._stop_grace_period_secs = stop_grace_period_secs
        self._raw: Any = None
        """The session below; None once it is closed."""
        for hook in self._hooks:
            hook.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._sess: RecoverableSession | CoordinatedSession | None = (
            RecoverableSession(self._open) if should_recover else self._open()
        )

    @property
    def graph(self) -> Any:
        """The graph; None once the session is closed."""
        return None if self._raw is None else self._raw.graph

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs a step with what hooks add; arguments as for `tf.Session.run`.

        Raises:
          RuntimeError: The session is closed, or a hook has asked for a stop.
        """
        return self._usable().run(
            fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata
        )

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a function that runs steps, with hooks and without, as one.

        Args:
          step_fn: Takes one argument, `step_context`.

        Returns:
          What it returns.

        Raises:
          StopIteration: It has asked for a stop.
          ValueError: It takes other arguments.
        """
        names = tuple(inspect.signature(step_fn).parameters)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and "
                "`step_context` arguments if it's an instance method. "
                f"Got {names} instead."
            )

        def step(session: CoordinatedSession) -> Any:
            return step_fn(StepContext(self._tf_sess(), session.run))

        session = self._usable()
        if isinstance(session, RecoverableSession):
            return session.run_step_fn(step)
        return step(session)

    def should_stop(self) -> bool:
        """Whether no further step is wanted."""
        return self._sess is None or self._sess.should_stop

    def close(self) -> None:
        """Calls the hooks' `end`, stops threads and closes the session."""
        self._close(ended_well=True)

    def __enter__(self: S) -> S:
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        """Closes the session; the end of an input is a good end."""
        ended_well = exception_type in (None, OutOfRangeError, StopIteration)
        self._close(ended_well)
        return ended_well

    def _open(self) -> CoordinatedSession:
        self._raw = self._creator.create_session()
        coord = Coordinator(clean_stop_exception_types=[])
        self._coordinated_creator = _Opened(self._raw, coord)
        if get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(sess=self._raw, coord=coord)
        for hook in self._hooks:
            hook.after_create_session(self._raw, coord)
        hooked = HookedSession(self._raw, self._hooks)
        return CoordinatedSession(hooked, coord, self._stop_grace_period_secs)

    def _tf_sess(self) -> Any:
        """The session below, for other libraries; None once this one is closed."""
        return self._raw

    def _is_closed(self) -> bool:
        """Whether it is closed, for tests."""
        return self._raw is None

    def _usable(self) -> RecoverableSession | CoordinatedSession:
        if self._sess is None:
            raise RuntimeError("Session is already closed.")
        return self._sess

    def _close(self, ended_well: bool) -> None:
        try:
            if ended_well:
                for hook in self._hooks:
                    hook.end(self._raw)
        finally:
            try:
                self._usable().close()
            finally:
                self._sess = self._raw = None
                if not self._graph_was_finalized:
                    get_default_graph()._unsafe_unfinalize()


class MonitoredSession(_MonitoredSession):
    """A session with hooks that goes on in a new one after AbortedError or UnavailableError."""

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        """Opens a session.

        Args:
          session_creator: Opens it, and those that follow; a ChiefSessionCreator if None.
          hooks: Are called before and after each step.
          stop_grace_period_secs: How long threads may take to end.
        """
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A session with hooks that does not recover."""

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        """Opens a session; arguments as for ChiefSessionCreator and MonitoredSession."""
        creator = ChiefSessionCreator(
            scaffold=scaffold,
            master=master,
            config=config,
            checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path,
        )
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The session, without hooks."""
        return self._raw
