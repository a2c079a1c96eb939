"""Training until something asks to stop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.training.monitored.training_session import MonitoredTrainingSession


def train(
    train_op: Any,
    logdir: str | None,
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Sequence[Any] | None = None,
    chief_only_hooks: Sequence[Any] | None = None,
    save_checkpoint_secs: int | None = 600,
    save_summaries_steps: int | None = 100,
    config: Any = None,
    max_wait_secs: int = 7200,
    run_metadata: Any = None,
) -> Any:
    """Runs a step in a MonitoredTrainingSession until a hook or an end of data stops it.

    Args:
      train_op: What a step runs; `create_train_op` makes one.
      logdir: Where checkpoints and summaries go.
      master: The session's target.
      is_chief: Whether this task makes the variables and writes to `logdir`.
      scaffold: See `MonitoredTrainingSession`; so are the arguments that follow.
      hooks: Hooks of every task.
      chief_only_hooks: Hooks of the chief.
      save_checkpoint_secs: Seconds between checkpoints; None for no checkpoints.
      save_summaries_steps: Steps between summaries; None for no summaries.
      config: The session's.
      max_wait_secs: How long a task that is not the chief waits for it.
      run_metadata: Is filled by every step.

    Returns:
      What the last step gave; None if there was none.

    Raises:
      ValueError: If there is something to save, and no folder to do so.
    """
    if logdir is None and is_chief:
        for name, value in (
            ("save_summaries_steps", save_summaries_steps),
            ("save_checkpoint_secs", save_checkpoint_secs),
        ):
            if value:
                raise ValueError(f"logdir cannot be None when {name} is not None")
    with MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
        max_wait_secs=max_wait_secs,
    ) as session:
        last = None
        while not session.should_stop():
            last = session.run(train_op, run_metadata=run_metadata)
    return last
