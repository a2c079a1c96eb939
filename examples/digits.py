"""The handwritten digits that the examples learn, their measures, and the loop that trains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from sklearn.datasets import load_digits

import dataflow as tf

HELD_OUT = 360


@dataclass(frozen=True)
class Digits:
    """Images [n, 8, 8, 1] of floats in [0, 1] and their labels [n]."""

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray


@dataclass(frozen=True)
class Model:
    """The tensors and operations a training loop needs."""

    images: tf.Tensor
    labels: tf.Tensor
    loss: tf.Tensor
    accuracy: tf.Tensor
    train: tf.Operation


def read_digits(seed: int = 0) -> Digits:
    """The 1,797 digits that come with scikit-learn, shuffled, the last ones held out."""
    digits = load_digits()
    order = np.random.default_rng(seed).permutation(len(digits.target))
    images = (digits.images[order, :, :, np.newaxis] / 16.0).astype(np.float32)
    labels = digits.target[order].astype(np.int64)
    return Digits(images[:-HELD_OUT], labels[:-HELD_OUT], images[-HELD_OUT:], labels[-HELD_OUT:])


def loss_and_accuracy(labels: tf.Tensor, logits: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean cross entropy, and the share of labels [n] that logits [n, 10] name."""
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    correct = tf.equal(tf.argmax(logits, 1), labels)
    return tf.reduce_mean(losses), tf.reduce_mean(tf.cast(correct, tf.float32))


def train(
    session: tf.Session, model: Model, digits: Digits, steps: int, batch: int, console: Console
) -> None:
    """Runs the steps and shows loss and accuracy as they go."""
    random = np.random.default_rng(1)
    columns = (
        TextColumn("step {task.completed:.0f}/{task.total:.0f}"),
        BarColumn(),
        TextColumn("loss {task.fields[loss]:.4f}  accuracy {task.fields[accuracy]:.3f}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("train", total=steps, loss=float("nan"), accuracy=float("nan"))
        for _ in range(steps):
            picked = random.integers(0, len(digits.train_labels), batch)
            feeds = {
                model.images: digits.train_images[picked],
                model.labels: digits.train_labels[picked],
            }
            _, loss, accuracy = session.run([model.train, model.loss, model.accuracy], feeds)
            progress.update(bar, advance=1, loss=loss, accuracy=accuracy)


def held_out_accuracy(session: tf.Session, model: Model, digits: Digits) -> float:
    """The share of the held-out digits that the model names."""
    feeds = {model.images: digits.test_images, model.labels: digits.test_labels}
    return float(session.run(model.accuracy, feeds))
