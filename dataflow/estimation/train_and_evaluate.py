"""train_and_evaluate: training with evaluations between, here or by the tasks of a cluster."""

from __future__ import annotations

import os
import time
from typing import Any, Final, NamedTuple

from dataflow.estimation.cluster_environment import TaskType
from dataflow.estimation.estimator import Estimator
from dataflow.estimation.train_specs import EvalSpec, TrainSpec
from dataflow.graph.keys import GraphKeys
from dataflow.session.server import Server
from dataflow.training.hooks.checkpoint_saver import CheckpointSaverListener
from dataflow.training.hooks.timers import SecondOrStepTimer
from dataflow.values import logging

_LONGEST_DELAY: Final = 60
_DELAY: Final = 5
_MISSING, _OLD, _DONE = "missing checkpoint", "no new checkpoint", "evaluated"


class _Result(NamedTuple):
    status: str
    metrics: Any = None
    exports: Any = ()


class _Evaluator:
    """Evaluates and exports the newest checkpoint, unless it has done so."""

    def __init__(self, estimator: Estimator, spec: EvalSpec, max_steps: int | None) -> None:
        self._estimator, self._spec, self._max_steps = estimator, spec, max_steps
        self._last: str | None = None
        self._warned = 0.0

    def evaluate(self) -> _Result:
        path = self._estimator.latest_checkpoint()
        if not path:
            self._warn(
                "Estimator is not trained yet. Will start an evaluation when a checkpoint is ready."
            )
            return _Result(_MISSING)
        if path == self._last:
            self._warn(
                f"No new checkpoint ready for evaluation. Skip the current evaluation pass as "
                f"evaluation results are expected to be same for the same checkpoint: {path}"
            )
            return _Result(_OLD)
        metrics = self._estimator.evaluate(
            input_fn=self._spec.input_fn,
            steps=self._spec.steps,
            name=self._spec.name,
            checkpoint_path=path,
            hooks=self._spec.hooks,
        )
        if not metrics or GraphKeys.GLOBAL_STEP not in metrics:
            raise RuntimeError("Internal error: `Estimator.evaluate` gave no global step.")
        self._last = path
        is_last = bool(self._max_steps and metrics[GraphKeys.GLOBAL_STEP] >= self._max_steps)
        exports = [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(self._estimator.model_dir, "export", exporter.name),
                checkpoint_path=path,
                eval_result=metrics,
                is_the_final_export=is_last,
            )
            for exporter in self._spec.exporters
        ]
        return _Result(_DONE, metrics, exports)

    def _warn(self, text: str) -> None:
        """At most once in ten minutes."""
        if time.monotonic() - self._warned > 600 or not self._warned:
            logging.warning(text)
            self._warned = time.monotonic()


class _EvaluateOnSave(CheckpointSaverListener):
    """Evaluates where a checkpoint was saved, but for the first, and at the end."""

    def __init__(self, evaluator: _Evaluator, throttle_secs: float) -> None:
        self._evaluator = evaluator
        self._throttle_secs = throttle_secs
        self.result: _Result | None = None

    def begin(self) -> None:
        self._timer = SecondOrStepTimer(every_secs=self._throttle_secs)
        self._is_first = True

    def after_save(self, session: Any, global_step_value: Any) -> None:
        if self._is_first:
            # The first one is saved before the first step.
            self._is_first = False
            return
        if self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            logging.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._throttle_secs,
            )

    def end(self, session: Any, global_step_value: Any) -> None:
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, global_step: Any) -> None:
        self._timer.update_last_triggered_step(global_step)
        self.result = self._evaluator.evaluate()
        if self.result.status != _DONE:
            raise RuntimeError(
                f"There was no new checkpoint after the training. Eval status: {self.result.status}"
            )


