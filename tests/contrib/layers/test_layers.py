"""tf.contrib.layers and slim against tf_slim: names, collections and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

import dataflow as tf
from dataflow.contrib import layers, slim
from tests.contrib.oracle import tf_slim

pytestmark = pytest.mark.filterwarnings("ignore:`(layer|tf.layers).*is deprecated:UserWarning")

IMAGES = np.random.RandomState(1).standard_normal((3, 6, 5, 4)).astype(np.float32)
ROWS = IMAGES.reshape(6, 60)

CASES: dict[str, tuple[np.ndarray, Callable[[Any, Any, Any], Any]]] = {
    "fully connected": (ROWS, lambda s, _, x: s.fully_connected(x, 7, outputs_collections="out")),
    "two of one name": (ROWS, lambda s, _, x: s.fully_connected(s.fully_connected(x, 7), 3)),
    "linear": (
        ROWS,
        lambda s, f, x: s.fully_connected(
            x,
            7,
            activation_fn=None,
            biases_initializer=None,
            weights_regularizer=s.l2_regularizer(0.3),
            scope="here",
        ),
    ),
    "normalized": (
        ROWS,
        lambda s, _, x: s.fully_connected(
            x,
            7,
            normalizer_fn=s.batch_norm,
            normalizer_params={"is_training": False, "scale": True},
        ),
    ),
    "convolution": (
        IMAGES,
        lambda s, _, x: s.conv2d(
            x, 5, [3, 2], stride=2, padding="VALID", variables_collections={"weights": ["w"]}
        ),
    ),
    "dilated": (IMAGES, lambda s, _, x: s.conv2d(x, 5, 3, rate=2, variables_collections=["v"])),
    "convolution of rows": (ROWS[:, :, None], lambda s, _, x: s.convolution(x, 5, 3)),
    "transposed": (IMAGES, lambda s, _, x: s.conv2d_transpose(x, 5, [3, 3], stride=2)),
    "batch norm": (
        IMAGES,
        # Without a collection of its own, tf_slim takes a layer that needs another package.
        lambda s, _, x: s.batch_norm(
            x, decay=0.9, scale=True, activation_fn=s_relu(s), updates_collections="updates"
        ),
    ),
    "batch norm that waits": (
        IMAGES,
        lambda s, _, x: s.batch_norm(x, decay=0.9, updates_collections=None),
    ),
    "layer norm": (IMAGES, lambda s, f, x: f.layer_norm(x)),
    "layer norm of the last axis": (
        IMAGES,
        lambda s, f, x: f.layer_norm(x, begin_norm_axis=-1, begin_params_axis=-1, scope="ln"),
    ),
    "pools": (
        IMAGES,
        lambda s, _, x: s.avg_pool2d(s.max_pool2d(x, 2, stride=1, outputs_collections="out"), 2),
    ),
    "dropout of nothing": (IMAGES, lambda s, _, x: s.dropout(x, 0.8, is_training=False)),
    "flatten": (IMAGES, lambda s, _, x: s.flatten(x, outputs_collections=["out"])),
    "bias": (IMAGES, lambda s, f, x: f.bias_add(x, initializer=None, activation_fn=s_relu(s))),
    "softmax": (ROWS, lambda s, _, x: s.softmax(x)),
    "repeat": (IMAGES, lambda s, _, x: s.repeat(x, 2, s.conv2d, 3, [3, 3], scope="body")),
    "stack": (ROWS, lambda s, _, x: s.stack(x, s.fully_connected, [4, 3], scope="tower")),
    "stack of lists": (IMAGES, lambda s, _, x: s.stack(x, s.conv2d, [(4, [1, 1]), (3, [3, 3])])),
}


def s_relu(s: Any) -> Any:
    return tf.nn.relu if s is slim else tf1.nn.relu


def described(library: Any, graph: Any) -> Any:
    """Variables by collection, aliases and losses of a graph."""
    names = ["variables", "trainable_variables", "model_variables", "v", "w"]
    found: dict[str, Any] = {
        name: sorted((v.op.name, v.shape.as_list()) for v in graph.get_collection(name))
        for name in names
    }
    found["out"] = [getattr(each, "aliases", None) for each in graph.get_collection("out")]
    found["losses"] = len(graph.get_collection("regularization_losses"))
    found["updates"] = [len(graph.get_collection(name)) for name in ("update_ops", "updates")]
    return found


def trained(
    library: Any, s: Any, functions: Any, build: Callable[[Any, Any, Any], Any], values: Any
) -> tuple[Any, list[np.ndarray], Any]:
    """What a graph holds, and its outputs, gradients and variables after a run."""
    with library.Graph().as_default() as graph:
        x = library.placeholder(library.float32, [None, *values.shape[1:]])
        y = build(s, functions, x)
        loss = library.reduce_sum(y * y)
        variables = sorted(library.global_variables(), key=lambda each: each.name)
        of = [each for each in variables if each in library.trainable_variables()]
        wanted = [y, *library.gradients(loss, [x, *of])]
        wanted += graph.get_collection("regularization_losses")
        found = described(library, graph)
        with library.Session() as session:
            session.run(library.global_variables_initializer())
            for index, each in enumerate(variables):
                random = np.random.RandomState(index)
                array = random.uniform(0.2, 1.0, each.shape.as_list()).astype(np.float32)
                each.load(array, session)
            outputs = session.run(wanted, {x: values})
            updates = graph.get_collection("update_ops") + graph.get_collection("updates")
            session.run(updates, {x: values})
            outputs += session.run(variables)
    return found, outputs, y.shape.as_list()


@pytest.mark.parametrize("case", CASES)
def test_as_tf_slim(case: str) -> None:
    values, build = CASES[case]
    ours, got, shape = trained(tf, slim, layers, build, values)
    theirs, expected, their_shape = trained(tf1, tf_slim, tf_slim.layers, build, values)
    assert ours == theirs and shape == their_shape
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-5)


def test_end_points() -> None:
    """The outputs of layers by their aliases."""
    found = []
    for library, s in ((tf, slim), (tf1, tf_slim)):
        with library.Graph().as_default(), library.variable_scope("net") as scope:
            x = library.placeholder(library.float32, [2, 8, 8, 3])
            with s.arg_scope(
                [s.conv2d, s.fully_connected, s.max_pool2d], outputs_collections=["points"]
            ):
                y = s.conv2d(x, 4, 3, scope="first")
                y = s.max_pool2d(y, 2, scope="pool")
                s.fully_connected(s.flatten(y), 3)
            points = s.utils.convert_collection_to_dict("points", clear_collection=True)
            found.append({name: each.name for name, each in points.items()})
            assert scope.name == "net" and library.get_collection("points") == []
    assert found[0].keys() == found[1].keys() and len(found[0]) == 3


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("shape", [[400, 300], [5, 4, 30, 40], [5000], []])
def test_xavier(uniform: bool, shape: list[int]) -> None:
    """The variance that Glorot and Bengio's formula gives, and tf_slim's bounds."""
    makers = {
        "xavier": lambda s: s.xavier_initializer(uniform=uniform, seed=3),
        "he": lambda s: s.variance_scaling_initializer(uniform=uniform, seed=3),
        "out": lambda s: s.variance_scaling_initializer(3.0, "FAN_OUT", uniform, seed=3),
    }
    for name, make in makers.items():
        with tf.Graph().as_default(), tf.Session() as session:
            ours = session.run(make(slim)(shape))
        with tf1.Graph().as_default(), tf1.Session() as session:
            theirs = session.run(make(tf_slim)(shape))
        # The same draws from the same seeds.
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, err_msg=name)


def test_regularizers() -> None:
    weights = [np.array([[1.0, -2.0], [3.0, 0.5]], np.float32), np.array([4.0, -1.0], np.float32)]
    found = []
    for library, s in ((tf, slim), (tf1, tf_slim)):
        with library.Graph().as_default() as graph, library.Session() as session:
            for each in weights:
                library.add_to_collection("weights", library.constant(each))
            losses = [
                s.apply_regularization(each)
                for each in (
                    s.l1_regularizer(0.1),
                    s.l2_regularizer(0.2),
                    s.l1_l2_regularizer(0.1, 0.2),
                    s.sum_regularizer([s.l1_regularizer(0.3), None, s.l1_regularizer(0.0)]),
                )
            ]
            assert graph.get_collection("regularization_losses") == losses
            found.append((session.run(losses), [each.name for each in losses]))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-6)
    assert found[0][1] == found[1][1]
    np.testing.assert_allclose(found[0][0][0], 0.1 * 11.5, rtol=1e-6)
    assert layers.sum_regularizer([]) is None
    assert layers.l2_regularizer(0.0)(1) is None
    for options in ({"scale_l2": 0.0}, {"scale_l1": 0.0}):
        with tf.Graph().as_default():
            lone = layers.l1_l2_regularizer(**options)
            assert lone is not None
            assert lone(tf.constant([1.0])).name == "l1_l2_regularizer:0"
    with pytest.raises(ValueError, match="scale_l2 cannot be an integer: 1"):
        layers.l1_l2_regularizer(1.0, 1)
    for bad, message in ((-1.0, "less than 0"), (1, "cannot be an integer: 1")):
        for make in (layers.l1_regularizer, layers.l2_regularizer):
            with pytest.raises(ValueError, match=message):
                make(bad)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: layers.fully_connected(x, 2.5), "num_outputs type should be one of"),
        (lambda x: layers.conv2d(x, 2, 3), "expects input with rank 4, got 2"),
        (lambda x: layers.convolution(x, 2, 3), "not supported for input with rank"),
        (lambda x: layers.max_pool2d(x, 2, data_format="CHW"), "NCHW or NHWC"),
        (lambda x: layers.batch_norm(x, data_format="NC"), "NCHW or NHWC"),
        (lambda x: layers.batch_norm(x, batch_weights=[1.0]), "are incompatible"),
        (lambda x: layers.batch_norm(x, batch_weights=[1.0, 2.0], renorm=True), "renorm"),
        (lambda x: layers.layer_norm(x, begin_norm_axis=2), "must be < rank"),
        (lambda x: layers.convolution(x, 2, 3, data_format="WC"), "Invalid data_format: 'WC'"),
        (
            lambda x: layers.conv2d_transpose(x, 2, 3, data_format="CHWN"),
            "data_format has to be either NCHW or NHWC",
        ),
        (
            lambda x: layers.conv3d_transpose(x, 2, 3, data_format="NCHW"),
            "data_format has to be either NCDHW or NDHWC",
        ),
        (lambda x: layers.softmax(tf.placeholder(tf.float32)), "dims of shape must be known"),
    ],
)
def test_malformed_arguments(call: Callable[[Any], Any], message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        call(tf.placeholder(tf.float32, [2, 3]))


def test_dropout_in_training(session_factory: Any) -> None:
    with tf.Graph().as_default():
        on = tf.placeholder(tf.bool, [])
        y = slim.dropout(tf.ones([200, 50]), 0.75, is_training=on, seed=1)
        with session_factory() as session:
            found = session.run(y, {on: True})
            assert set(np.unique(found)) == {np.float32(0), np.float32(1 / 0.75)}
            assert 0.72 < (found > 0).mean() < 0.78
            assert (session.run(y, {on: False}) == 1).all()
