"""Experiment: an estimator with the inputs of its training and its evaluation."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.monitor_hooks import replace_monitors_with_hooks
from dataflow.estimation.train_and_evaluate import train_and_evaluate
from dataflow.estimation.train_specs import EvalSpec, TrainSpec


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
    ) -> None:
        """Takes what both need.

        Args:
          estimator: The estimator.
          train_input_fn: Gives the input of training.
          eval_input_fn: Gives the input of evaluation.
          eval_metrics: By name further metrics, MetricSpecs.
          train_steps: At which global step to end.
          eval_steps: How many steps an evaluation has.
          train_monitors: Monitors and hooks of training.
          eval_hooks: Hooks of evaluation.
          local_eval_frequency: The older name of `min_eval_frequency`.
          eval_delay_secs: How long an evaluator waits before it begins.
          continuous_eval_throttle_secs: How long it is from one evaluation to the next.
          min_eval_frequency: Evaluations come with checkpoints; not used.
          delay_workers_by_global_step: Not used.
          export_strategies: An ExportStrategy, or a list of them: what is exported at the end.
          train_steps_per_iteration: Not used.
          checkpoint_and_export: Not used.
          saving_listeners: Are called when a checkpoint is saved.
        """
        self._estimator = estimator
        self._train_input_fn = train_input_fn
        self._eval_input_fn = eval_input_fn
        self._eval_metrics = eval_metrics
        self._train_steps = train_steps
        self._eval_steps = eval_steps
        self._train_hooks: list[Any] = list(train_monitors or [])
        self._eval_hooks = list(eval_hooks or [])
        # A strategy is a tuple, too.
        listed = type(export_strategies) in (list, tuple)
        self._exports = export_strategies if listed else [export_strategies]
        self._eval_delay_secs = eval_delay_secs
        self._throttle_secs = continuous_eval_throttle_secs
        self._listeners = list(saving_listeners or [])

    @property
    def estimator(self) -> Any:
        """The estimator."""
        return self._estimator

    @property
    def train_steps(self) -> int | None:
        """At which global step training ends."""
        return self._train_steps

    @property
    def eval_steps(self) -> int | None:
        """How many steps an evaluation has."""
        return self._eval_steps

    def extend_train_hooks(self, additional_hooks: Sequence[Any]) -> None:
        """Adds hooks of training."""
        self._train_hooks.extend(additional_hooks)

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains."""
        return self._estimator.train(
            self._train_input_fn,
            hooks=replace_monitors_with_hooks(self._train_hooks, self._estimator),
            max_steps=self._train_steps,
            saving_listeners=self._listeners,
        )

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> Any:
        """Evaluates the newest checkpoint."""
        options: dict[str, Any] = {"steps": self._eval_steps, "hooks": self._eval_hooks}
        if isinstance(self._estimator, Estimator):
            options["metrics"] = self._eval_metrics
        return self._estimator.evaluate(input_fn=self._eval_input_fn, name=name, **options)

    def train_and_evaluate(self) -> Any:
        """Trains, with evaluations between if no metrics are added, and evaluates at the end.

        Returns:
          The metrics of the last evaluation, and what was exported.
        """
        if not isinstance(self._estimator, Estimator):
            results, _ = train_and_evaluate(
                self._estimator,
                TrainSpec(
                    self._train_input_fn,
                    self._train_steps,
                    replace_monitors_with_hooks(self._train_hooks, self._estimator),
                    self._listeners,
                ),
                EvalSpec(
                    self._eval_input_fn,
                    self._eval_steps,
                    hooks=self._eval_hooks,
                    start_delay_secs=self._eval_delay_secs,
                    throttle_secs=self._throttle_secs,
                ),
            )
        else:
            self.train()
            results = self.evaluate()
        return results, self._exported(results)

    local_run = train_and_evaluate

    def test(self) -> Any:
        """Trains and evaluates for a step."""
        hooks = replace_monitors_with_hooks(self._train_hooks, self._estimator)
        self._estimator.train(self._train_input_fn, steps=1, hooks=hooks)
        return self.evaluate(name="one_pass"), []

    def _exported(self, results: Any) -> list[Any]:
        folder = os.path.join(self._estimator.model_dir, "export")
        newest = self._estimator.latest_checkpoint()
        return [
            each.export(self._estimator, os.path.join(folder, each.name), newest, results)
            for each in self._exports
            if each is not None
        ]
