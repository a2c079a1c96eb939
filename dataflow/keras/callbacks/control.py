"""Callbacks that change how training goes on."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras.callbacks.base import Callback
from dataflow.keras.progress import show
from dataflow.values import logging


def better(monitor: str, mode: str) -> tuple[Callable[[Any, Any], bool], float, str]:
    """What is better of a value: a comparison, the worst value, and "min" or "max"."""
    if mode not in ("auto", "min", "max"):
        warnings.warn(f"mode {mode} is unknown, fallback to auto mode.", stacklevel=3)
        mode = "auto"
    if mode == "auto":
        rises = "acc" in monitor or monitor.startswith("fmeasure")
        mode = "max" if rises else "min"
    if mode == "max":
        return np.greater, -np.inf, mode
    return np.less, np.inf, mode


class TerminateOnNaN(Callback):
    """Ends training when the loss is no number."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Looks at the loss."""
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            show(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class EarlyStopping(Callback):
    """Ends training when a value has not become better for some epochs.

    Args:
      monitor: Name of the value.
      min_delta: Least change that counts.
      patience: Epochs without one, after which training ends.
      verbose: 1 for a line when it does.
      mode: Whether "min" or "max" is better; "auto" goes by the name.
      baseline: What must be reached at first.
      restore_best_weights: Whether the model gets the weights of its best epoch.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__()
        self.monitor, self.patience, self.verbose = monitor, patience, verbose
        self.baseline, self.restore_best_weights = baseline, restore_best_weights
        self.monitor_op, self._worst, kind = better(monitor, mode)
        self.min_delta = abs(min_delta) if kind == "max" else -abs(min_delta)
        self.wait = self.stopped_epoch = 0
        self.best: Any = None
        self.best_weights: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Begins again."""
        self.wait = self.stopped_epoch = 0
        self.best = self._worst if self.baseline is None else self.baseline

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Looks at the value."""
        current = self.get_monitor_value(logs)
        if current is None:
            return
        if self.monitor_op(current - self.min_delta, self.best):
            self.best, self.wait = current, 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = epoch
            self.model.stop_training = True
            if self.restore_best_weights and self.best_weights is not None:
                self.model.set_weights(self.best_weights)

    def on_train_end(self, logs: Any = None) -> None:
        """Tells when training was ended."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            show(f"Epoch {self.stopped_epoch + 1:05d}: early stopping")

    def get_monitor_value(self, logs: Any) -> Any:
        """The value, or None with a warning."""
        value = (logs or {}).get(self.monitor)
        if value is None:
            warnings.warn(
                f"Early stopping conditioned on metric `{self.monitor}` which is not available. "
                f"Available metrics are: {','.join(logs or {})}",
                stacklevel=2,
            )
        return value


class LearningRateScheduler(Callback):
    """Sets the learning rate at the start of each epoch: `schedule(epoch)` or `(epoch, rate)`."""

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Sets the rate.

        Raises:
          ValueError: The optimizer has none, or the function gives no number.
        """
        if not hasattr(self.model.optimizer, "lr"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        try:
            rate = self.schedule(epoch, float(K.get_value(self.model.optimizer.lr)))
        except TypeError:
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.float32, np.float64)):
            raise ValueError('The output of the "schedule" function should be float.')
        _set_rate(self.model.optimizer, rate)
        if self.verbose > 0:
            show(
                f"\nEpoch {epoch + 1:05d}: LearningRateScheduler reducing learning rate to {rate}."
            )

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Tells the rate."""
        if logs is not None:
            logs["lr"] = float(K.get_value(self.model.optimizer.lr))


def _set_rate(optimizer: Any, rate: float) -> None:
    optimizer.lr = float(rate)


class ReduceLROnPlateau(Callback):
    """Lowers the learning rate when a value has not become better for some epochs.

    Args:
      monitor: Name of the value.
      factor: What the rate is multiplied by.
      patience: Epochs without a change, after which it is.
      verbose: 1 for a line when it is.
      mode: Whether "min" or "max" is better; "auto" goes by the name.
      min_delta: Least change that counts.
      cooldown: Epochs after a change that are not looked at.
      min_lr: Least rate.
      **kwargs: `epsilon`, the former name of `min_delta`.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 0.0001,
        cooldown: int = 0,
        min_lr: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if factor >= 1.0:
            raise ValueError("ReduceLROnPlateau does not support a factor >= 1.0.")
        self.monitor, self.factor, self.patience, self.verbose = monitor, factor, patience, verbose
        if "epsilon" in kwargs:
            logging.warning(
                "`epsilon` argument is deprecated and will be removed, use `min_delta` instead."
            )
        self.min_delta = kwargs.pop("epsilon", min_delta)
        self.cooldown, self.min_lr, self.mode = cooldown, min_lr, mode
        self._reset()

    def _reset(self) -> None:
        self._is_better, self.best, kind = better(self.monitor, self.mode)
        self._delta = self.min_delta if kind == "max" else -self.min_delta
        self.cooldown_counter = self.wait = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Begins again."""
        self._reset()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Looks at the value."""
        logs = {} if logs is None else logs
        logs["lr"] = float(K.get_value(self.model.optimizer.lr))
        current = logs.get(self.monitor)
        if current is None:
            warnings.warn(
                f"Reduce LR on plateau conditioned on metric `{self.monitor}` which is not "
                f"available. Available metrics are: {','.join(logs)}",
                stacklevel=2,
            )
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_better(current, self.best + self._delta):
            self.best, self.wait = current, 0
        elif not self.in_cooldown():
            self.wait += 1
            old = float(K.get_value(self.model.optimizer.lr))
            if self.wait >= self.patience and old > self.min_lr:
                new = max(old * self.factor, self.min_lr)
                _set_rate(self.model.optimizer, new)
                if self.verbose > 0:
                    show(
                        f"\nEpoch {epoch + 1:05d}: ReduceLROnPlateau reducing learning rate to "
                        f"{new}."
                    )
                self.cooldown_counter, self.wait = self.cooldown, 0

    def in_cooldown(self) -> bool:
        """Whether the last change is too near."""
        return self.cooldown_counter > 0
