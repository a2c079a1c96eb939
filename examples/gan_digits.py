"""Trains a convolutional GAN (Goodfellow et al., 2014; Radford et al., 2016) to draw digits.

python examples/gan_digits.py --target ray --steps 1500
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import click
import numpy as np
from digits import Digits, read_digits
from rich.console import Console

import dataflow as tf

NOISE = 16
"""Random numbers that a digit is drawn from."""
BATCH = 64
SHADES = " .:-=+*#%@"


@dataclass(frozen=True)
class Gan:
    """The tensors and operations of both nets."""

    real: tf.Tensor
    noise: tf.Tensor
    training: tf.Tensor
    drawn: tf.Tensor
    train_critic: tf.Operation
    train_artist: tf.Operation


def draw(noise: tf.Tensor, training: tf.Tensor) -> tf.Tensor:
    """Images [n, 8, 8, 1] in [0, 1] of random numbers [n, NOISE]."""
    with tf.variable_scope("artist"):
        x = tf.layers.dense(noise, 2 * 2 * 64, use_bias=False)
        x = tf.nn.relu(tf.layers.batch_normalization(x, training=training, momentum=0.9))
        x = tf.reshape(x, [-1, 2, 2, 64])
        x = tf.layers.conv2d_transpose(x, 32, 4, 2, padding="same", use_bias=False)
        x = tf.nn.relu(tf.layers.batch_normalization(x, training=training, momentum=0.9))
        return tf.layers.conv2d_transpose(
            x, 1, 4, 2, padding="same", activation=tf.nn.sigmoid, name="image"
        )


def judge(images: tf.Tensor, training: tf.Tensor) -> tf.Tensor:
    """What speaks for images [n, 8, 8, 1] being real, [n, 1]."""
    with tf.variable_scope("critic", reuse=tf.AUTO_REUSE):
        x = tf.layers.conv2d(
            images, 32, 4, 2, padding="same", activation=tf.nn.leaky_relu, name="strokes"
        )
        x = tf.layers.conv2d(x, 64, 4, 2, padding="same", activation=tf.nn.leaky_relu, name="parts")
        x = tf.layers.dropout(tf.layers.flatten(x), 0.3, training=training)
        return tf.layers.dense(x, 1, name="verdict")


def build_gan() -> Gan:
    """Two nets, each of which is trained on what the other one gets wrong."""
    real = tf.placeholder(tf.float32, [None, 8, 8, 1], name="real")
    noise = tf.placeholder(tf.float32, [None, NOISE], name="noise")
    training = tf.placeholder_with_default(False, [], name="training")
    drawn = draw(noise, training)
    for_real, for_drawn = judge(real, training), judge(drawn, training)
    cross_entropy = tf.losses.sigmoid_cross_entropy
    critic_loss = cross_entropy(
        tf.ones_like(for_real), for_real, label_smoothing=0.2
    ) + cross_entropy(tf.zeros_like(for_drawn), for_drawn)
    artist_loss = cross_entropy(tf.ones_like(for_drawn), for_drawn)

    def minimize(loss: tf.Tensor, scope: str) -> tf.Operation:
        optimizer = tf.train.AdamOptimizer(2e-3, beta1=0.5, name=f"{scope}_adam")
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
        with tf.control_dependencies(updates):
            return optimizer.minimize(
                loss, var_list=tf.trainable_variables(scope), colocate_gradients_with_ops=True
            )

    return Gan(
        real,
        noise,
        training,
        drawn,
        minimize(critic_loss, "critic"),
        minimize(artist_loss, "artist"),
    )


def train(session: tf.Session, gan: Gan, digits: Digits, steps: int) -> None:
    """Trains both nets in turns."""
    random = np.random.default_rng(1)
    feeds = [gan.real, gan.noise, gan.training]
    critic = session.make_callable(gan.train_critic, feed_list=feeds)
    artist = session.make_callable(gan.train_artist, feed_list=feeds[1:])
    for _ in range(steps):
        picked = digits.train_images[random.integers(0, len(digits.train_images), BATCH)]
        critic(picked, random.normal(size=(BATCH, NOISE)), True)
        artist(random.normal(size=(BATCH, NOISE)), True)


def nearest(images: np.ndarray, digits: Digits) -> tuple[float, np.ndarray]:
    """How far images are from the real digits nearest to them, on average, and whose labels."""
    real = digits.train_images.reshape(-1, 64)
    gaps = ((images.reshape(-1, 1, 64) - real) ** 2).sum(2)
    return float(np.sqrt(gaps.min(1)).mean()), digits.train_labels[gaps.argmin(1)]


def as_text(images: np.ndarray) -> str:
    """Images side by side, a letter for each point."""
    shades = np.array(list(SHADES))[(images[..., 0] * (len(SHADES) - 1)).round().astype(int)]
    return "\n".join("  ".join("".join(image[row]) for image in shades) for row in range(8))


@click.command()
@click.option("--target", default="", show_default=True, help='"" for this process, or "ray".')
@click.option("--steps", default=1500, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=7, show_default=True, help="Seed of the initial weights.")
def main(target: str, steps: int, seed: int) -> None:
    """Trains both nets, prints digits, and how near they and held-out ones are to real ones."""
    console = Console(highlight=False)
    digits = read_digits()
    started = time.monotonic()
    with tf.Graph().as_default():
        tf.set_random_seed(seed)
        gan = build_gan()
        initialize = tf.global_variables_initializer()
        with tf.Session(target) as session:
            session.run(initialize)
            train(session, gan, digits, steps)
            noise = np.random.default_rng(2).normal(size=(200, NOISE))
            drawn = session.run(gan.drawn, {gan.noise: noise})
    seconds = time.monotonic() - started
    console.print(as_text(drawn[:6]), markup=False)
    distance, labels = nearest(drawn, digits)
    expected, _ = nearest(digits.test_images, digits)
    console.print(
        f"distance to the nearest real digit {distance:.2f}, of held-out digits {expected:.2f}; "
        f"{len(set(labels.tolist()))} kinds of digits after {seconds:.1f} s"
    )


if __name__ == "__main__":
    main()
