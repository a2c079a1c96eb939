"""Trains an LSTM, written with while_loop and TensorArray, to read digits row by row.

python examples/sequence_lstm.py --target ray --devices 2 --steps 500 --units 64
"""

from __future__ import annotations

import time

import click
from digits import HELD_OUT, Model, held_out_accuracy, loss_and_accuracy, read_digits, train
from rich.console import Console

import dataflow as tf

ROWS = COLUMNS = 8


def lstm(rows: tf.Tensor, units: int) -> tf.Tensor:
    """The outputs of an LSTM over a sequence (Hochreiter and Schmidhuber, 1997).

    Args:
      rows: Floats [time, batch, columns].
      units: Size of the state.

    Returns:
      Floats [time, batch, units].
    """
    steps, batch = tf.unstack(tf.shape(rows))[:2]
    columns = int(rows.shape[2])
    kernel = tf.get_variable(
        "kernel", [columns + units, 4 * units], initializer=tf.glorot_uniform_initializer()
    )
    bias = tf.get_variable("bias", [4 * units], initializer=tf.zeros_initializer())
    inputs = tf.TensorArray(tf.float32, size=steps, name="inputs").unstack(rows)
    outputs = tf.TensorArray(tf.float32, size=steps, name="outputs")
    nothing = tf.zeros([batch, units])

    def step(
        time: tf.Tensor, cell: tf.Tensor, hidden: tf.Tensor, outputs: tf.TensorArray
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.TensorArray]:
        seen = inputs.read(time)
        seen.set_shape([None, columns])
        gates = tf.matmul(tf.concat([seen, hidden], 1), kernel) + bias
        new, admit, forget, show = tf.split(gates, 4, axis=1)
        cell = tf.sigmoid(forget + 1.0) * cell + tf.sigmoid(admit) * tf.tanh(new)
        hidden = tf.sigmoid(show) * tf.tanh(cell)
        return time + 1, cell, hidden, outputs.write(time, hidden)

    unknown = tf.TensorShape([None, units])
    *_, outputs = tf.while_loop(
        lambda time, *_: time < steps,
        step,
        (tf.constant(0), nothing, nothing, outputs),
        shape_invariants=(tf.TensorShape([]), unknown, unknown, tf.TensorShape(None)),
    )
    return outputs.stack()


def build_model(units: int, devices: int) -> Model:
    """The loop on the first device, what follows it and the loss on the last."""
    images = tf.placeholder(tf.float32, [None, ROWS, COLUMNS, 1], name="images")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    with tf.device("/cpu:0"), tf.variable_scope("lstm"):
        rows = tf.transpose(tf.squeeze(images, [3]), [1, 0, 2])
        last_output = lstm(rows, units)[-1]
        last_output.set_shape([None, units])
    with tf.device(f"/cpu:{devices - 1}"):
        weights = tf.get_variable("weights", [units, 10])
        bias = tf.get_variable("bias", [10], initializer=tf.zeros_initializer())
        logits = tf.matmul(last_output, weights) + bias
        loss, accuracy = loss_and_accuracy(labels, logits)
    optimizer = tf.train.AdamOptimizer(5e-3)
    minimize = optimizer.minimize(loss, colocate_gradients_with_ops=True)
    return Model(images, labels, loss, accuracy, minimize)


@click.command()
@click.option("--target", default="", show_default=True, help='"" for this process, or "ray".')
@click.option(
    "--devices", default=2, show_default=True, type=click.IntRange(1), help="CPU devices."
)
@click.option("--steps", default=500, show_default=True, type=click.IntRange(1))
@click.option("--batch", default=64, show_default=True, type=click.IntRange(1))
@click.option("--units", default=64, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=7, show_default=True, help="Seed of the initial weights.")
def main(target: str, devices: int, steps: int, batch: int, units: int, seed: int) -> None:
    """Trains on the digits, a row a step, and prints the accuracy on those held out."""
    console = Console()
    digits = read_digits()
    started = time.monotonic()
    with tf.Graph().as_default():
        tf.set_random_seed(seed)
        model = build_model(units, devices)
        initialize = tf.global_variables_initializer()
        with tf.Session(target, config=tf.ConfigProto(device_count={"CPU": devices})) as session:
            session.run(initialize)
            train(session, model, digits, steps, batch, console)
            accuracy = held_out_accuracy(session, model, digits)
    seconds = time.monotonic() - started
    console.print(f"held-out accuracy {accuracy:.4f} on {HELD_OUT} digits after {seconds:.1f} s")


if __name__ == "__main__":
    main()
