"""Training by slim, with masks that are renewed after each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.contrib.slim.learning as slim_learning


def train(
    train_op: Any,
    logdir: str | None,
    mask_update_op: Any,
    train_step_fn: Callable[..., tuple[Any, Any]] = slim_learning.train_step,
    *arguments: Any,
    **options: Any,
) -> Any:
    """Trains; see `tf.contrib.slim.learning.train`.

    Args:
      train_op: Trains, and gives the loss.
      logdir: Folder of checkpoints and events; None for none.
      mask_update_op: Runs after each step.
      train_step_fn: Makes a step.
      *arguments: Those that follow in slim's function.
      **options: The same by name.

    Returns:
      The last loss.
    """

    def step(session: Any, *args: Any) -> tuple[Any, Any]:
        found = train_step_fn(session, *args)
        session.run(mask_update_op)
        return found

    return slim_learning.train(train_op, logdir, step, *arguments, **options)
