"""Hooks that end training where evaluations say so, on all workers of a cluster."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from dataflow.estimation.estimator import Estimator
from dataflow.estimation.summaries import read_results
from dataflow.graph.keys import GraphKeys
from dataflow.graph.variable_scope_object import AUTO_REUSE
from dataflow.training.global_step import get_global_step
from dataflow.training.hooks.global_step_read import global_step_read
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from dataflow.training.hooks.timers import SecondOrStepTimer
from dataflow.values import dtypes, logging
from dataflow.variables.initializers import Constant
from dataflow.variables.scope import get_variable, variable_scope


def make_early_stopping_hook(
    estimator: Estimator,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends training when a function says so; the chief asks it.

    Args:
      estimator: The estimator that trains.
      should_stop_fn: Takes nothing; whether to stop.
      run_every_secs: How often it is asked, in seconds.
      run_every_steps: The same in steps; then `run_every_secs` must be None.

    Raises:
      TypeError: `estimator` is none.
      ValueError: Both of seconds and steps are given, or neither.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(
            f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}"
        )
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    if estimator.config.is_chief:
        return _StopOnPredicate(should_stop_fn, run_every_secs, run_every_steps)
    return _StopOnSignal()


def stop_if_higher_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends training when a metric has been above a threshold.

    Args:
      estimator: The estimator that trains.
      metric_name: A metric of its evaluations.
      threshold: The threshold.
      eval_dir: Where evaluations are; `estimator.eval_dir()` if None.
      min_steps: Evaluations before this global step do not count.
      run_every_secs: See `make_early_stopping_hook`.
      run_every_steps: The same.
    """
    should_stop = _beyond(estimator, metric_name, threshold, operator.gt, eval_dir, min_steps)
    return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)


def stop_if_lower_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """As `stop_if_higher_hook`, when the metric has been below the threshold."""
    should_stop = _beyond(estimator, metric_name, threshold, operator.lt, eval_dir, min_steps)
    return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)


def stop_if_no_increase_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends training when a metric has not risen above its highest for some steps.

    Args:
      estimator: The estimator that trains.
      metric_name: A metric of its evaluations.
      max_steps_without_increase: After how many steps.
      eval_dir: Where evaluations are; `estimator.eval_dir()` if None.
      min_steps: Evaluations before this global step do not count.
      run_every_secs: See `make_early_stopping_hook`.
      run_every_steps: The same.
    """
    should_stop = _stuck(
        estimator, metric_name, max_steps_without_increase, operator.gt, eval_dir, min_steps
    )
    return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)


def stop_if_no_decrease_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """As `stop_if_no_increase_hook`, when the metric has not fallen below its lowest."""
    should_stop = _stuck(
        estimator, metric_name, max_steps_without_decrease, operator.lt, eval_dir, min_steps
    )
    return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)


def _beyond(
    estimator: Estimator,
    metric: str,
    threshold: float,
    is_beyond: Callable[[Any, Any], bool],
    eval_dir: str | None,
    min_steps: int,
) -> Callable[[], bool]:
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        for step, metrics in read_results(folder).items():
            if step < min_steps or metric not in metrics:
                continue
            if is_beyond(metrics[metric], threshold):
                logging.info(
                    'At step %s, metric "%s" has value %s beyond the configured threshold %s.',
                    step,
                    metric,
                    metrics[metric],
                    threshold,
                )
                return True
        return False

    return should_stop


def _stuck(
    estimator: Estimator,
    metric: str,
    patience: int,
    is_better: Callable[[Any, Any], bool],
    eval_dir: str | None,
    min_steps: int,
) -> Callable[[], bool]:
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        best: float | None = None
        best_step = 0
        for step, metrics in read_results(folder).items():
            if step < min_steps or metric not in metrics:
                continue
            value = metrics[metric]
            if best is None or is_better(value, best):
                best, best_step = value, step
            if step - best_step >= patience:
                logging.info(
                    'No better value of metric "%s" for %s steps, which is greater than or equal '
                    "to max steps (%s) configured for early stopping.",
                    metric,
                    step - best_step,
                    patience,
                )
                return True
        return False

    return should_stop


def _stop_variable() -> Any:
    with variable_scope("signal_early_stopping", reuse=AUTO_REUSE):
        return get_variable(
            name="STOP",
            shape=[],
            dtype=dtypes.bool,
            initializer=Constant(False),
            collections=[GraphKeys.GLOBAL_VARIABLES, "STOPPING_VAR"],
            trainable=False,
        )


class _StopOnPredicate(SessionRunHook):
    """Asks a function, and tells all workers by a variable."""

    def __init__(
        self,
        should_stop_fn: Callable[[], bool],
        run_every_secs: float | None,
        run_every_steps: int | None,
    ) -> None:
        if not callable(should_stop_fn):
            raise TypeError("`should_stop_fn` must be callable.")
        self._should_stop_fn = should_stop_fn
        self._timer = SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)

    def begin(self) -> None:
        self._global_step = global_step_read("EarlyStoppingHook")
        self._stop_var = _stop_variable()
        self._stop_op = self._stop_var.assign(True)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = run_values.results
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._should_stop_fn():
            logging.info("Requesting early stopping at global step %d", step)
            run_context.session.run(self._stop_op)
            run_context.request_stop()


class _StopOnSignal(SessionRunHook):
    """Ends a worker's training when the chief has said so."""

    def begin(self) -> None:
        self._stop_var = _stop_variable()
        self._global_step = get_global_step()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs([self._global_step, self._stop_var])

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step, stops = run_values.results
        if stops:
            logging.info("Early stopping requested, suspending run at global step %d.", step)
            run_context.request_stop()
