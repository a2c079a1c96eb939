"""The list of callbacks that a loop of one's own tells of its progress, as tf.keras' own."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from dataflow.keras import callbacks as ours

THEIRS = tf.keras.callbacks


def _heard(face: Any, tell: Any) -> list[Any]:
    """What a callback heard of a list of a subclass while `tell` called the list."""
    heard: list[Any] = []

    class Listener(face.Callback):  # type: ignore[misc]
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            heard.append(("epoch", epoch, logs))

        def on_batch_end(self, batch: int, logs: Any = None) -> None:
            heard.append(("batch", batch, logs))

        def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
            heard.append(("test batch", batch, logs))

        def on_train_end(self, logs: Any = None) -> None:
            heard.append(("train", logs))

        def on_predict_begin(self, logs: Any = None) -> None:
            heard.append(("predict", logs))

    class Mine(face.CallbackList):  # type: ignore[misc]
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            heard.append("mine")
            super().on_epoch_begin(epoch, logs=logs)

    tell(Mine([Listener()]))
    return heard


def test_events_are_told_with_logs_by_name_and_from_a_subclass() -> None:
    def tell(of: Any) -> None:
        of.on_train_begin()
        of.on_epoch_begin(3, logs={"a": 1})
        of.on_epoch_begin(4)
        of.on_train_batch_end(5, logs={"b": 2})
        of.on_batch_end(batch=6)
        of.on_test_batch_begin(7, logs={"size": 2})
        of.on_train_end(logs={"did_abort": True})
        of.on_predict_begin(logs={"c": 3})

    assert _heard(ours, tell) == _heard(THEIRS, tell)
