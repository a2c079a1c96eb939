"""Trains on PNG images that tf.data reads from record files; a second run goes on in the data.

python examples/record_pipeline.py --steps 300 --folder /tmp/digits

The images are written once. Weights, optimizer and the place in the data are one checkpoint: with
more steps, training goes on where it was.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np
from digits import HELD_OUT, Digits, loss_and_accuracy, read_digits

import dataflow as tf

SHARDS = 4
FEATURES = {
    "image": tf.FixedLenFeature([], tf.string),
    "label": tf.FixedLenFeature([], tf.int64),
}


def write_shards(folder: Path, digits: Digits) -> list[str]:
    """Writes the digits to be learned as examples with a PNG image and a label each."""
    paths = [str(folder / f"digits-{shard}.tfrecord") for shard in range(SHARDS)]
    if all(Path(path).exists() for path in paths):
        return paths
    with tf.Graph().as_default(), tf.Session() as session:
        pixels = tf.placeholder(tf.uint8, [8, 8, 1])
        encode = session.make_callable(tf.image.encode_png(pixels), [pixels])
        images = np.round(digits.train_images * 255).astype(np.uint8)
        for shard, path in enumerate(paths):
            with tf.io.TFRecordWriter(path) as writer:
                rows = slice(shard, None, SHARDS)
                for image, label in zip(images[rows], digits.train_labels[rows], strict=True):
                    example = tf.train.Example()
                    feature = example.features.feature
                    feature["image"].bytes_list.value.append(encode(image))
                    feature["label"].int64_list.value.append(int(label))
                    writer.write(example.SerializeToString())
    return paths


def read_batches(paths: list[str], batch: int) -> tf.data.Iterator:
    """Images and labels, batch after batch: files in turns, records shuffled, images decoded."""

    def decoded(image: tf.Tensor) -> tf.Tensor:
        pixels = tf.image.decode_png(image, channels=1)
        return tf.reshape(tf.image.convert_image_dtype(pixels, tf.float32), [8, 8, 1])

    records = tf.data.Dataset.from_tensor_slices(paths).interleave(
        tf.data.TFRecordDataset, cycle_length=SHARDS
    )
    parsed = records.shuffle(500, seed=3).repeat().batch(batch)
    parsed = parsed.map(lambda serialized: tf.parse_example(serialized, FEATURES))
    images = parsed.map(
        lambda example: (
            tf.map_fn(decoded, example["image"], tf.float32, parallel_iterations=4),
            example["label"],
        )
    )
    return tf.data.make_initializable_iterator(images.prefetch(2))


@click.command()
@click.option("--target", default="", help='Session target: "" or "ray".')
@click.option("--steps", default=300, help="Steps in all, those of earlier runs among them.")
@click.option("--batch", default=32, help="Images of a step.")
@click.option("--folder", type=Path, help="Of records and checkpoints; one for this run if none.")
def main(target: str, steps: int, batch: int, folder: Path | None) -> None:
    """Trains a net of two layers, and measures it on digits that were held out."""
    with TemporaryDirectory() as passing:
        train(target, steps, batch, folder or Path(passing))


def train(target: str, steps: int, batch: int, folder: Path) -> None:
    """Goes on from the folder's newest checkpoint, if there is one."""
    folder.mkdir(parents=True, exist_ok=True)
    digits = read_digits()
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        iterator = read_batches(write_shards(folder, digits), batch)
        images, labels = iterator.get_next()
        layers = [tf.layers.Dense(64, tf.nn.relu), tf.layers.Dense(10)]

        def logits(values: tf.Tensor) -> tf.Tensor:
            return layers[1](layers[0](tf.layers.flatten(values)))

        step = tf.train.get_or_create_global_step()
        optimizer = tf.train.AdamOptimizer(0.005)
        loss, _ = loss_and_accuracy(labels, logits(images))
        learn = optimizer.minimize(loss, global_step=step)
        held_images = tf.placeholder(tf.float32, [None, 8, 8, 1])
        held_labels = tf.placeholder(tf.int64, [None])
        _, accuracy = loss_and_accuracy(held_labels, logits(held_images))
        saved = tf.train.Checkpoint(layers=layers, optimizer=optimizer, step=step, data=iterator)
        with tf.Session(target) as session:
            manager = tf.train.CheckpointManager(saved, str(folder / "checkpoints"), max_to_keep=2)
            session.run([tf.global_variables_initializer(), iterator.initializer])
            if manager.restore_or_initialize():
                click.echo(f"goes on from step {session.run(step)}")
            while session.run(step) < steps:
                session.run(learn)
            manager.save()
            feeds = {held_images: digits.test_images, held_labels: digits.test_labels}
            click.echo(f"held-out accuracy {session.run(accuracy, feeds):.3f} on {HELD_OUT} digits")


if __name__ == "__main__":
    main()
