"""What a hook is: called when a session is made, and before and after each of its steps."""

from __future__ import annotations

from typing import Any, NamedTuple


class SessionRunArgs(NamedTuple):
    """What a hook adds to a step."""

    fetches: Any
    """What the hook wants to see, in any structure that a session takes; None for nothing."""
    feed_dict: Any = None
    """What it feeds."""
    options: Any = None
    """RunOptions, which are merged with those of others."""


class SessionRunValues(NamedTuple):
    """What a hook sees of a step."""

    results: Any
    """The values of its fetches, in their structure."""
    options: Any
    """The RunOptions of the step."""
    run_metadata: Any
    """Its RunMetadata."""


class SessionRunContext:
    """A step that is about to run or has run, as hooks see it."""

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        """Holds what the user asked for, and the session."""
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the user asked for."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session, without hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook wants no further step."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Asks for no further step."""
        self._stop_requested = True


class SessionRunHook:
    """Does nothing; subclasses override what they need."""

    def begin(self) -> None:
        """Called before the session is made: the graph may still be changed."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when a session was made, the first time and after each recovery.

        Args:
          session: The session; its graph cannot be changed any more.
          coord: The coordinator of its threads.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each step; gives what to add to it, or None."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each step that did not fail."""

    def end(self, session: Any) -> None:
        """Called at the end, unless an error has ended the session."""
