"""The layers of a monitored session: hooks, then a coordinator, then recovery."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from dataflow.errors import AbortedError, UnavailableError
from dataflow.proto.config_pb2 import RunMetadata, RunOptions
from dataflow.training.coordination.coordinator import Coordinator
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from dataflow.values import logging

PREEMPTIONS: Final = (AbortedError, UnavailableError)
"""Errors that say that a task was lost: a new session goes on where it is back."""


class HookedSession:
    """Calls hooks before and after each step of a session."""

    def __init__(self, session: Any, hooks: Sequence[SessionRunHook]) -> None:
        """Wraps a session."""
        self._sess = session
        self._hooks = hooks
        self.should_stop = False
        """Whether a hook wants no further step."""

    def close(self) -> None:
        """Closes the session."""
        self._sess.close()

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs a step, with what hooks add to it.

        Raises:
          RuntimeError: A hook has asked for a stop, or two feed the same.
        """
        if self.should_stop:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        all_fetches: dict[Any, Any] = {"caller": fetches}
        options = options or RunOptions()
        run_metadata = run_metadata or RunMetadata()
        feeds = self._before_run(context, all_fetches, feed_dict, options)
        outputs = self._sess.run(
            all_fetches, feed_dict=feeds, options=options, run_metadata=run_metadata
        )
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(outputs.get(hook), options, run_metadata))
        self.should_stop = context.stop_requested
        return outputs["caller"]

    def _before_run(
        self, context: SessionRunContext, fetches: dict[Any, Any], feed_dict: Any, options: Any
    ) -> Any:
        """Asks the hooks; gives all feeds."""
        feeds: dict[Any, Any] = {}
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                fetches[hook] = request.fetches
            if request.feed_dict:
                _refuse_common(feeds, request.feed_dict, "Same tensor is fed by two hooks.")
                feeds.update(request.feed_dict)
            if request.options:
                _merge(options, request.options)
        if not feeds:
            return feed_dict
        if feed_dict:
            text = "Same tensor is fed by a SessionRunHook and user."
            _refuse_common(feed_dict, feeds, text)
            feeds.update(feed_dict)
        return feeds


class CoordinatedSession:
    """Stops the threads of a session with it, and raises their errors."""

    def __init__(
        self, session: HookedSession, coord: Coordinator, stop_grace_period_secs: float
    ) -> None:
        """Wraps a session with hooks."""
        self._sess = session
        self._coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    @property
    def should_stop(self) -> bool:
        """Whether a thread or a hook wants no further step; raises the error of a thread."""
        self._coord.raise_requested_exception()
        return self._coord.should_stop() or self._sess.should_stop

    def close(self) -> None:
        """Stops the threads and closes the session; raises the error of a thread."""
        self._coord.request_stop()
        try:
            self._coord.join(
                stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True
            )
        finally:
            # An error of closing is not to stand in for one that came before.
            with suppress(Exception):
                self._sess.close()

    def run(self, fetches: Any, **options: Any) -> Any:
        """Runs a step; where a lost task has stopped a thread, that is the error."""
        try:
            return self._sess.run(fetches, **options)
        except PREEMPTIONS:
            raise
        except Exception as error:
            try:
                self._coord.raise_requested_exception()
            except PREEMPTIONS:
                raise
            except Exception:
                raise error from None
            raise


class RecoverableSession:
    """Goes on in a new session when a task was lost."""

    def __init__(self, create_session: Callable[[], CoordinatedSession]) -> None:
        """Opens a session.

        Args:
          create_session: Opens the first and every further one.
        """
        self._create_session = create_session
        self._sess: CoordinatedSession | None = self._create()

    @property
    def should_stop(self) -> bool:
        """Whether no further step is wanted."""
        if self._sess is None:
            return True
        try:
            return self._sess.should_stop
        except PREEMPTIONS as error:
            _log_loss(error)
            self.close()
            self._sess = self._create()
            return False
        except Exception:
            return True

    def close(self) -> None:
        """Closes the session, which may be lost already."""
        session, self._sess = self._sess, None
        if session is not None:
            try:
                session.close()
            except PREEMPTIONS as error:
                logging.error(
                    "An error occurred when attempting to close the session. This may be due to a "
                    "preemption in a connected worker or parameter server. Error: %s",
                    error,
                )

    def run(self, fetches: Any, **options: Any) -> Any:
        """Runs a step, again in a new session if a task was lost."""
        return self._on_session(lambda session: session.run(fetches, **options))

    def run_step_fn(self, step: Callable[[CoordinatedSession], Any]) -> Any:
        """Calls a function with the session, again with a new one if a task was lost."""
        return self._on_session(step)

    def _on_session(self, work: Callable[[CoordinatedSession], Any]) -> Any:
        while True:
            try:
                if self._sess is None:
                    self._sess = self._create()
                return work(self._sess)
            except PREEMPTIONS as error:
                _log_loss(error)
                self.close()

    def _create(self) -> CoordinatedSession:
        while True:
            try:
                return self._create_session()
            except PREEMPTIONS as error:
                _log_loss(error)


def _log_loss(error: Exception) -> None:
    logging.info(
        "An error was raised. This may be due to a preemption in a connected worker or parameter "
        "server. The current session will be closed and a new session will be created. Error: %s",
        error,
    )


def _refuse_common(first: Mapping[Any, Any], second: Mapping[Any, Any], text: str) -> None:
    common = set(first) & set(second)
    if common:
        raise RuntimeError(f"{text} Conflict(s): {list(common)}")


def _merge(options: Any, others: Any) -> None:
    """Adds to RunOptions what others ask for."""
    for field in ("trace_level", "timeout_in_ms", "inter_op_thread_pool"):
        setattr(options, field, max(getattr(options, field), getattr(others, field)))
    for field in ("output_partition_graphs", "report_tensor_allocations_upon_oom"):
        setattr(options, field, getattr(options, field) or getattr(others, field))
    options.debug_options.debug_tensor_watch_opts.extend(
        others.debug_options.debug_tensor_watch_opts
    )
