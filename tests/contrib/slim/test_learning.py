"""slim.learning against tf_slim's: a residual net that is trained, saved and gone on with."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

import dataflow as tf
from dataflow.contrib import slim
from tests.contrib.oracle import tf_slim

pytestmark = pytest.mark.filterwarnings("ignore:`(layer|tf.layers).*is deprecated:UserWarning")

RANDOM = np.random.RandomState(3)
IMAGES = RANDOM.standard_normal((8, 8, 8, 3)).astype(np.float32)
LABELS = RANDOM.randint(0, 4, 8)


def arguments(s: Any, lib: Any) -> Any:
    """What all layers of the net share."""

    @contextlib.contextmanager
    def scope() -> Any:
        with (
            s.arg_scope(
                [s.conv2d, s.fully_connected],
                weights_initializer=lambda shape, *_, **__: lib.reshape(
                    lib.sin(lib.range(float(np.prod(shape))) * 0.7) * 0.3, shape
                ),
                weights_regularizer=s.l2_regularizer(0.01),
                normalizer_fn=s.batch_norm,
            ),
            # Updates go where tf_slim's do without another package.
            s.arg_scope([s.batch_norm], decay=0.9, scale=True, updates_collections="moments"),
            s.arg_scope([s.max_pool2d], padding="SAME"),
        ):
            yield

    return scope()


def net(s: Any, lib: Any, images: Any) -> Any:
    """Two residual units and a classifier."""
    with arguments(s, lib):
        x = s.conv2d(images, 4, [3, 3], scope="conv1")
        for unit in ("unit1", "unit2"):
            with lib.variable_scope(unit):
                y = s.repeat(x, 2, s.conv2d, 4, [3, 3], scope="conv")
                x = lib.nn.relu(x + s.conv2d(y, 4, [1, 1], activation_fn=None, scope="last"))
        x = s.flatten(s.max_pool2d(x, [2, 2]))
        return s.fully_connected(x, 4, activation_fn=None, normalizer_fn=None, scope="logits")


def train_op_of(s: Any, lib: Any) -> Any:
    logits = net(s, lib, lib.constant(IMAGES))
    lib.losses.sparse_softmax_cross_entropy(lib.constant(LABELS), logits)
    loss = lib.losses.get_total_loss()
    # No variable is updated before the loss has read it: the gradients wait for this factor, 1.
    loss *= lib.stop_gradient(loss / loss)
    return s.learning.create_train_op(
        loss,
        lib.train.MomentumOptimizer(0.01, 0.5),
        update_ops=lib.get_collection("moments"),
        clip_gradient_norm=1.0,
        gradient_multipliers={"logits/biases": 2.0},
        summarize_gradients=True,
    )


def step_by_step(steps: int) -> tuple[float, dict[str, Any]]:
    """What tf_slim's operation gives in a plain loop: the last loss, and the variables."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        train_op = train_op_of(tf_slim, tf1)
        variables = {each.op.name: each for each in tf1.global_variables()}
        session.run(tf1.global_variables_initializer())
        losses = [session.run(train_op) for _ in range(steps)]
        return losses[-1], session.run(variables)


def test_as_tf_slim(tmp_path: Path) -> None:
    """Trained, saved, and gone on with from what was saved."""
    for steps in (3, 6):
        with tf.Graph().as_default():
            train_op = train_op_of(slim, tf)
            last = slim.learning.train(
                train_op, str(tmp_path), number_of_steps=steps, log_every_n_steps=2
            )
        path = tf.train.latest_checkpoint(str(tmp_path))
        loss, variables = step_by_step(steps)
        np.testing.assert_allclose(last, loss, rtol=1e-4)
        saved = {name for name, _ in tf.train.list_variables(path)}
        assert saved == variables.keys() and path.endswith(f"model.ckpt-{steps}")
        for name, value in variables.items():
            found = tf.train.load_variable(path, name)
            np.testing.assert_allclose(found, value, rtol=1e-3, atol=1e-4, err_msg=name)


def test_trains_on_ray_until_told_to_stop(session_factory: Any, tmp_path: Path) -> None:
    seen = []

    def step(sess: Any, train_op: Any, global_step: Any, kwargs: Any) -> tuple[Any, bool]:
        loss, _ = slim.learning.train_step(sess, train_op, global_step, kwargs)
        seen.append(loss)
        return loss, len(seen) == 4

    with tf.Graph().as_default():
        weights = tf.get_variable("w", initializer=[4.0, -4.0])
        loss = tf.reduce_sum(tf.square(weights))
        train_op = slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.25))
        assert train_op in tf.get_collection(tf.GraphKeys.TRAIN_OP)
        with session_factory() as session:
            last = slim.learning.train(
                train_op, None, step, graph=tf.get_default_graph(), master=session.sess_str
            )
    assert seen == [32.0, 8.0, 2.0, 0.5] and last == 0.5


def test_malformed_arguments() -> None:
    with tf.Graph().as_default():
        weights = tf.get_variable("w", initializer=1.0)
        fixed = tf.get_variable("f", initializer=1.0, trainable=False)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        with pytest.raises(AssertionError, match="f:0 is not trainable"):
            slim.learning.create_train_op(weights * 1.0, optimizer, variables_to_train=[fixed])
        train_op = slim.learning.create_train_op(weights * 1.0, optimizer)
        for kwargs, message in (
            ({"train_op": None}, "train_op cannot be None"),
            ({"summary_op": tf.constant("a")}, "Cannot provide summary_op"),
            ({"saver": tf.train.Saver()}, "Cannot provide saver"),
            ({"number_of_steps": 0}, "`number_of_steps` must be"),
            ({"sync_optimizer": optimizer, "startup_delay_steps": 1}, "must be zero when"),
        ):
            with pytest.raises(ValueError, match=message):
                slim.learning.train(**{"train_op": train_op, "logdir": None, **kwargs})
        pairs = [(None, weights)]
        for wanted, message in (
            ({}, "is empty"),
            ([1], "must be a dict"),
            ({weights: 2.0}, r"Requested multiple of `None` gradient\.$"),
        ):
            with pytest.raises(ValueError, match=message):
                slim.learning.multiply_gradients(pairs, wanted)
        with pytest.raises(ValueError, match="must be a list"):
            slim.learning.multiply_gradients([], {weights: 2.0})


def test_a_loss_that_is_no_number() -> None:
    with tf.Graph().as_default():
        weights = tf.get_variable("w", initializer=-1.0)
        train_op = slim.learning.create_train_op(
            tf.log(weights), tf.train.GradientDescentOptimizer(0.1)
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor is inf or nan"):
            slim.learning.train(train_op, None, number_of_steps=2)
