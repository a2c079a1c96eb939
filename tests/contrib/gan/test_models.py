"""Models of two nets: their losses by numpy, their training, what goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import gan, layers


@pytest.fixture(autouse=True)
def own_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


REAL = np.array([[1.5], [-0.5], [2.0]], np.float32)
MADE = np.array([[0.25], [-1.0], [0.5]], np.float32)


def sigmoid_loss(logits: np.ndarray, label: float) -> float:
    return float(np.mean(np.log1p(np.exp(logits)) - label * logits))


def test_losses_of_outputs() -> None:
    wargs = gan.losses.wargs
    real, made = tf.constant(REAL), tf.constant(MADE)
    expected = {
        wargs.wasserstein_generator_loss(made): -MADE.mean(),
        wargs.wasserstein_discriminator_loss(real, made): MADE.mean() - REAL.mean(),
        wargs.wasserstein_hinge_discriminator_loss(real, made): np.maximum(0, 1 - REAL).mean()
        + np.maximum(0, 1 + MADE).mean(),
        wargs.minimax_discriminator_loss(real, made): sigmoid_loss(REAL, 0.875)
        + sigmoid_loss(MADE, 0),
        wargs.minimax_generator_loss(made): -sigmoid_loss(np.ones(1), 1) - sigmoid_loss(MADE, 0),
        wargs.modified_generator_loss(made): sigmoid_loss(MADE, 1),
        wargs.least_squares_generator_loss(made): np.mean((MADE - 1) ** 2) / 2,
        wargs.least_squares_discriminator_loss(real, made): np.mean((REAL - 1) ** 2) / 2
        + np.mean(MADE**2) / 2,
    }
    with tf.Session() as session:
        found = session.run(list(expected))
    np.testing.assert_allclose(found, list(expected.values()), rtol=1e-5)
    assert len(tf.losses.get_losses()) == len(expected)


def generator(inputs: Any) -> Any:
    inputs = tf.concat(inputs, 1) if isinstance(inputs, list) else inputs
    return tf.layers.dense(inputs, 2, name="out")


def discriminator(data: Any, _: Any) -> Any:
    hidden = tf.layers.dense(data, 3, tf.nn.relu, kernel_regularizer=layers.l2_regularizer(0.5))
    return tf.layers.dense(hidden, 1)


def test_penalties_and_regularization() -> None:
    real, noise = tf.ones([4, 2]), tf.random_normal([4, 3], seed=1)
    model = gan.gan_model(generator, lambda x, _: tf.reduce_sum(3.0 * x, 1), real, noise)
    loss = gan.gan_loss(model, gradient_penalty_weight=2.0, add_summaries=False)
    plain = gan.gan_loss(model, add_summaries=False)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with_penalty, without = session.run([loss.discriminator_loss, plain.discriminator_loss])
    # The slope is that of 3x + 3y.
    np.testing.assert_allclose(with_penalty - without, 2 * (18**0.5 - 1) ** 2, rtol=1e-4)
    model = gan.gan_model(generator, discriminator, real, noise, "G", "D")
    losses = gan.gan_loss(model)
    (kernel, *_) = model.discriminator_variables
    raw = gan.losses.wasserstein_discriminator_loss(model)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        whole, part, weights = session.run([losses.discriminator_loss, raw, kernel])
    np.testing.assert_allclose(whole - part, np.sum(weights**2) / 4, rtol=1e-4)


def test_training_in_turn(tmp_path: Path, target: str) -> None:
    """As many steps of each net as wanted before each step of the session, and no more after."""
    model = gan.gan_model(generator, discriminator, tf.ones([4, 2]), tf.ones([4, 2]))
    counts = [tf.get_variable(name, initializer=0.0, trainable=False) for name in ("g", "d")]
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    ops = gan.gan_train_ops(model, gan.gan_loss(model), optimizer, optimizer)
    counted = [tf.group(op, tf.assign_add(n, 1.0)) for op, n in zip(ops[:2], counts, strict=True)]
    wanted = gan.GANTrainSteps(1, 3)
    for number, hooks in enumerate((gan.get_joint_train_hooks, gan.get_sequential_train_hooks), 1):
        found = gan.gan_train(
            gan.GANTrainOps(counted[0], counted[1], ops.global_step_inc_op),
            str(tmp_path),
            hooks(wanted),
            master=target,
            hooks=[tf.train.StopAtStepHook(num_steps=2)],
            save_summaries_steps=None,
        )
        assert found == 2 * number
        reader = tf.train.load_checkpoint(str(tmp_path))
        assert [reader.get_tensor(name) for name in ("g", "d")] == [2 * number, 6 * number]


def test_other_models() -> None:
    real, noise = tf.zeros([2, 2]), tf.ones([2, 1])
    labels = tf.one_hot([0, 1], 3)

    def two_heads(data: Any, _: Any) -> Any:
        return tf.layers.dense(data, 1), tf.layers.dense(data, 3)

    def told(data: Any, _: Any) -> Any:
        mean = tf.layers.dense(data, 1)
        return mean, [tf.distributions.Normal(mean, tf.ones([2, 1]))]

    pool = gan.features.tensor_pool
    info = gan.infogan_model(generator, told, real, [noise], [noise], "G1", "D1")
    classes = gan.acgan_model(generator, two_heads, real, noise, labels, "G2", "D2")
    cycle = gan.cyclegan_model(
        lambda x: tf.layers.dense(x, 2), discriminator, real, tf.ones([2, 2])
    )
    star = gan.stargan_model(
        lambda x, kind: tf.layers.dense(tf.concat([x, kind], 1), 2),
        two_heads,
        real,
        labels,
        "G3",
        "D3",
    )
    losses = [
        gan.gan_loss(info, mutual_information_penalty_weight=1.0, tensor_pool_fn=pool),
        gan.gan_loss(
            classes,
            aux_cond_generator_weight=1.0,
            aux_cond_discriminator_weight=tf.constant(0.5),
            tensor_pool_fn=pool,
        ),
        gan.cyclegan_loss(cycle),
        gan.stargan_loss(star, classification_one_hot=True),
    ]
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    ops = gan.gan_train_ops(cycle, losses[2], optimizer, optimizer)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            found = session.run([losses, ops[:3]])
    assert np.isfinite(np.concatenate([np.ravel(each) for each in found[0]])).all()
    with pytest.raises(ValueError, match="`model` must be an `InfoGANModel`"):
        gan.gan_loss(classes, mutual_information_penalty_weight=1.0)
    with pytest.raises(ValueError, match="`gradient_penalty_weight` must be greater than 0"):
        gan.gan_loss(info, gradient_penalty_weight=-1.0)
    with pytest.raises(ValueError, match="Generator output shape"):
        gan.gan_model(generator, lambda x, _: x, tf.zeros([2, 5]), noise, "G4", "D4")
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.no_op(name="stray"))
    with pytest.raises(ValueError, match="There are unused update ops"):
        gan.gan_train_ops(cycle, losses[2], optimizer, optimizer)


def test_images_of_models() -> None:
    images = np.arange(4 * 2 * 3, dtype=np.float32).reshape(4, 2, 3, 1)
    grid = gan.eval.image_grid(tf.constant(images), (2, 2), (2, 3), 1)
    row = gan.eval.image_reshaper(tf.unstack(tf.constant(images[:3])), 2)
    with tf.Session() as session:
        found, short = session.run([grid, row])
    rows = [np.concatenate(images[at : at + 2], 1) for at in (0, 2)]
    np.testing.assert_array_equal(found[0], np.concatenate(rows))
    np.testing.assert_array_equal(short[0, 2:, 3:], np.zeros([2, 3, 1]))
