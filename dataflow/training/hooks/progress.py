"""The hook that shows a progress bar."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from dataflow.library.program.progress import progress
from dataflow.training.hooks.session_run_hook import (
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class ProgressHook(SessionRunHook):
    """Shows how many runs are done and how long the rest takes, in terminals and notebooks.

    Where standard error goes to a file or a pipe it does nothing.

    >>> step = tf.train.get_or_create_global_step().assign_add(1)
    >>> with tf.train.MonitoredSession(hooks=[tf.train.ProgressHook(steps=100)]) as session:
    ...     for _ in range(100):
    ...         done = session.run(step)
    >>> print(done)
    100
    """

    def __init__(self, steps: int | None = None, label: str = "Steps", console: Any = None) -> None:
        """Makes a hook.

        Args:
          steps: How many runs there will be, if that is known.
          label: Stands before the bar.
          console: A `rich.console.Console` to draw on, rather than standard error.

        Raises:
          ValueError: `steps` is not positive.
        """
        if steps is not None and steps <= 0:
            raise ValueError(f"steps must be positive, got {steps}.")
        self._given = (label, steps, console)
        self._shown = ExitStack()

    def begin(self) -> None:
        """See `SessionRunHook`."""
        self._shown.close()
        self._advance = self._shown.enter_context(progress(*self._given))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """See `SessionRunHook`."""
        self._advance()

    def end(self, session: Any) -> None:
        """See `SessionRunHook`."""
        self._shown.close()
