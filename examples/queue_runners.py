"""Trains on handwritten digits that queue runners read from record files, as TensorFlow 1 did.

python examples/queue_runners.py --target ray --epochs 12 --batch 32
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import click
import numpy as np
from digits import HELD_OUT, loss_and_accuracy, read_digits
from rich.console import Console

import dataflow as tf

PIXELS = 64
SHARDS = 3


def write_shards(folder: Path, images: np.ndarray, labels: np.ndarray) -> list[str]:
    """Writes digits to record files: each record a text of the label and the pixels."""
    paths = [str(folder / f"digits-{shard}.tfrecord") for shard in range(SHARDS)]
    for shard, path in enumerate(paths):
        with tf.python_io.TFRecordWriter(path) as writer:
            for image, label in zip(images[shard::SHARDS], labels[shard::SHARDS], strict=True):
                numbers = [float(label), *image.reshape(-1).tolist()]
                writer.write(" ".join(map(str, numbers)).encode())
    return paths


def read_batches(paths: list[str], epochs: int, batch: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Images and labels of the next batch: names, records and examples each wait in a queue."""
    names = tf.train.string_input_producer(paths, num_epochs=epochs, seed=1)
    _, record = tf.TFRecordReader().read(names)
    numbers = tf.string_to_number(tf.string_split([record]).values)
    numbers.set_shape([PIXELS + 1])
    return tf.train.shuffle_batch(
        [numbers[1:], tf.cast(numbers[0], tf.int64)],
        batch,
        capacity=1000,
        min_after_dequeue=300,
        num_threads=2,
        seed=2,
        allow_smaller_final_batch=True,
    )


def logits_of(images: tf.Tensor) -> tf.Tensor:
    """A dense layer and the logits; called again, it has the same weights."""
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        dense = tf.layers.dense(images, 64, tf.nn.relu, name="dense")
        return tf.layers.dense(dense, 10, name="logits")


@click.command()
@click.option("--target", default="", help='Session target: "" or "ray".')
@click.option("--epochs", default=12, help="How often all digits are read.")
@click.option("--batch", default=32, help="Digits in a batch.")
def main(target: str, epochs: int, batch: int) -> None:
    """Trains until the input is over."""
    console = Console()
    digits = read_digits()
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        tf.set_random_seed(3)
        paths = write_shards(Path(folder), digits.train_images, digits.train_labels)
        images, labels = read_batches(paths, epochs, batch)
        loss, _ = loss_and_accuracy(labels, logits_of(images))
        train = tf.train.AdamOptimizer(2e-3).minimize(loss)
        held_out = tf.constant(digits.test_images.reshape(-1, PIXELS))
        _, accuracy = loss_and_accuracy(tf.constant(digits.test_labels), logits_of(held_out))
        with tf.Session(target) as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coord=coordinator)
            steps, start = 0, time.perf_counter()
            try:
                while not coordinator.should_stop():
                    _, value = session.run([train, loss])
                    steps += 1
                    if steps % 100 == 0:
                        console.print(f"step {steps}: loss {value:.4f}")
            except tf.errors.OutOfRangeError:
                seconds = time.perf_counter() - start
                rate = epochs * len(digits.train_labels) / seconds
                console.print(f"{steps} steps, {rate:.0f} digits a second: the input is over.")
            finally:
                coordinator.request_stop()
                coordinator.join(threads)
            console.print(f"held-out accuracy {session.run(accuracy):.4f} on {HELD_OUT} digits")


if __name__ == "__main__":
    main()
