"""Arguments of an estimator's methods, checked, and the hooks that numbers of steps become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.training.evaluation import StopAfterNEvalsHook
from dataflow.training.hooks.checkpoint_saver import CheckpointSaverListener
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.training.hooks.stop_at_step import StopAtStepHook


def checked_hooks(hooks: Sequence[SessionRunHook] | None) -> list[SessionRunHook]:
    """A new list of hooks.

    Raises:
      TypeError: One is no SessionRunHook.
    """
    found = list(hooks or [])
    for hook in found:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"Hooks must be a SessionRunHook, given: {hook}")
    return found


def checked_listeners(listeners: Sequence[Any] | None) -> list[Any]:
    """A new list of listeners.

    Raises:
      TypeError: One is no CheckpointSaverListener.
    """
    found = list(listeners or [])
    for listener in found:
        if not isinstance(listener, CheckpointSaverListener):
            raise TypeError(
                f"saving_listeners must be a list of CheckpointSaverListener, given: {listener}"
            )
    return found


def train_stop(steps: int | None, max_steps: int | None) -> SessionRunHook | None:
    """The hook that ends training; None if the input does.

    Raises:
      ValueError: Both are given, or one is not positive.
    """
    if steps is not None and max_steps is not None:
        raise ValueError("Can not provide both steps and max_steps.")
    if steps is not None and steps <= 0:
        raise ValueError(f"Must specify steps > 0, given: {steps}")
    if max_steps is not None and max_steps <= 0:
        raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
    if steps is None and max_steps is None:
        return None
    return StopAtStepHook(steps, max_steps)


def evaluation_stop(steps: int | None) -> SessionRunHook | None:
    """The hook that ends an evaluation; None if the input does.

    Raises:
      ValueError: The number is not positive.
    """
    if steps is None:
        return None
    if steps <= 0:
        raise ValueError(f"Must specify steps > 0, given: {steps}")
    return StopAfterNEvalsHook(num_evals=steps)
