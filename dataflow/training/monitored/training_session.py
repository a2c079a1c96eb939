"""MonitoredTrainingSession: a monitored session with the hooks that training wants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dataflow.training.hooks.checkpoint_saver import CheckpointSaverHook
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.training.hooks.step_counter import StepCounterHook
from dataflow.training.hooks.summary_saver import SummarySaverHook
from dataflow.training.monitored.monitored_session import MonitoredSession
from dataflow.training.monitored.scaffold import Scaffold
from dataflow.training.monitored.session_creators import (
    ChiefSessionCreator,
    SessionCreator,
    WorkerSessionCreator,
)

USE_DEFAULT: Final = object()
"""Stands for an argument that was not given, where None says something."""


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """A MonitoredSession of the chief, which saves and restores the model, or of a worker.

    Args:
      master: The session's target.
      is_chief: Whether it initialises or restores the model, rather than waiting for that.
      checkpoint_dir: Where its checkpoints are.
      scaffold: Initialises the model; made if None.
      hooks: Are called before and after each step.
      chief_only_hooks: The same, for the chief only.
      save_checkpoint_secs: Seconds from one checkpoint to the next; None for none by time. By
        default 600, unless `save_checkpoint_steps` is given.
      save_summaries_steps: Steps from one summary to the next. By default 100, unless
        `save_summaries_secs` is given.
      save_summaries_secs: Seconds.
      config: The session's ConfigProto.
      stop_grace_period_secs: How long threads may take to end.
      log_step_count_steps: Steps from one logged speed to the next; None for none.
      max_wait_secs: How long a worker waits for the chief.
      save_checkpoint_steps: Steps from one checkpoint to the next.
      summary_dir: Where summaries go; `checkpoint_dir` if None.
      save_graph_def: Whether the graph is written beside the checkpoints.
    """
    save_summaries_steps, save_summaries_secs = _either(
        save_summaries_steps, save_summaries_secs, (100, None)
    )
    save_checkpoint_steps, save_checkpoint_secs = _either(
        save_checkpoint_steps, save_checkpoint_secs, (None, 600)
    )
    scaffold = scaffold or Scaffold()
    if not is_chief:
        waiting = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(waiting, hooks, stop_grace_period_secs)
    all_hooks = list(chief_only_hooks or ())
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir and log_step_count_steps and log_step_count_steps > 0:
        all_hooks.append(StepCounterHook(log_step_count_steps, output_dir=summary_dir))
    if summary_dir and _is_wanted(save_summaries_steps, save_summaries_secs):
        all_hooks.append(
            SummarySaverHook(
                save_steps=save_summaries_steps,
                save_secs=save_summaries_secs,
                output_dir=summary_dir,
                scaffold=scaffold,
            )
        )
    creator: SessionCreator = ChiefSessionCreator(
        scaffold, master, config, checkpoint_dir=checkpoint_dir
    )
    if checkpoint_dir and _is_wanted(save_checkpoint_secs, save_checkpoint_steps):
        all_hooks.append(
            CheckpointSaverHook(
                checkpoint_dir,
                save_secs=save_checkpoint_secs,
                save_steps=save_checkpoint_steps,
                scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    all_hooks.extend(hooks or ())
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)


def _either(steps: Any, seconds: Any, default: tuple[Any, Any]) -> tuple[Any, Any]:
    """Steps and seconds; what is not given is None, and both are the default if neither is."""
    if steps is USE_DEFAULT and seconds is USE_DEFAULT:
        return default
    return (
        None if steps is USE_DEFAULT else steps,
        None if seconds is USE_DEFAULT else seconds,
    )


def _is_wanted(*amounts: Any) -> bool:
    return any(amount and amount > 0 for amount in amounts)
