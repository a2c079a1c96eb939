"""Hooks of boosted trees: one ends training, one begins it."""

from __future__ import annotations

from typing import Any

from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class StopAtAttemptsHook(SessionRunHook):
    """Asks for a stop when there are all trees, or more attempts than would be needed."""

    def __init__(
        self,
        num_finalized_trees_tensor: Any,
        num_attempted_layers_tensor: Any,
        max_trees: int,
        max_depth: int,
    ) -> None:
        """Takes two scalars of the ensemble, and the numbers at which to stop."""
        self._states = [num_finalized_trees_tensor, num_attempted_layers_tensor]
        self._max_trees = max_trees
        self._max_layers = 2 * max_trees * max_depth

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """See `SessionRunHook`."""
        return SessionRunArgs(self._states)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Looks again before it stops: the step's values may be from before it grew a layer."""
        trees, layers = run_values.results
        if trees >= self._max_trees - 1 or layers > self._max_layers - 1:
            trees, layers = run_context.session.run(self._states)
        if trees >= self._max_trees or layers > self._max_layers:
            run_context.request_stop()


class GrowerInitializationHook(SessionRunHook):
    """Runs an operation in each new session."""

    def __init__(self, init_op: Any) -> None:
        """Takes the operation."""
        self._init_op = init_op

    def after_create_session(self, session: Any, coord: Any) -> None:
        """See `SessionRunHook`."""
        session.run(self._init_op)
