"""tf.contrib.learn.learn_runner: runs an experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.learn.experiment import Experiment
from dataflow.estimation.cluster_environment import TaskType


def run(
    experiment_fn: Callable[..., Any],
    output_dir: Any = None,
    schedule: str | None = None,
    run_config: Any = None,
    hparams: Any = None,
) -> Any:
    """Makes an experiment and calls one of its methods.

    Args:
      experiment_fn: Gives it, for `run_config` and `hparams`, or for `output_dir`.
      output_dir: A folder.
      schedule: The name of the method; if None `run_std_server` of a parameter server and `train`
        of a worker in a cluster, and `train_and_evaluate` of all others.
      run_config: A RunConfig with a folder.
      hparams: Hyperparameters.

    Returns:
      What the method does.

    Raises:
      ValueError: Neither or both of folder and configuration are given, or there is no method.
      TypeError: It is no experiment.
    """
    if not callable(experiment_fn):
        raise TypeError(f"Experiment builder [{experiment_fn}] is not callable.")
    if (output_dir is None) == (run_config is None):
        raise ValueError("Must set value for exactly one of `output_dir` and `run_config`.")
    experiment = (
        experiment_fn(output_dir=output_dir)
        if run_config is None
        else experiment_fn(run_config, hparams)
    )
    _check(experiment)
    name = schedule or _schedule(run_config or experiment.estimator.config)
    if not hasattr(experiment, name):
        raise ValueError(f"Schedule references non-existent task {name}")
    if not callable(getattr(experiment, name)):
        raise TypeError(f"Schedule references non-callable member {name}")
    return getattr(experiment, name)()


def tune(experiment_fn: Callable[..., Any], tuner: Any) -> None:
    """Runs trials of an experiment as long as a tuner has another.

    Args:
      experiment_fn: Gives an experiment for `run_config` and `hparams`.
      tuner: Has `next_trial`, which says whether there is one, and `run_experiment`, which takes
        a function of `run_config` and `hparams` that gives the experiment.

    Raises:
      ValueError: The tuner gives no hyperparameters.
      TypeError: It is no experiment.
    """

    def made(run_config: Any, hparams: Any) -> Any:
        if hparams is None:
            raise ValueError("`hparams` cannot be `None`.")
        experiment = experiment_fn(run_config, hparams)
        _check(experiment)
        return experiment

    while tuner.next_trial():
        tuner.run_experiment(made)


def _check(experiment: Any) -> None:
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"Experiment builder did not return an Experiment instance, got {type(experiment)} "
            "instead."
        )


def _schedule(config: Any) -> str:
    spec = config.cluster_spec
    if not spec or sum(spec.num_tasks(job) for job in spec.jobs) < 2:
        return "train_and_evaluate"
    by_task = {TaskType.PS: "run_std_server", TaskType.WORKER: "train"}
    return by_task.get(config.task_type, "train_and_evaluate")
