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
    mean, stddev, moving = np.float32(0), np.float32(1), np.float32(1)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 5])
        outputs = tf.layers.batch_normalization(
            x, training=True, renorm=True, renorm_clipping=bounds, renorm_momentum=0.8
        )
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        session.run(tf.global_variables_initializer())
        for step in range(4):
            batch = np.random.default_rng(step).normal(step, 1 + step, [16, 5]).astype(np.float32)
            batch_mean, batch_stddev = batch.mean(0), np.sqrt(batch.var(0) + 1e-3)
            factor = np.clip(batch_stddev / stddev, 0.5, 1.2)
            summand = np.clip((batch_mean - mean) / stddev, -0.3, 0.3)
            want = (batch - batch_mean) / batch_stddev * factor + summand
            have = session.run([outputs, updates], {x: batch})[0]
            np.testing.assert_allclose(have, want, rtol=1e-3, atol=1e-4)
            mean = 0.8 * mean + 0.2 * batch_mean
            stddev = 0.8 * stddev + 0.2 * batch_stddev
            moving = 0.99 * moving + 0.01 * batch_stddev
            kept = {each.op.name.split("/")[1]: each for each in tf.global_variables()}
            have = session.run(kept)
            for name, want in {
                "renorm_mean": mean,
                "renorm_stddev": stddev,
                "moving_stddev": moving,
                "moving_variance": moving**2 - 1e-3,
            }.items():
                np.testing.assert_allclose(have[name], want, rtol=1e-4)
    assert list(kept)[2:] == [
        "moving_mean",
        "moving_variance",
        "moving_stddev",
        "renorm_mean",
        "renorm_stddev",
    ]


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
