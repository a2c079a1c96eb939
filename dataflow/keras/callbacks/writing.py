"""Callbacks that write what training finds."""

from __future__ import annotations

import csv
import json
import os
import re
import urllib.request
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from dataflow.keras.callbacks.base import Callback
from dataflow.keras.callbacks.control import better
from dataflow.keras.progress import show
from dataflow.saving.state import latest_checkpoint


class ModelCheckpoint(Callback):
    """Writes the model, or its weights, after epochs or after some samples.

    Args:
      filepath: Name of the file, with `{epoch}` and names of values in braces.
      monitor: Name of the value that tells which is best.
      verbose: 1 for a line when it writes.
      save_best_only: Whether only what is better than before is written.
      save_weights_only: Whether only weights are.
      mode: Whether "min" or "max" is better; "auto" goes by the name.
      save_freq: "epoch", or a number of samples.
      **kwargs: `period`, every how many epochs; `load_weights_on_restart`.
    """

    def __init__(
        self,
        filepath: str,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: Any = "epoch",
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.monitor, self.verbose, self.filepath = monitor, verbose, filepath
        self.save_best_only, self.save_weights_only = save_best_only, save_weights_only
        self.save_freq = save_freq
        self.period = kwargs.get("period", 1)
        self.load_weights_on_restart = kwargs.get("load_weights_on_restart", False)
        self.monitor_op, self.best, _ = better(monitor, mode)
        self.epochs_since_last_save = self._samples = self._epoch = 0
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"Unrecognized save_freq: {save_freq}")

    def on_train_begin(self, logs: Any = None) -> None:
        """Reads the weights that an earlier run wrote, if it was asked for."""
        found = self._get_most_recently_modified_file_matching_pattern(self.filepath)
        if not self.load_weights_on_restart or found is None:
            return
        try:
            self.model.load_weights(found)
        except (OSError, ValueError) as error:
            raise ValueError(f"Error loading file from {found}. Reason: {error}") from error

    def _get_most_recently_modified_file_matching_pattern(self, pattern: str) -> str | None:
        """The newest of the files that were written by a name with an epoch and values in it.

        Of several that are as new it is the last one by name.
        """
        folder, name = os.path.split(pattern)
        parts = re.split(r"\{.*\}", name)
        wanted = re.compile(".*".join(map(re.escape, parts)))
        checkpoint = latest_checkpoint(folder or ".")
        if checkpoint is not None and wanted.fullmatch(os.path.basename(checkpoint)):
            return checkpoint
        if not os.path.isdir(folder or "."):
            return None
        found = [
            os.path.join(folder, each)
            for each in os.listdir(folder or ".")
            if wanted.fullmatch(each)
        ]
        return max(found, key=lambda each: (os.path.getmtime(each), each), default=None)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Keeps the number of the epoch."""
        self._epoch = epoch

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Writes after so many samples."""
        if isinstance(self.save_freq, int):
            self._samples += (logs or {}).get("size", 1)
            if self._samples >= self.save_freq:
                self._save_model(self._epoch, logs)
                self._samples = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes after an epoch."""
        self.epochs_since_last_save += 1
        if self.save_freq == "epoch" and self.epochs_since_last_save >= self.period:
            self.epochs_since_last_save = 0
            self._save_model(epoch, logs)

    def _save_model(self, epoch: int, logs: Any) -> None:
        logs = logs or {}
        path = self.filepath.format(epoch=epoch + 1, **logs)
        if self.save_best_only:
            current = logs.get(self.monitor)
            if current is None:
                warnings.warn(
                    f"Can save best model only with {self.monitor} available, skipping.",
                    stacklevel=2,
                )
                return
            if not self.monitor_op(current, self.best):
                if self.verbose > 0:
                    show(
                        f"\nEpoch {epoch + 1:05d}: {self.monitor} did not improve from "
                        f"{self.best:0.5f}"
                    )
                return
            if self.verbose > 0:
                show(
                    f"\nEpoch {epoch + 1:05d}: {self.monitor} improved from {self.best:0.5f} to "
                    f"{current:0.5f}, saving model to {path}"
                )
            self.best = current
        elif self.verbose > 0:
            show(f"\nEpoch {epoch + 1:05d}: saving model to {path}")
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)


class CSVLogger(Callback):
    """Writes a line of values for each epoch into a file."""

    def __init__(self, filename: str, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename, self.sep, self.append = filename, separator, append
        self.writer: Any = None
        self.keys: list[str] = []

    def on_train_begin(self, logs: Any = None) -> None:
        """Opens the file."""
        there = self.append and os.path.exists(self.filename) and os.path.getsize(self.filename)
        self._has_header = bool(there)
        self.csv_file = open(self.filename, "a" if self.append else "w", newline="")  # noqa: SIM115
        self.writer = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes a line."""
        logs = logs or {}
        if self.writer is None:
            self.keys = sorted(logs)
            names = ["epoch", *self.keys]
            self.writer = csv.DictWriter(self.csv_file, names, delimiter=self.sep)
            if not self._has_header:
                self.writer.writeheader()
        self.writer.writerow(
            {"epoch": epoch, **{key: _written(logs.get(key, "NA")) for key in self.keys}}
        )
        self.csv_file.flush()

    def on_train_end(self, logs: Any = None) -> None:
        """Closes the file."""
        self.csv_file.close()
        self.writer = None


def _written(value: Any) -> Any:
    if isinstance(value, str) or np.ndim(value) == 0:
        return value
    return f'"[{", ".join(map(str, value))}]"' if isinstance(value, Iterable) else value


class LambdaCallback(Callback):
    """Calls functions when epochs, batches and training begin and end."""

    def __init__(
        self,
        on_epoch_begin: Any = None,
        on_epoch_end: Any = None,
        on_batch_begin: Any = None,
        on_batch_end: Any = None,
        on_train_begin: Any = None,
        on_train_end: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        vars(self).update(kwargs)
        given = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_batch_begin": on_batch_begin,
            "on_batch_end": on_batch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
        }
        vars(self).update({name: each for name, each in given.items() if each is not None})


class RemoteMonitor(Callback):
    """Sends the values of each epoch to a server, as JSON."""

    def __init__(
        self,
        root: str = "http://localhost:9000",
        path: str = "/publish/epoch/end/",
        field: str = "data",
        headers: Any = None,
        send_as_json: bool = False,
    ) -> None:
        super().__init__()
        self.root, self.path, self.field = root, path, field
        self.headers, self.send_as_json = headers, send_as_json

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Sends them; a server that does not answer is only warned of."""
        from urllib.parse import urlencode

        told = json.dumps({"epoch": epoch, **{k: float(v) for k, v in (logs or {}).items()}})
        body = told if self.send_as_json else urlencode({self.field: told})
        kind = "application/json" if self.send_as_json else "application/x-www-form-urlencoded"
        headers = {"Content-Type": kind, **(self.headers or {})}
        request = urllib.request.Request(self.root + self.path, body.encode(), headers)
        try:
            urllib.request.urlopen(request, timeout=10).close()
        except OSError:
            warnings.warn(f"Could not reach RemoteMonitor root server at {self.root}", stacklevel=2)
