"""tf.contrib.learn.learn_runner: runs an experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.learn.experiment import Experiment


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
      schedule: The name of the method: `train_and_evaluate` if None.
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
    if run_config is not None:
        experiment = experiment_fn(run_config, hparams)
    else:
        experiment = experiment_fn(output_dir=output_dir)
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"Experiment builder did not return an Experiment instance, got {type(experiment)} "
            "instead."
        )
    name = schedule or "train_and_evaluate"
    if not callable(getattr(experiment, name, None)):
        raise ValueError(f"Schedule references non-existent task {name}")
    return getattr(experiment, name)()
