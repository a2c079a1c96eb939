"""Hooks that look at values: one logs them, one stops at a NaN."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dataflow.training.hooks.elements import graph_element
from dataflow.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from dataflow.training.hooks.timers import NeverTriggerTimer, SecondOrStepTimer
from dataflow.values import logging


class LoggingTensorHook(SessionRunHook):
    """Logs tensors every so many steps or seconds, at the end, or both."""

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[Mapping[Any, Any]], str] | None = None,
    ) -> None:
        """Makes a hook.

        Args:
          tensors: Tensors or their names, by tags or in a list.
          every_n_iter: How many steps from one time to the next.
          every_n_secs: How many seconds.
          at_end: Whether to log at the end as well.
          formatter: Makes the text of values by tag.

        Raises:
          ValueError: It is not clear when to log.
        """
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs "
                "must be provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        by_tag = isinstance(tensors, dict)
        self._tag_order: Sequence[Any] = sorted(tensors) if by_tag else tensors
        self._tensors = tensors if by_tag else {tensor: tensor for tensor in tensors}
        self._formatter = formatter
        self._timer: SecondOrStepTimer | NeverTriggerTimer = (
            NeverTriggerTimer()
            if only_at_end
            else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
        )
        self._log_at_end = at_end

    def begin(self) -> None:
        """See `SessionRunHook`."""
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = {tag: graph_element(value) for tag, value in self._tensors.items()}

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """See `SessionRunHook`."""
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """See `SessionRunHook`."""
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session: Any) -> None:
        """See `SessionRunHook`."""
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, tensor_values: Mapping[Any, Any]) -> None:
        """Logs the values of the tensors, by tag; subclasses log them otherwise."""
        elapsed, _ = self._timer.update_last_triggered_step(self._iter_count)
        with np.printoptions(suppress=True):
            if self._formatter is not None:
                logging.info(self._formatter(tensor_values))
                return
            text = ", ".join(f"{tag} = {tensor_values[tag]!s}" for tag in self._tag_order)
        if elapsed is None:
            logging.info("%s", text)
        else:
            logging.info("%s (%.3f sec)", text, elapsed)


class NanLossDuringTrainingError(RuntimeError):
    """The loss became NaN."""

    def __str__(self) -> str:
        """What happened."""
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Stops, or fails, when the loss is NaN."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        """Makes a hook.

        Args:
          loss_tensor: The loss, or its name.
          fail_on_nan_loss: Whether to raise NanLossDuringTrainingError rather than to stop.
        """
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """See `SessionRunHook`."""
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """See `SessionRunHook`."""
        if not np.isnan(run_values.results):
            return
        failure = "Model diverged with loss = NaN."
        if self._fail_on_nan_loss:
            logging.error(failure)
            raise NanLossDuringTrainingError
        logging.warning(failure)
        run_context.request_stop()
