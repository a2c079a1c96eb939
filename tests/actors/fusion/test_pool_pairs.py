"""Maximum pooling tells its gradient where the maxima were: the same gradients, from less work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.fusion.pairs import pool_pairs
from dataflow.actors.nodes.plan_node import PlanNode
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from tests.kernels.onednn_paths import switched_off

SHAPE = (6, 12, 10, 16)


@pytest.fixture
def paired(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the gradients that are told."""
    names: list[str] = []
    connect = pool_pairs._connect

    def noted(pool: PlanNode, gradient: PlanNode, slot: int) -> None:
        connect(pool, gradient, slot)
        names.append(gradient.name)

    monkeypatch.setattr(pool_pairs, "_connect", noted)
    return names


def images(seed: int = 0) -> np.ndarray:
    """Few different numbers, so that there are ties."""
    return np.random.default_rng(seed).integers(-3, 4, SHAPE).astype(np.float32)


def reference(x: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The gradient of pooling halves: to the first greatest of each window."""
    count, rows, columns, channels = x.shape
    windows = x.reshape(count, rows // 2, 2, columns // 2, 2, channels)
    flat = windows.transpose(0, 1, 3, 5, 2, 4).reshape(-1, 4)
    result = np.zeros_like(flat)
    result[np.arange(len(flat)), flat.argmax(axis=1)] = share.reshape(-1)
    folded = result.reshape(count, rows // 2, columns // 2, channels, 2, 2)
    return folded.transpose(0, 1, 4, 2, 5, 3).reshape(x.shape)


def halves(x: Any) -> Any:
    return tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")


def shares(y_shape: tuple[int, ...] = (6, 6, 5, 16)) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(y_shape, np.float32)


def test_gradients_are_those_of_the_maxima(paired: list[str]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, SHAPE)
        y = halves(x)
        (dx,) = tf.gradients(y, x, shares())
        for seed in range(5):
            given = images(seed)
            maxima, found = session.run([y, dx], {x: given})
            windows = given.reshape(6, 6, 2, 5, 2, 16)
            np.testing.assert_array_equal(maxima, windows.max(axis=(2, 4)))
            np.testing.assert_array_equal(found, reference(given, shares()))
    assert len(paired) == 1


def test_what_is_no_number(paired: list[str]) -> None:
    """Where a window has nothing but -inf, the gradient computes the places itself."""
    given = images()
    given[2, :2, :2] = -np.inf
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, SHAPE)
        (dx,) = tf.gradients(halves(x), x, shares())
        for _ in range(3):
            np.testing.assert_array_equal(session.run(dx, {x: given}), reference(given, shares()))
    assert len(paired) == 1


def test_a_window_without_a_number(paired: list[str]) -> None:
    """Nothing is greater than the first of it, which gets its share as in TensorFlow."""
    given, share = images(), shares()
    given[3, 4:6, 2:4] = np.nan
    expected = reference(np.nan_to_num(given), share)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, SHAPE)
        (dx,) = tf.gradients(halves(x), x, share)
        for _ in range(3):
            np.testing.assert_array_equal(session.run(dx, {x: given}), expected)
    assert len(paired) == 1


def test_without_onednn() -> None:
    with switched_off(), tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, SHAPE)
        (dx,) = tf.gradients(halves(x), x, shares())
        for _ in range(3):
            np.testing.assert_array_equal(
                session.run(dx, {x: images()}), reference(images(), shares())
            )


def test_maxima_that_are_fed_tell_nothing(paired: list[str]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, SHAPE)
        y = halves(x)
        (dx,) = tf.gradients(y, x, shares())
        for seed in range(3):
            given = images(seed)
            maxima = given.reshape(6, 6, 2, 5, 2, 16).max(axis=(2, 4))
            found = session.run(dx, {x: given, y: maxima})
            np.testing.assert_array_equal(found, reference(given, shares()))
    assert not paired


def test_two_gradients_of_one_pool(paired: list[str]) -> None:
    """One is told; the other one finds the places itself."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, SHAPE)
        y = halves(x)
        (first,) = tf.gradients(y, x, shares())
        (second,) = tf.gradients(y, x, 2.0 * shares())
        for _ in range(3):
            one, two = session.run([first, second], {x: images()})
            np.testing.assert_array_equal(one, reference(images(), shares()))
            np.testing.assert_array_equal(two, reference(images(), 2.0 * shares()))
    assert len(paired) == 1


def test_other_images_or_windows_than_the_pool_saw(paired: list[str]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, other = (tf.placeholder(tf.float32, SHAPE) for _ in range(2))
        y = halves(x)
        sizes = {"strides": [1, 2, 2, 1], "padding": "SAME"}
        of_other = tf.raw_ops.MaxPoolGrad(
            orig_input=other, orig_output=y, grad=shares(), ksize=[1, 2, 2, 1], **sizes
        )
        of_single = tf.raw_ops.MaxPoolGrad(
            orig_input=x, orig_output=y, grad=shares(), ksize=[1, 1, 1, 1], **sizes
        )
        single = np.zeros(SHAPE, np.float32)
        single[:, ::2, ::2] = shares()
        for seed in range(3):
            feeds = {x: images(seed), other: images(seed + 9)}
            found = session.run([of_other, of_single], feeds)
            np.testing.assert_array_equal(found[0], reference(images(seed + 9), shares()))
            np.testing.assert_array_equal(found[1], single)
    assert not paired


def test_maxima_of_either_branch(paired: list[str]) -> None:
    """Where the pool has not run, the gradient finds the places itself."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, SHAPE)
        wanted = tf.placeholder(tf.bool, [])
        y = tf.cond(wanted, lambda: halves(x), lambda: x[:, ::2, ::2])
        sizes = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
        dx = tf.raw_ops.MaxPoolGrad(orig_input=x, orig_output=y, grad=shares(), **sizes)
        for seed, choice in enumerate((True, False, True, False)):
            found = session.run(dx, {x: images(seed), wanted: choice})
            np.testing.assert_array_equal(found, reference(images(seed), shares()))


def test_in_a_branch(paired: list[str]) -> None:
    """Pooling and its gradient stand in different branches: the one may not have run."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, SHAPE)
        wanted = tf.placeholder(tf.bool, [])
        y = tf.cond(wanted, lambda: halves(x), lambda: x[:, ::2, ::2])
        (dx,) = tf.gradients(y, x, shares())
        for choice in (True, False, True, False):
            found = session.run(dx, {x: images(), wanted: choice})
            expected = reference(images(), shares())
            if not choice:
                expected = np.zeros(SHAPE, np.float32)
                expected[:, ::2, ::2] = shares()
            np.testing.assert_array_equal(found, expected)


def test_on_the_general_executor(paired: list[str]) -> None:
    """There each goes its own way: the pool may run in another iteration than the gradient."""
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.loop_optimization = RewriterConfig.OFF
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = tf.placeholder(tf.float32, SHAPE)
        wanted = tf.placeholder(tf.bool, [])
        dx = tf.cond(wanted, lambda: tf.gradients(halves(x), x, shares())[0], lambda: x)
        for choice in (True, False, True):
            expected = reference(images(), shares()) if choice else images()
            found = session.run(dx, {x: images(), wanted: choice})
            np.testing.assert_array_equal(found, expected)
    assert not paired


def test_a_trace_of_both(paired: list[str]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, SHAPE)
        (dx,) = tf.gradients(halves(x), x, shares())
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        for _ in range(4):
            found = session.run(dx, {x: images()}, options, metadata)
            np.testing.assert_array_equal(found, reference(images(), shares()))
    names = {n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats}
    assert paired and set(paired) < names
