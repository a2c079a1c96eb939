"""Monitors as a hook of a session."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from dataflow.training.global_step import get_global_step
from dataflow.training.hooks.elements import graph_element
from dataflow.training.hooks.session_run_hook import SessionRunArgs, SessionRunHook


class RunHookAdapterForMonitors(SessionRunHook):
    """Tells monitors of the steps of a session."""

    def __init__(self, monitors: Sequence[Any]) -> None:
        """Takes the monitors."""
        self._monitors = monitors

    def begin(self) -> None:
        """Begins all monitors."""
        self._last_step: int | None = None
        self._global_step_tensor = get_global_step()
        for monitor in self._monitors:
            monitor.begin(max_steps=None)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Asks for what the monitors want.

        Raises:
          ValueError: A monitor gives no list, or what is no tensor of the graph.
        """
        if self._last_step is None:
            self._last_step = self._next_step(run_context)
        wanted: list[Any] = []
        for monitor in self._monitors:
            requests = monitor.step_begin(self._last_step)
            if requests:
                if not isinstance(requests, list):
                    raise ValueError("Monitor.step_begin should return a list.")
                wanted.extend(requests)
        fetches = {request: graph_element(request) for request in wanted}
        return SessionRunArgs(fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Tells all monitors; one may end the training."""
        for monitor in self._monitors:
            if monitor.step_end(self._last_step, run_values.results):
                run_context.request_stop()
        for monitor in self._monitors:
            monitor.post_step(self._last_step, run_context.session)
        self._last_step = self._next_step(run_context)

    def _next_step(self, run_context: Any) -> int:
        """Reads the global step between runs: within one it may be seen before or after."""
        return int(run_context.session.run(self._global_step_tensor)) + 1

    def end(self, session: Any) -> None:
        """Ends all monitors."""
        self._last_step = None
        for monitor in self._monitors:
            if "session" in inspect.signature(monitor.end).parameters:
                monitor.end(session=session)
            else:
                monitor.end()


def replace_monitors_with_hooks(
    monitors_or_hooks: Sequence[Any] | None, estimator: Any
) -> list[SessionRunHook]:
    """Hooks, with one for all the monitors among them that run on this worker.

    Args:
      monitors_or_hooks: Monitors and hooks.
      estimator: What is trained.
    """
    given = monitors_or_hooks or []
    hooks = [each for each in given if isinstance(each, SessionRunHook)]
    monitors = [each for each in given if not isinstance(each, SessionRunHook)]
    if not estimator.config.is_chief:
        monitors = [each for each in monitors if each.run_on_all_workers]
    for monitor in monitors:
        monitor.set_estimator(estimator)
    if monitors:
        hooks.append(RunHookAdapterForMonitors(monitors))
    return hooks
