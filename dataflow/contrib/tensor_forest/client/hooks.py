"""Hooks of forests' training: an end when the loss stands still, operations at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dataflow.training.global_step import get_global_step
from dataflow.training.hooks.session_run_hook import SessionRunArgs, SessionRunHook
from dataflow.values import logging

LOSS_NAME: Final = "rf_training_loss"


class TensorForestRunOpAtEndHook(SessionRunHook):
    """Runs operations before the session ends, and logs what they give."""

    def __init__(self, op_dict: Mapping[str, Any]) -> None:
        """Takes operations by name; they run in the order of their names."""
        self._ops = op_dict

    def end(self, session: Any) -> None:
        """See `SessionRunHook`."""
        for name in sorted(self._ops):
            logging.info(f"{name}: {session.run(self._ops[name])}")


class TensorForestLossHook(SessionRunHook):
    """Ends training when the loss has not fallen for some steps."""

    def __init__(
        self,
        early_stopping_rounds: int,
        early_stopping_loss_threshold: Any = None,
        loss_op: Any = None,
    ) -> None:
        """Takes what the loss must do.

        Args:
          early_stopping_rounds: For how many steps it may stand still.
          early_stopping_loss_threshold: By which part of itself it must fall.
          loss_op: The loss; the operation of the name `LOSS_NAME` if None.
        """
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_loss_threshold = early_stopping_loss_threshold
        self.loss_op = loss_op
        self.min_loss: Any = None
        self.last_step = -1
        self.steps = 0

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """See `SessionRunHook`."""
        loss = self.loss_op
        if loss is None:
            loss = run_context.session.graph.get_operation_by_name(LOSS_NAME).outputs[0]
        return SessionRunArgs({"global_step": get_global_step(), "current_loss": loss})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """See `SessionRunHook`."""
        loss = run_values.results["current_loss"]
        step = run_values.results["global_step"]
        self.steps += 1
        # A recovered session may have gone back to an earlier step.
        if self.last_step == -1 or self.last_step > step:
            logging.info("TensorForestLossHook resetting last_step.")
            self.last_step = step
            self.steps = 0
            self.min_loss = None
            return
        self.last_step = step
        if self.min_loss is None or loss < (
            self.min_loss - self.min_loss * self.early_stopping_loss_threshold
        ):
            self.min_loss = loss
            self.steps = 0
        if self.steps > self.early_stopping_rounds:
            logging.info("TensorForestLossHook requesting stop.")
            run_context.request_stop()
