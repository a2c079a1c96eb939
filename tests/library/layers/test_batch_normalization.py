"""tf.layers.batch_normalization against its definition in numpy: outputs, averages, collections."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf

X = np.random.default_rng(0).normal(2.0, 3.0, [8, 3, 4, 5]).astype(np.float32)
OPTIONS: dict[str, dict[str, Any]] = {
    "fused": {},
    "not fused": {"fused": False},
    "channels second, fused": {"axis": 1},
    "channels second": {"axis": 1, "fused": False},
    "two axes": {"axis": [1, 3]},
    "bare": {"center": False, "scale": False},
}


def _expected(x: Any, axis: Any = -1) -> tuple[Any, Any, Any]:
    kept = {each % x.ndim for each in (axis if isinstance(axis, list) else [axis])}
    others = tuple(each for each in range(x.ndim) if each not in kept)
    mean, variance = x.mean(others, keepdims=True), x.var(others, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-3), mean, variance


@pytest.mark.parametrize("fed", [False, True], ids=["constant", "fed"])
@pytest.mark.parametrize("name", OPTIONS)
def test_by_batch_and_by_averages(name: str, fed: bool) -> None:
    options = OPTIONS[name]
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3, 4, 5])
        training: Any = tf.placeholder(tf.bool, []) if fed else True
        outputs = tf.layers.batch_normalization(x, training=training, name="b", **options)
        rest = tf.layers.batch_normalization(x, name="b", reuse=True, **options)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        assert [type(each) for each in updates] == [tf.Operation] * 2
        mean, variance = tf.global_variables()[-2:]
        assert [mean.op.name, variance.op.name] == ["b/moving_mean", "b/moving_variance"]
        assert len(tf.trainable_variables()) == len(tf.global_variables()) - 2
        session.run(tf.global_variables_initializer())
        feeds = {x: X, training: True} if fed else {x: X}
        want, batch_mean, batch_variance = _expected(X, options.get("axis", -1))
        have = session.run([outputs, updates], feeds)[0]
        np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-4)
        moved = session.run([mean, variance])
        if ("fused" in name and name != "not fused") or name == "bare":
            # One operation averages the variance without bias.
            count = X.size / batch_variance.size
            batch_variance = batch_variance * count / (count - 1)
        np.testing.assert_allclose(moved[0].ravel(), 0.01 * batch_mean.ravel(), rtol=1e-4)
        np.testing.assert_allclose(
            moved[1].ravel(), 0.99 + 0.01 * batch_variance.ravel(), rtol=1e-4
        )
        shape = batch_mean.shape
        by_averages = (X - moved[0].reshape(shape)) / np.sqrt(moved[1].reshape(shape) + 1e-3)
        np.testing.assert_allclose(session.run(rest, {x: X}), by_averages, rtol=1e-4, atol=1e-4)
        if fed:
            have = session.run([outputs, updates], {x: X, training: False})[0]
            np.testing.assert_allclose(have, by_averages, rtol=1e-4, atol=1e-4)
            np.testing.assert_array_equal(session.run(mean), moved[0])


def test_virtual_batches() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3, 4, 5])
        outputs = tf.layers.batch_normalization(x, training=True, virtual_batch_size=4)
        session.run(tf.global_variables_initializer())
        have = session.run(outputs, {x: X})
    for start in range(2):
        np.testing.assert_allclose(have[start::2], _expected(X[start::2])[0], rtol=1e-4, atol=1e-4)


def test_renormalization() -> None:
    bounds = {"rmin": 0.5, "rmax": 1.2, "dmax": 0.3}
    averages = ["moving_mean", "moving_variance", "moving_stddev", "renorm_mean", "renorm_stddev"]
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 5])
        outputs = tf.layers.batch_normalization(
            x, training=True, renorm=True, renorm_clipping=bounds, renorm_momentum=0.8, momentum=0.7
        )
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        assert [update.name for update in updates] == [
            "batch_normalization/AssignMovingAvg_2",
            "batch_normalization/AssignNewValue",
        ]
        variables = tf.global_variables()[2:]
        assert [v.op.name for v in variables] == [f"batch_normalization/{n}" for n in averages]
        near = graph.get_operation_by_name("batch_normalization/renorm_stddev")
        assert near.colocation_groups() == [b"loc:@batch_normalization/moving_variance"]
        session.run(tf.global_variables_initializer())
        mean, variance, stddev, near_mean, near_stddev = session.run(variables)
        for value, start in ((mean, 0), (stddev, 1), (near_mean, 0), (near_stddev, 1)):
            assert value.tolist() == [start] * 5
        for step in range(4):
            batch = np.random.default_rng(step).normal(step, 1 + step, [16, 5]).astype(np.float32)
            batch_mean, batch_stddev = batch.mean(0), np.sqrt(batch.var(0) + 1e-3)
            factor = np.clip(batch_stddev / near_stddev, 0.5, 1.2)
            summand = np.clip((batch_mean - near_mean) / near_stddev, -0.3, 0.3)
            want = (batch - batch_mean) / batch_stddev * factor + summand
            have = session.run([outputs, updates], {x: batch})[0]
            np.testing.assert_allclose(have, want, rtol=1e-3, atol=1e-4)
            mean = 0.7 * mean + 0.3 * batch_mean
            stddev = 0.7 * stddev + 0.3 * batch_stddev
            variance = stddev**2 - 1e-3
            near_mean = 0.8 * near_mean + 0.2 * batch_mean
            near_stddev = 0.8 * near_stddev + 0.2 * batch_stddev
            kept = mean, variance, stddev, near_mean, near_stddev
            for value, want in zip(session.run(variables), kept, strict=True):
                np.testing.assert_allclose(value, want, rtol=1e-4, atol=1e-5)


def test_renormalization_by_small_averages() -> None:
    """Neither does it divide by zero, nor is a variance negative."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[1.0], [1.0]], tf.float64)
        training = tf.placeholder_with_default(False, [])
        layer = tf.layers.BatchNormalization(
            renorm=True, moving_variance_initializer=tf.zeros_initializer(), dtype=tf.float64
        )
        outputs = layer(x, training=training)
        session.run(tf.global_variables_initializer())
        have, _ = session.run([outputs, layer.updates])
        np.testing.assert_allclose(have, [[1e3**0.5]] * 2)
        assert session.run(layer.variables[2:]) == [0.0] * 5
        have, _ = session.run([outputs, layer.updates], {training: True})
        # The mean is one away from the average: by the least deviation that is this much.
        np.testing.assert_allclose(have, [[1e3**0.5]] * 2)
        assert session.run(layer.moving_variance) == [0.0]
        np.testing.assert_allclose(session.run(layer.moving_stddev), [1e-2 * 1e-3**0.5])


