"""Hooks that have the steps of monitored sessions dump what they compute."""

from __future__ import annotations

from typing import Any

from dataflow.debugger.sessions import WatchFn, dumping_options, made_root, new_step_folder
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
)


class DumpingDebugHook(SessionRunHook):
    """Each step dumps to a folder of its own.

    Args:
      session_root: A folder, empty or to be made; each step gets "run_microseconds_number" in it.
      watch_fn: Is called with fetches and feeds, and says by `WatchOptions` what is dumped.
      thread_name_filter: For names of threads; not looked at, as a hook's steps are its thread's.

    Raises:
      ValueError: `session_root` is a file, or not empty.
    """

    def __init__(
        self,
        session_root: str,
        watch_fn: WatchFn | None = None,
        thread_name_filter: str | None = None,
    ) -> None:
        self._root = made_root(session_root)
        self._watch_fn = watch_fn
        self._steps = 0

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Has the step dump."""
        asked: Any = run_context.original_args
        fetches, feeds = asked.fetches, asked.feed_dict
        folder = new_step_folder(self._root, self._steps, fetches, feeds)
        self._steps += 1
        watches = self._watch_fn(fetches, feeds) if self._watch_fn else None
        options = dumping_options(run_context.session.graph, folder, watches)
        return SessionRunArgs(None, feed_dict=None, options=options)
