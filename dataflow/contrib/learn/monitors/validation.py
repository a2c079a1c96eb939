"""A monitor that evaluates checkpoints, and ends a training that no longer gets better."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.monitors.base import EveryN
from dataflow.saving.state import latest_checkpoint
from dataflow.values import logging


class ValidationMonitor(EveryN):
    """Evaluates the newest checkpoint every so many steps."""

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[..., Any] | None = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Any = None,
        hooks: Any = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        """Makes a monitor.

        Args:
          x: See `tf.contrib.learn.Estimator.evaluate`.
          y: See there.
          input_fn: See there.
          batch_size: See there.
          eval_steps: How many steps an evaluation has.
          every_n_steps: Every how many steps of the training it looks for a checkpoint.
          metrics: See there.
          hooks: See there.
          early_stopping_rounds: After how many steps without a better metric training ends.
          early_stopping_metric: Which metric.
          early_stopping_metric_minimize: Whether less is better.
          name: Ends the name of the folder of summaries.
          check_interval_secs: How long it is at least from one look to the next.

        Raises:
          ValueError: Neither `x` nor `input_fn` is given.
        """
        super().__init__(every_n_steps=every_n_steps, first_n_steps=-1)
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self.x, self.y, self.input_fn = x, y, input_fn
        self.batch_size, self.eval_steps = batch_size, eval_steps
        self.metrics, self.hooks, self.name = metrics, hooks, name
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_metric = early_stopping_metric
        self.early_stopping_metric_minimize = early_stopping_metric_minimize
        self._best_value_step: int | None = None
        self._best_value: Any = None
        self._best_metrics: dict[str, Any] | None = None
        self._early_stopped = False
        self._latest: tuple[str, int] | None = None
        self._last_checkpoint_check_time: float | None = None
        self._check_interval_secs = check_interval_secs

    @property
    def early_stopped(self) -> bool:
        """Whether it has ended the training."""
        return self._early_stopped

    @property
    def best_step(self) -> int | None:
        """The step of the best metric."""
        return self._best_value_step

    @property
    def best_value(self) -> Any:
        """The best metric."""
        return self._best_value

    @property
    def best_metrics(self) -> dict[str, Any] | None:
        """All metrics of that step."""
        return self._best_metrics

    def _evaluate(self) -> Any:
        options = {
            "x": self.x,
            "y": self.y,
            "batch_size": self.batch_size,
            "metrics": self.metrics,
        }
        if not isinstance(self._estimator, Estimator):
            if any(value is not None for value in options.values()):
                raise ValueError(
                    "tf.estimator.Estimator does not support following arguments: x, y, "
                    "batch_size, metrics. Should set as `None` in ValidationMonitor"
                )
            options = {}
        return self._estimator.evaluate(
            input_fn=self.input_fn,
            steps=self.eval_steps,
            hooks=self.hooks,
            name=self.name,
            **options,
        )

    def _new_checkpoint(self, step: int) -> bool:
        """Whether there is one that was not evaluated, and it is time to look."""
        now, last = time.time(), self._last_checkpoint_check_time
        interval = self._check_interval_secs
        if interval is not None and last is not None and now - last <= interval:
            logging.debug(
                "Skipping evaluation since less than %d seconds have passed since last check for "
                "a new checkpoint.",
                interval,
            )
            return False
        self._last_checkpoint_check_time = now
        path = latest_checkpoint(self._estimator.model_dir)
        if path is None:
            logging.debug(
                "Skipping evaluation since model has not been saved yet at step %d.", step
            )
            return False
        if self._latest is not None and path == self._latest[0]:
            logging.debug(
                "Skipping evaluation due to same checkpoint %s for step %d as for step %d.",
                path,
                step,
                self._latest[1],
            )
            return False
        self._latest = path, step
        return True

    def every_n_step_end(self, step: int, outputs: Any) -> Any:
        """Evaluates; True if the training is to end.

        Raises:
          ValueError: There is no estimator, or no such metric.
        """
        super().every_n_step_end(step, outputs)
        if self._estimator is None:
            raise ValueError("Missing call to set_estimator.")
        if not self._new_checkpoint(step):
            return False
        found = self._evaluate()
        stats = ", ".join(f"{name} = {value}" for name, value in found.items())
        logging.info("Validation (step %d): %s", step, stats)
        if self.early_stopping_rounds is None:
            return False
        metric = self.early_stopping_metric
        if metric not in found:
            raise ValueError(f"Metric {metric} missing from outputs {set(found)}.")
        value, best = found[metric], self._best_value
        if best is None or (value < best if self.early_stopping_metric_minimize else value > best):
            self._best_value, self._best_value_step = value, step
            self._best_metrics = copy.deepcopy(found)
        assert self._best_value_step is not None
        if step - self._best_value_step < self.early_stopping_rounds:
            return False
        logging.info(
            f"Stopping. Best step: {self._best_value_step} with {metric} = {self._best_value}."
        )
        self._early_stopped = True
        return True
