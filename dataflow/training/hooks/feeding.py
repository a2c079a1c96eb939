"""Hooks that feed steps, and that run something at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dataflow.errors import OutOfRangeError
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
)
from dataflow.values import logging


class FeedFnHook(SessionRunHook):
    """Feeds each step what a function gives."""

    def __init__(self, feed_fn: Callable[[], Mapping[Any, Any]]) -> None:
        """Makes a hook of a function that gives a feed dictionary."""
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """See `SessionRunHook`."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class FinalOpsHook(SessionRunHook):
    """Evaluates tensors at the end of a session."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        """Makes a hook.

        Args:
          final_ops: Fetches of the last step.
          final_ops_feed_dict: What it is fed.
        """
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values, once the session has ended."""
        return self._final_ops_values

    def end(self, session: Any) -> None:
        """See `SessionRunHook`."""
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(
                self._final_ops, feed_dict=self._final_ops_feed_dict
            )
        except (OutOfRangeError, StopIteration):
            logging.warning(
                "The tensors of FinalOpsHook have a dependency back to some input source that has "
                "ended: let them read variables only, as the value of a metric does, and not its "
                "update."
            )
            raise
