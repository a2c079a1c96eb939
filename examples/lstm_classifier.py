"""Trains a bidirectional LSTM, by dynamic_rnn, to read digits of which the first rows are shown.

python examples/lstm_classifier.py --target ray --devices 2 --steps 500 --units 64
"""

from __future__ import annotations

import time

import click
import numpy as np
from digits import HELD_OUT, Digits, loss_and_accuracy, read_digits
from rich.console import Console

import dataflow as tf

ROWS = COLUMNS = 8
FEWEST_ROWS = 5
"""Of each digit at least these are seen while training; all of those held out."""


def build_logits(rows: tf.Tensor, lengths: tf.Tensor, units: int, keep: tf.Tensor) -> tf.Tensor:
    """What speaks for each digit, after its rows were read down and up."""

    def cell() -> tf.nn.rnn_cell.RNNCell:
        lstm = tf.nn.rnn_cell.LSTMCell(units, use_peepholes=True)
        return tf.nn.rnn_cell.DropoutWrapper(lstm, output_keep_prob=keep)

    deep = tf.nn.rnn_cell.MultiRNNCell([cell(), tf.nn.rnn_cell.ResidualWrapper(cell())])
    _, (down, up) = tf.nn.bidirectional_dynamic_rnn(
        deep, cell(), rows, sequence_length=lengths, dtype=tf.float32
    )
    return tf.layers.dense(tf.concat([down[-1].h, up.h], 1), 10)


def train(
    session: tf.Session, step: tf.Operation, feeds: list[tf.Tensor], digits: Digits, steps: int
) -> None:
    """Runs the steps on random digits, each with a random number of rows."""
    random = np.random.default_rng(1)
    run = session.make_callable(step, feed_list=feeds)
    for _ in range(steps):
        picked = random.integers(0, len(digits.train_labels), 64)
        lengths = random.integers(FEWEST_ROWS, ROWS + 1, 64)
        images = digits.train_images[picked, :, :, 0]
        run(images, lengths, digits.train_labels[picked], 0.8)


@click.command()
@click.option("--target", default="", show_default=True, help='"" for this process, or "ray".')
@click.option(
    "--devices", default=2, show_default=True, type=click.IntRange(1), help="CPU devices."
)
@click.option("--steps", default=500, show_default=True, type=click.IntRange(1))
@click.option("--units", default=48, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=7, show_default=True, help="Seed of the initial weights.")
def main(target: str, devices: int, steps: int, units: int, seed: int) -> None:
    """Trains on digits cut short, and prints the accuracy on those held out."""
    console = Console()
    digits = read_digits()
    started = time.monotonic()
    with tf.Graph().as_default():
        tf.set_random_seed(seed)
        rows = tf.placeholder(tf.float32, [None, ROWS, COLUMNS], name="rows")
        lengths = tf.placeholder(tf.int32, [None], name="lengths")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        keep = tf.placeholder(tf.float32, [], name="keep")
        with tf.device(f"/cpu:{devices - 1}"):
            logits = build_logits(rows, lengths, units, keep)
        loss, accuracy = loss_and_accuracy(labels, logits)
        optimizer = tf.train.AdamOptimizer(5e-3)
        pairs = optimizer.compute_gradients(loss, colocate_gradients_with_ops=True)
        gradients, variables = zip(*pairs, strict=True)
        clipped, _ = tf.clip_by_global_norm(gradients, 5.0)
        step = optimizer.apply_gradients(zip(clipped, variables, strict=True))
        initialize = tf.global_variables_initializer()
        with tf.Session(target, config=tf.ConfigProto(device_count={"CPU": devices})) as session:
            session.run(initialize)
            train(session, step, [rows, lengths, labels, keep], digits, steps)
            all_rows = np.full(HELD_OUT, ROWS)
            images = digits.test_images[:, :, :, 0]
            held_out = {rows: images, lengths: all_rows, labels: digits.test_labels, keep: 1.0}
            reached = float(session.run(accuracy, held_out))
    seconds = time.monotonic() - started
    console.print(f"held-out accuracy {reached:.4f} on {HELD_OUT} digits after {seconds:.1f} s")


if __name__ == "__main__":
    main()
