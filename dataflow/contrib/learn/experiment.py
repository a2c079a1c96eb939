"""Experiment: an estimator with the inputs of its training and its evaluation."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dataflow.contrib.learn.configuration import Environment, RunConfig
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.interfaces import Evaluable, Trainable
from dataflow.contrib.learn.monitor_hooks import replace_monitors_with_hooks
from dataflow.contrib.learn.monitors.validation import ValidationMonitor
from dataflow.contrib.learn.utils.saved_model_export_utils import ExportStrategy
from dataflow.estimation.estimator import Estimator as PlainEstimator
from dataflow.estimation.functions import argument_names
from dataflow.graph.keys import GraphKeys
from dataflow.saving.state import latest_checkpoint
from dataflow.session.server import Server
from dataflow.training.hooks.checkpoint_saver import (
    CheckpointSaverHook,
    CheckpointSaverListener,
)
from dataflow.training.hooks.stop_at_step import GlobalStepWaiterHook
from dataflow.values.logging import info, warning


class _EvaluatesAndExports(CheckpointSaverListener):
    """Evaluates each new checkpoint, and exports it."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._latest: str | None = None
        self.results: Any = None
        self.exported: Any = None

    def after_save(self, session: Any, global_step_value: int) -> None:
        """See `CheckpointSaverListener`."""
        newest = latest_checkpoint(self._experiment.estimator.model_dir)
        if newest is None:
            warning("Skipping evaluation and export since model has not been saved yet.")
        elif newest == self._latest:
            warning("Skipping evaluation due to same latest checkpoint %s.", newest)
        else:
            self._latest = newest
            self.results = self._experiment.evaluated("intermediate_export", newest)
            self.exported = self._experiment.exported(self.results, newest)


