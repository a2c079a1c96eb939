"""How an estimator trains: the session with its hooks, and the loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.estimation.cluster_environment import TaskType
from dataflow.estimation.run_config import RunConfig
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.library.summaries.values import scalar
from dataflow.saving.saver import Saver
from dataflow.training.hooks.checkpoint_saver import CheckpointSaverHook
from dataflow.training.hooks.logging_tensor import LoggingTensorHook, NanTensorHook
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.training.hooks.step_counter import StepCounterHook
from dataflow.training.hooks.summary_saver import SummarySaverHook
from dataflow.training.monitored.training_session import MonitoredTrainingSession
from dataflow.values import logging


def summarize_loss(loss: Any) -> None:
    """Makes a summary "loss", unless there is one."""
    found = scopes.get_collection(GraphKeys.SUMMARIES)
    if not any(each.op.name == "loss" for each in found):
        scalar("loss", loss)


def train_model(
    spec: Any,
    config: RunConfig,
    input_hooks: Sequence[SessionRunHook],
    hooks: Sequence[SessionRunHook],
    global_step: Any,
    listeners: Sequence[Any],
) -> Any:
    """Trains what an EstimatorSpec describes, in the default graph, until a hook stops it.

    Returns:
      The loss of the last step; None if there was none.

    Raises:
      ValueError: There are listeners, but nothing saves checkpoints.
    """
    scopes.add_to_collection(GraphKeys.LOSSES, spec.loss)
    worker_hooks = [*input_hooks, *hooks, NanTensorHook(spec.loss)]
    if config.log_step_count_steps is not None:
        shown = {"loss": spec.loss, "step": global_step}
        worker_hooks.append(LoggingTensorHook(shown, every_n_iter=config.log_step_count_steps))
    worker_hooks += spec.training_hooks
    if not (spec.scaffold.saver or scopes.get_collection(GraphKeys.SAVERS)):
        saver = Saver(
            sharded=True,
            max_to_keep=config.keep_checkpoint_max,
            keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
            defer_build=True,
            save_relative_paths=True,
        )
        scopes.add_to_collection(GraphKeys.SAVERS, saver)
    saving = _saving_hooks(spec, config, worker_hooks, listeners)
    summary_steps, log_steps = config.save_summary_steps, config.log_step_count_steps
    if _has_master_and_workers(config):
        # The first worker writes summaries, however long the master evaluates.
        if config.task_type == TaskType.WORKER and config.task_id == 0:
            worker_hooks += _recording_hooks(spec, config)
        summary_steps, log_steps = 0, None
    loss, made_steps = None, False
    with MonitoredTrainingSession(
        master=config.master,
        is_chief=config.is_chief,
        checkpoint_dir=config.model_dir,
        scaffold=spec.scaffold,
        hooks=worker_hooks,
        chief_only_hooks=(*saving, *spec.training_chief_hooks),
        # A hook saves.
        save_checkpoint_secs=0,
        save_summaries_steps=summary_steps,
        config=config.session_config,
        max_wait_secs=config.session_creation_timeout_secs,
        log_step_count_steps=log_steps,
    ) as session:
        while not session.should_stop():
            _, loss = session.run([spec.train_op, spec.loss])
            made_steps = True
    if not made_steps:
        logging.warning(
            "Training with estimator made no steps. Perhaps input is empty or misspecified."
        )
    return loss


def _saving_hooks(
    spec: Any, config: RunConfig, hooks: Sequence[SessionRunHook], listeners: Sequence[Any]
) -> list[SessionRunHook]:
    """The hook that saves, unless there is one; it calls the listeners."""
    all_hooks = [*hooks, *spec.training_chief_hooks]
    saving = [hook for hook in all_hooks if isinstance(hook, CheckpointSaverHook)]
    made: list[SessionRunHook] = []
    if not saving and (config.save_checkpoints_secs or config.save_checkpoints_steps):
        hook = CheckpointSaverHook(
            config.model_dir,
            save_secs=config.save_checkpoints_secs,
            save_steps=config.save_checkpoints_steps,
            scaffold=spec.scaffold,
        )
        saving, made = [hook], [hook]
    if listeners:
        if not saving:
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. Please set one of "
                "the RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
            )
        for listener in listeners:
            if listener not in saving[0]._listeners:
                saving[0]._listeners.append(listener)
    return made


def _has_master_and_workers(config: RunConfig) -> bool:
    jobs = config.cluster_spec.jobs if config.cluster_spec else []
    return TaskType.WORKER in jobs and TaskType.MASTER in jobs


def _recording_hooks(spec: Any, config: RunConfig) -> list[SessionRunHook]:
    hooks: list[SessionRunHook] = []
    if config.save_summary_steps and config.save_summary_steps > 0:
        hooks.append(
            SummarySaverHook(
                save_steps=config.save_summary_steps,
                output_dir=config.model_dir,
                scaffold=spec.scaffold,
            )
        )
    if config.log_step_count_steps and config.log_step_count_steps > 0:
        hooks.append(StepCounterHook(config.log_step_count_steps, output_dir=config.model_dir))
    return hooks
