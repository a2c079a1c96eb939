"""slim.learning against tf_slim's: a residual net that is trained, saved and gone on with."""

from __future__ import annotations

import contextlib
import json
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
            slim.learning.multiply_gradients(pairs[0], {weights: 2.0})


def test_a_loss_that_is_no_number() -> None:
    with tf.Graph().as_default():
        weights = tf.get_variable("w", initializer=-1.0)
        train_op = slim.learning.create_train_op(
            tf.log(weights), tf.train.GradientDescentOptimizer(0.1)
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor is inf or nan"):
            slim.learning.train(train_op, None, number_of_steps=2)


def test_traces_and_what_steps_are_told(tmp_path: Path) -> None:
    told: list[Any] = []

    def step(sess: Any, train_op: Any, global_step: Any, kwargs: Any) -> tuple[Any, Any]:
        told.append(sorted(kwargs))
        return slim.learning.train_step(sess, train_op, global_step, kwargs)

    def optimized() -> Any:
        weights = tf.get_variable("w", initializer=4.0)
        return slim.learning.create_train_op(
            tf.square(weights), tf.train.GradientDescentOptimizer(0.25)
        )

    with tf.Graph().as_default():
        slim.learning.train(
            optimized(),
            str(tmp_path),
            step,
            number_of_steps=3,
            trace_every_n_steps=2,
            ignore_live_threads=True,
        )
        names = {op.name for op in tf.get_default_graph().get_operations()}
        assert {"init_ops/init", "init_ops/group_deps", "train_step/GreaterEqual"} <= names
    # As in tf_slim, the step is read while the operation that counts it runs.
    traces = sorted(path.name for path in tmp_path.glob("tf_trace-*.json"))
    assert len(traces) in (1, 2)
    assert json.loads((tmp_path / traces[0]).read_text())["traceEvents"]
    assert told[0] == ["logdir", "should_log", "should_stop", "should_trace", "summary_writer"]
    with (
        tf.Graph().as_default(),
        tf.Session() as session,
        pytest.raises(ValueError, match="logdir must be present in train_step_kwargs"),
    ):
        slim.learning.train_step(
            session, tf.no_op(), tf.no_op(), {"should_trace": tf.constant(True)}
        )
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Cannot provide trace_every"):
        slim.learning.train(optimized(), None, trace_every_n_steps=1)


def test_begins_again_when_a_server_did() -> None:
    calls = []

    def step(sess: Any, train_op: Any, global_step: Any, kwargs: Any) -> tuple[Any, bool]:
        calls.append(sorted(kwargs))
        if len(calls) == 1:
            raise tf.errors.AbortedError(None, None, "restarted")
        return sess.run(train_op), True

    with tf.Graph().as_default():
        weights = tf.get_variable("w", initializer=4.0)
        train_op = slim.learning.create_train_op(
            tf.square(weights), tf.train.GradientDescentOptimizer(0.25)
        )
        assert slim.learning.train(train_op, None, step, {"mine": 1}) == 16.0
    assert calls == [["mine", "summary_writer"]] * 2


def test_replicas_that_wait_for_each_other() -> None:
    """The chief makes what hands out the first tokens before the graph is closed."""

    class Over(Exception):
        pass

    def wrapper(_: Any) -> Any:
        raise Over

    with tf.Graph().as_default() as graph:
        weights = tf.get_variable("w", initializer=4.0)
        plain = tf.train.GradientDescentOptimizer(0.25)
        optimizer = tf.train.SyncReplicasOptimizer(plain, 1, total_num_replicas=1)
        train_op = slim.learning.create_train_op(tf.square(weights), optimizer)
        with pytest.raises(ValueError, match=r"must be a tf\.train\.SyncReplicasOptimizer"):
            slim.learning.train(train_op, None, sync_optimizer=plain)

        def hands_out() -> int:
            return sum(op.type == "QueueEnqueueManyV2" for op in graph.get_operations())

        before = hands_out()
        with pytest.raises(Over):
            slim.learning.train(train_op, None, sync_optimizer=optimizer, session_wrapper=wrapper)
        assert hands_out() == before + 1


def test_names_of_summaries_and_products() -> None:
    with tf.Graph().as_default() as graph:
        pairs = [(tf.constant([1.0]), tf.get_variable("v", initializer=[2.0]))]
        names = [each.op.name for each in slim.learning.add_gradients_summaries(pairs)]
        assert names == ["v/gradient", "v/gradient_norm"]
        ((product, _),) = slim.learning.multiply_gradients(pairs, {"v": 3.0})
        assert product.op.name == "mul" and product.op.inputs[0] is pairs[0][0]
        assert graph.get_operation_by_name("v/gradient").type == "HistogramSummary"