def test_frozen_layers_are_not_updated() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 5])
        layer = tf.layers.BatchNormalization(trainable=False)
        layer(x, training=True)
        assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == layer.updates == []
        assert not tf.trainable_variables()
        layer.trainable = True
        assert layer.get_updates_for(x) == layer.updates
        assert not layer.get_updates_for(None)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"axis": 4}, "Invalid axis: 4"),
        ({"axis": [1, -1]}, "Duplicate axis"),
        ({"virtual_batch_size": 0}, "virtual_batch_size must be a positive integer"),
        ({"virtual_batch_size": 2, "axis": 0}, "axis cannot include 0"),
        ({"renorm": True, "renorm_clipping": {"r": 1}}, "contains keys not in"),
    ],
)
def test_refusals(options: dict[str, Any], text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        tf.layers.batch_normalization(tf.placeholder(tf.float32, [None, 5]), **options)


def test_the_variance_of_the_batch_itself() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        layer = tf.layers.BatchNormalization(momentum=0.0)
        layer._bessels_correction_test_only = False
        layer.apply(tf.constant(X), training=True)
        session.run(tf.global_variables_initializer())
        session.run(layer.updates)
        _, _, variance = _expected(X)
        np.testing.assert_allclose(session.run(layer.moving_variance), variance.ravel(), rtol=1e-5)