class Experiment:
    """Trains and evaluates an estimator."""

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[..., Any],
        eval_input_fn: Callable[..., Any],
        eval_metrics: Any = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Sequence[Any] | None = None,
        eval_hooks: Sequence[Any] | None = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: int | None = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Sequence[Any] | None = None,
        check_interval_secs: float = 5,
    ) -> None:
        """Takes what both need.

        Args:
          estimator: The estimator: of tf.contrib.learn or of tf.estimator.
          train_input_fn: Gives the input of training.
          eval_input_fn: Gives the input of evaluation.
          eval_metrics: By name further metrics, MetricSpecs; only of tf.contrib.learn's estimators.
          train_steps: At which global step to end; None for no end.
          eval_steps: How many steps an evaluation has; None for all that its input gives.
          train_monitors: Monitors and hooks of training.
          eval_hooks: Hooks of evaluation.
          local_eval_frequency: What `local_run` takes for `min_eval_frequency`.
          eval_delay_secs: How long an evaluator waits before it begins.
          continuous_eval_throttle_secs: How long it is from one evaluation to the next.
          min_eval_frequency: Every how many steps `train_and_evaluate` looks for a checkpoint to
            evaluate: each step if None, only at the end if 0.
          delay_workers_by_global_step: Whether later workers wait for steps, and not for seconds.
          export_strategies: An ExportStrategy, or several: what is exported after an evaluation.
          train_steps_per_iteration: How many steps `continuous_train_and_eval` trains at a time; a
            tenth of `train_steps` if None, or 1000.
          checkpoint_and_export: Whether `train_and_evaluate` evaluates and exports each checkpoint.
          saving_listeners: Are called when a checkpoint is saved; not of tf.contrib.learn's
            estimators.
          check_interval_secs: How long it is at least from one look for a checkpoint to the next.

        Raises:
          ValueError: The estimator is none, or does not take what is given with it; what is to be
            exported is no ExportStrategy.
        """
        # Those of tf.contrib.learn are made of the plain one here.
        self._plain = isinstance(estimator, PlainEstimator) and not isinstance(estimator, Estimator)
        if self._plain:
            if eval_metrics is not None:
                raise ValueError(
                    "`eval_metrics` must be `None` with `tf.estimator.Estimator`. Use "
                    "`eval_metric_ops` in `tf.estimator.EstimatorSpec` instead."
                )
        else:
            for kind in (Evaluable, Trainable):
                if not isinstance(estimator, kind):
                    raise ValueError(
                        f"`estimator` must implement `tf.contrib.learn.{kind.__name__}` or "
                        "`tf.estimator.Estimator`."
                    )
            if saving_listeners is not None:
                raise ValueError(
                    "`saving_listeners` must be `None` with `tf.contrib.learn.Estimator`."
                )
        self._estimator = estimator
        self._train_input_fn = train_input_fn
        self._eval_input_fn = eval_input_fn
        self._eval_metrics = eval_metrics
        self._train_steps = train_steps
        self._eval_steps = eval_steps
        self._train_hooks: list[Any] = list(train_monitors or [])
        self._eval_hooks = list(eval_hooks or [])
        self._local_eval_frequency = local_eval_frequency
        self._eval_delay_secs = eval_delay_secs
        self._throttle_secs = continuous_eval_throttle_secs
        self._min_eval_frequency = 1 if min_eval_frequency is None else min_eval_frequency
        self._by_steps = delay_workers_by_global_step
        self._steps_at_a_time = train_steps_per_iteration
        self._exports_checkpoints = checkpoint_and_export
        self._listeners = saving_listeners
        self._check_interval_secs = check_interval_secs
        self.reset_export_strategies(export_strategies)

    @property
    def estimator(self) -> Any:
        """The estimator."""
        return self._estimator

    @property
    def eval_metrics(self) -> Any:
        """By name further metrics."""
        return self._eval_metrics

    @property
    def train_steps(self) -> int | None:
        """At which global step training ends."""
        return self._train_steps

    @property
    def eval_steps(self) -> int | None:
        """How many steps an evaluation has."""
        return self._eval_steps

    def extend_train_hooks(self, additional_hooks: Iterable[Any]) -> None:
        """Adds hooks of training."""
        self._train_hooks.extend(additional_hooks)

    def reset_export_strategies(self, new_export_strategies: Any = None) -> tuple[Any, ...]:
        """Says anew what is exported, and gives what was.

        Raises:
          ValueError: It is no ExportStrategy, nor several.
        """
        # A strategy is a tuple, too.
        if isinstance(new_export_strategies, ExportStrategy):
            new_export_strategies = [new_export_strategies]
        wanted = tuple(new_export_strategies or ())
        for each in wanted:
            if not isinstance(each, ExportStrategy):
                raise ValueError(
                    "`export_strategies` must be an ExportStrategy, an iterable of "
                    f"ExportStrategy, or `None`, found {each}."
                )
        former: tuple[Any, ...] = getattr(self, "_exports", ())
        self._exports = wanted
        return former

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains, after a while.

        Args:
          delay_secs: How long to wait; five seconds for each worker before this one if None, or,
            by steps, until the others have made some thousands.

        Raises:
          ValueError: A task of a cluster is configured by another class than this part's RunConfig.
        """
        config = self._estimator.config
        if config.cluster_spec and config.master:
            if not isinstance(config, RunConfig):
                raise ValueError(
                    "For distributed runtime, Experiment class only works with "
                    f"tf.contrib.learn.RunConfig for now, but provided {type(config)}"
                )
            if config.environment == Environment.LOCAL:
                warning(
                    "ClusterSpec and master are provided, but environment is set to 'local'. Set "
                    "environment to 'cloud' if you intend to use the distributed runtime."
                )
            elif config.environment != Environment.GOOGLE:
                self._server()
        further = []
        if delay_secs is None:
            task = config.task_id or 0
            delay_secs = 0 if self._by_steps else min(60, task * 5)
            if self._by_steps:
                further = [GlobalStepWaiterHook(int(8000.0 * math.log(task + 1)))]
        if delay_secs > 0:
            info("Waiting %d secs before starting training.", delay_secs)
            time.sleep(delay_secs)
        return self._trained(self._train_hooks + further, max_steps=self._train_steps)

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> Any:
        """Evaluates the newest checkpoint, after a while.

        Args:
          delay_secs: How long to wait; the `eval_delay_secs` of the experiment if None.
          name: Ends the name of the folder of summaries; "one_pass" if None.
        """
        self._wait_to_evaluate(delay_secs)
        return self.evaluated(name or "one_pass")

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Callable[..., Any] | None = None,
        name: str = "continuous",
    ) -> None:
        """Evaluates and exports new checkpoints until one of step `train_steps` is evaluated.

        Args:
          delay_secs: How long to wait first; the `eval_delay_secs` of the experiment if None.
          throttle_delay_secs: How long it is at least from one evaluation to the next.
          evaluate_checkpoint_only_once: Whether a checkpoint is not evaluated again.
          continuous_eval_predicate_fn: Says whether to go on, for the last results, and if it has
            an argument `checkpoint_path` for that; None for none yet.
          name: Ends the name of the folder of summaries.

        Raises:
          ValueError: `continuous_eval_predicate_fn` is no function.
        """
        goes_on = _predicate(continuous_eval_predicate_fn)
        self._wait_to_evaluate(delay_secs)
        self._evaluate_checkpoints(
            self._eval_input_fn,
            name,
            throttle_delay_secs,
            goes_on,
            once=evaluate_checkpoint_only_once,
            exports=True,
        )

    def continuous_eval_on_train_data(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        continuous_eval_predicate_fn: Callable[..., Any] | None = None,
        name: str = "continuous_on_train_data",
    ) -> None:
        """`continuous_eval` of the input of training; nothing is exported."""
        goes_on = _predicate(continuous_eval_predicate_fn)
        self._wait_to_evaluate(delay_secs)
        self._evaluate_checkpoints(
            self._train_input_fn, name, throttle_delay_secs, goes_on, once=True, exports=False
        )

    def train_and_evaluate(self) -> Any:
        """Trains, evaluates checkpoints meanwhile, and the last one at the end.

        Returns:
          The metrics of the last evaluation, and what was exported.
        """
        return self._train_and_evaluate(self._min_eval_frequency)

    def local_run(self) -> Any:
        """`train_and_evaluate` with `local_eval_frequency`."""
        return self._train_and_evaluate(self._local_eval_frequency)

    def continuous_train_and_eval(
        self, continuous_eval_predicate_fn: Callable[..., Any] | None = None
    ) -> Any:
        """Trains some steps and evaluates, in turns, until step `train_steps` is reached.

        Args:
          continuous_eval_predicate_fn: See `continuous_eval`.

        Returns:
          The metrics of the last evaluation, and what was exported.

        Raises:
          ValueError: `continuous_eval_predicate_fn` is no function.
        """
        goes_on = _predicate(continuous_eval_predicate_fn)
        steps = 1000 if self._train_steps is None else int(self._train_steps / 10)
        if self._steps_at_a_time is not None:
            steps = self._steps_at_a_time
        results = exported = newest = None
        while goes_on(results, checkpoint_path=newest if results else None):
            if self._is_done(results):
                info("Stop training model as max steps reached")
                break
            info("Training model for %s steps", steps)
            self._trained(self._train_hooks, steps=steps)
            info("Evaluating model now.")
            newest = latest_checkpoint(self._estimator.model_dir)
            results = self.evaluated("one_pass", newest)
            exported = self.exported(results)
        return results, exported

    def run_std_server(self) -> None:
        """Serves as a task of the cluster, as parameter servers do, and does not return.

        Raises:
          ValueError: The configuration names no cluster or task.
        """
        self._server().join()

    def test(self) -> Any:
        """Trains, evaluates and exports for a step; gives the metrics."""
        self._trained(self._train_hooks, steps=1)
        results = self.evaluated("one_pass", steps=1, hooks=None)
        self.exported(results)
        return results

    def evaluated(
        self, name: str | None, checkpoint_path: str | None = None, **changes: Any
    ) -> Any:
        """The metrics of a checkpoint; the newest if None.

        Args:
          name: Ends the name of the folder of summaries.
          checkpoint_path: The checkpoint.
          **changes: Arguments of the estimator's method that are not the experiment's.
        """
        options: dict[str, Any] = {
            "input_fn": self._eval_input_fn,
            "steps": self._eval_steps,
            "hooks": self._eval_hooks,
            **({} if self._plain else {"metrics": self._eval_metrics}),
        }
        return self._estimator.evaluate(
            name=name, checkpoint_path=checkpoint_path, **(options | changes)
        )

    def exported(self, results: Any, checkpoint_path: str | None = None) -> list[Any]:
        """What is exported of a checkpoint that has these metrics."""
        folder = os.path.join(self._estimator.model_dir, "export")
        return [
            each.export(
                self._estimator,
                os.path.join(folder, each.name),
                checkpoint_path=checkpoint_path,
                eval_result=results,
            )
            for each in self._exports
        ]

    def _train_and_evaluate(self, frequency: int | None) -> Any:
        config = self._estimator.config
        own = list(self._train_hooks)
        listener = None
        try:
            if self._exports_checkpoints and (
                config.save_checkpoints_secs or config.save_checkpoints_steps
            ):
                listener = _EvaluatesAndExports(self)
                self._train_hooks.append(
                    CheckpointSaverHook(
                        self._estimator.model_dir,
                        save_secs=config.save_checkpoints_secs,
                        save_steps=config.save_checkpoints_steps,
                        listeners=[listener],
                    )
                )
            elif frequency:
                self._train_hooks.append(
                    ValidationMonitor(
                        input_fn=self._eval_input_fn,
                        eval_steps=self._eval_steps,
                        metrics=self._eval_metrics,
                        every_n_steps=frequency,
                        check_interval_secs=self._check_interval_secs,
                        hooks=self._eval_hooks,
                    )
                )
            self.train(delay_secs=0)
        finally:
            self._train_hooks = own
        if listener is not None:
            return listener.results, listener.exported
        results = self.evaluated(None)
        return results, self.exported(results)

    def _trained(self, hooks: Sequence[Any], **ends: int | None) -> Any:
        converted = replace_monitors_with_hooks(hooks, self._estimator)
        if self._plain:
            return self._estimator.train(
                self._train_input_fn, hooks=converted, saving_listeners=self._listeners, **ends
            )
        return self._estimator.fit(input_fn=self._train_input_fn, monitors=converted, **ends)

    def _wait_to_evaluate(self, delay_secs: float | None) -> None:
        seconds = self._eval_delay_secs if delay_secs is None else delay_secs
        if seconds:
            info("Waiting %d secs before starting eval.", seconds)
            time.sleep(seconds)

    def _evaluate_checkpoints(
        self,
        input_fn: Callable[..., Any],
        name: str,
        throttle_secs: float | None,
        goes_on: Callable[..., Any],
        *,
        once: bool,
        exports: bool,
    ) -> None:
        throttle_secs = self._throttle_secs if throttle_secs is None else throttle_secs
        former: str | None = None
        results: Any = None
        warned = -math.inf
        while goes_on(results, checkpoint_path=former) and not self._is_done(results):
            started = time.monotonic()
            newest = latest_checkpoint(self._estimator.model_dir)
            if newest is None or (once and newest == former):
                results = {}
                if started - warned > 600:
                    warning(
                        "No new checkpoint ready for evaluation."
                        if newest
                        else "Estimator is not fitted yet. Will start an evaluation when a "
                        "checkpoint is ready."
                    )
                    warned = started
            else:
                results = self.evaluated(name, newest, input_fn=input_fn) or {}
                if exports:
                    self.exported(results, newest)
                warned, former = -math.inf, newest
            time.sleep(max(throttle_secs - (time.monotonic() - started), 0))

    def _is_done(self, results: Any) -> bool:
        step = (results or {}).get(GraphKeys.GLOBAL_STEP)
        return bool(step and self._train_steps and step >= self._train_steps)

    def _server(self) -> Any:
        config = self._estimator.config
        if not (config.cluster_spec and config.task_type and config.master) or (
            config.task_id is None
        ):
            raise ValueError(
                "Could not start server; be sure to specify cluster_spec, task_type, master, and "
                "task in RunConfig or set the TF_CONFIG environment variable."
            )
        options = config.tf_config if isinstance(config, RunConfig) else config.session_config
        return Server(config.cluster_spec, config.task_type, config.task_id, config=options)


def _predicate(given: Callable[..., Any] | None) -> Callable[..., Any]:
    """What says whether to go on, for results and a checkpoint."""
    if given is None:
        return lambda results, checkpoint_path: True
    if not callable(given):
        raise ValueError("`continuous_eval_predicate_fn` must be a callable, or None.")
    asked = given
    if "checkpoint_path" in argument_names(given):
        return asked
    return lambda results, checkpoint_path: asked(results)