def train_and_evaluate(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    """Trains, and evaluates and exports checkpoints between.

    Without a cluster in TF_CONFIG all of it is done here. With one this does what its task is
    for: `chief`, `master` and `worker` train, `ps` serves, `evaluator` evaluates new checkpoints
    until training has ended.

    Args:
      estimator: The estimator.
      train_spec: How to train.
      eval_spec: How to evaluate.

    Returns:
      The metrics of the last evaluation and what was exported after it; None in a cluster.

    Raises:
      TypeError: An argument is of another type.
      ValueError: There is no such task.
    """
    if not isinstance(eval_spec, EvalSpec):
        raise TypeError(
            f"`eval_spec` must have type `tf.estimator.EvalSpec`. Got: {type(eval_spec)}"
        )
    if not isinstance(estimator, Estimator):
        raise TypeError(
            f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}"
        )
    if not isinstance(train_spec, TrainSpec):
        raise TypeError(
            f"`train_spec` must have type `tf.estimator.TrainSpec`. Got: {type(train_spec)}"
        )
    config = estimator.config
    if config.task_type == TaskType.EVALUATOR and config.task_id > 0:
        raise ValueError(
            "For distributed training, there can only be one `evaluator` task (with task id 0).  "
            f"Given task id {config.task_id}"
        )
    if not config.cluster_spec and config.task_type != TaskType.EVALUATOR:
        logging.info("Running training and evaluation locally (non-distributed).")
        return _run_locally(estimator, train_spec, eval_spec)
    roles = {
        TaskType.CHIEF: _train,
        TaskType.WORKER: _train,
        TaskType.MASTER: _train_with_evaluations,
        TaskType.PS: _serve,
        TaskType.EVALUATOR: _evaluate_until_trained,
    }
    if config.task_type not in roles:
        raise ValueError(
            f"Task type {config.task_type} is not supported. Supported task types are {list(roles)}"
        )
    roles[config.task_type](estimator, train_spec, eval_spec)
    return None


def _run_locally(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    config = estimator.config
    logging.info(
        "Start train and evaluate loop. The evaluate will happen after every checkpoint. "
        "Checkpoint frequency is determined based on RunConfig arguments: save_checkpoints_steps "
        "%s or save_checkpoints_secs %s.",
        config.save_checkpoints_steps,
        config.save_checkpoints_secs,
    )
    listener = _listener(estimator, train_spec, eval_spec)
    estimator.train(
        input_fn=train_spec.input_fn,
        max_steps=train_spec.max_steps,
        hooks=train_spec.hooks,
        saving_listeners=[*train_spec.saving_listeners, listener],
    )
    result = listener.result or _Result(_MISSING)
    return result.metrics, result.exports


def _listener(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> _EvaluateOnSave:
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    return _EvaluateOnSave(evaluator, eval_spec.throttle_secs)


def _train(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    _train_in_cluster(estimator, train_spec, [])


def _train_with_evaluations(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> None:
    _train_in_cluster(estimator, train_spec, [_listener(estimator, train_spec, eval_spec)])


def _train_in_cluster(estimator: Estimator, spec: TrainSpec, listeners: list[Any]) -> None:
    config = estimator.config
    server = _start_server(estimator) if config.master.startswith("grpc://") else None
    if server is not None:
        # Servers are joined by way of Ray, and not by their addresses.
        estimator._config._master = server.target
    if config.task_type == TaskType.WORKER:
        longest = config.experimental_max_worker_delay_secs
        longest = _LONGEST_DELAY if longest is None else longest
        delay = min(longest, (config.task_id + 1) * _DELAY)
        if delay > 0:
            logging.info("Waiting %d secs before starting training.", delay)
            time.sleep(delay)
    estimator.train(
        input_fn=spec.input_fn,
        max_steps=spec.max_steps,
        hooks=spec.hooks,
        saving_listeners=[*spec.saving_listeners, *listeners],
    )


def _serve(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    _start_server(estimator).join()


def _start_server(estimator: Estimator) -> Server:
    config = estimator.config
    logging.info("Start Tensorflow server.")
    return Server(
        config.cluster_spec,
        job_name=config.task_type,
        task_index=config.task_id,
        config=config.session_config,
        protocol=config.protocol,
    )


def _evaluate_until_trained(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> None:
    if eval_spec.start_delay_secs:
        logging.info("Waiting %f secs before starting eval.", eval_spec.start_delay_secs)
        time.sleep(eval_spec.start_delay_secs)
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    while True:
        start = time.monotonic()
        result = evaluator.evaluate()
        step = result.metrics[GraphKeys.GLOBAL_STEP] if result.metrics else 0
        if train_spec.max_steps and step >= train_spec.max_steps:
            logging.info(
                "Exiting evaluation, global_step=%s >= train max_steps=%s",
                step,
                train_spec.max_steps,
            )
            return
        left = eval_spec.throttle_secs - (time.monotonic() - start)
        if left > 0:
            logging.info("Waiting %f secs before starting next eval run.", left)
            time.sleep(left)
