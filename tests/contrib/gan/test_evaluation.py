"""Measures of generated images beside numpy and scipy, and normalization by a reference batch."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import sqrtm

import dataflow as tf
from dataflow.contrib import gan


@pytest.fixture(autouse=True)
def own_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def activations(seed: int, rows: int, columns: int = 6) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, columns)).astype(np.float32)


def test_scores_of_logits() -> None:
    logits = 3.0 * activations(1, 12)
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    expected = np.exp(np.mean(np.sum(p * (np.log(p) - np.log(p.mean(0))), 1)))
    given = tf.constant(logits)
    scores = [
        gan.eval.classifier_score_from_logits(given),
        gan.eval.classifier_score(given, lambda x: 2.0 * x / 2.0, num_batches=3),
    ]
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(scores), [expected] * 2, rtol=1e-6)
    assert scores[0].dtype == tf.float32
    with pytest.raises(ValueError, match="must have rank 2"):
        gan.eval.classifier_score_from_logits(tf.zeros([2]))


def test_frechet_distances() -> None:
    """By scipy's root of the product; the means and variances alone; of unequal numbers of rows."""
    real, made = activations(1, 24), 1.5 * activations(2, 30) + 0.5
    means = np.square(real.mean(0) - made.mean(0)).sum()
    spreads = np.cov(real, rowvar=False), np.cov(made, rowvar=False)
    whole = means + np.trace(spreads[0] + spreads[1] - 2 * sqrtm(spreads[0] @ spreads[1]).real)
    apart = means + np.square(real.std(0) - made.std(0)).sum()
    inputs = tf.constant(real), tf.constant(made)
    found = [
        gan.eval.frechet_classifier_distance(*inputs, lambda x: x, num_batches=6),
        gan.eval.frechet_classifier_distance_from_activations(*inputs),
        gan.eval.diagonal_only_frechet_classifier_distance_from_activations(*inputs),
        gan.eval.mean_only_frechet_classifier_distance_from_activations(*inputs),
    ]
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(found), [whole, whole, apart, means], rtol=1e-5)


@pytest.mark.parametrize("block", [64, 7])
def test_kernel_distances(block: int) -> None:
    """Blocks are of nearly equal sizes; one alone tells no error."""
    real, made = activations(1, 24), 1.5 * activations(2, 30) + 0.5
    count = -(-30 // block)

    def blocks(rows: np.ndarray) -> list[np.ndarray]:
        short = len(rows) // count
        longer = len(rows) - short * count
        sizes = [short] * (count - longer) + [short + 1] * longer
        return np.split(rows, np.cumsum(sizes)[:-1])

    each = []
    for r, m in zip(blocks(real), blocks(made), strict=True):
        inner = [((x @ x.T / 6 + 1) ** 3)[np.triu_indices(len(x), 1)].mean() for x in (r, m)]
        each.append(sum(inner) - 2 * ((r @ m.T / 6 + 1) ** 3).mean())
    error = np.std(each, ddof=1) / np.sqrt(count) if count > 1 else np.nan
    inputs = tf.constant(real), tf.constant(made)
    found = gan.eval.kernel_classifier_distance_and_std(
        *inputs, lambda x: x, num_classifier_batches=2, max_block_size=block
    )
    alone = gan.eval.kernel_classifier_distance_from_activations(
        *inputs, max_block_size=block, dtype=tf.float64
    )
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(found), [np.mean(each), error], rtol=1e-4)
        np.testing.assert_allclose(session.run(alone), np.mean(each), rtol=1e-5)
    assert alone.dtype == tf.float64
    with pytest.raises(ValueError, match="unequal types"):
        gan.eval.kernel_classifier_distance_from_activations(
            inputs[0], tf.zeros([4, 6], tf.float64)
        )


def test_frozen_classifiers(tmp_path: Path) -> None:
    """From a file or an archive, with one output or several, and pooled ones as rows."""
    with tf.Graph().as_default() as graph:
        images = tf.placeholder(tf.float32, [None, 8, 8, 3], "Mul")
        tf.reduce_mean(images, [1, 2], name="logits")
        tf.nn.avg_pool(images, [1, 4, 4, 1], [1, 4, 4, 1], "VALID", name="pool_3")
    path = tmp_path / "net.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    with tarfile.open(tmp_path / "net.tgz", "w:gz") as archive:
        archive.add(path, "inside/net.pb")
    net = gan.eval.get_graph_def_from_disk(str(path))
    archived = gan.eval.get_graph_def_from_url_tarball(
        (tmp_path / "net.tgz").as_uri(), "inside/net.pb", str(tmp_path / "kept.tgz")
    )
    assert net == archived == gan.eval.get_graph_def_from_resource(str(path))
    raw = np.random.default_rng(1).integers(0, 256, (5, 16, 16, 3)).astype(np.uint8)
    prepared = gan.eval.preprocess_image(tf.constant(raw), 8, 8)
    one = gan.eval.preprocess_image(tf.constant(raw[0]), 8, 8)
    both = gan.eval.run_inception(
        prepared, None, lambda: net, image_size=8, output_tensor=["logits:0", "pool_3:0"]
    )
    logits = gan.eval.run_inception(prepared, net, image_size=8)
    with tf.Session() as session:
        values, first, outputs, alone = session.run([prepared, one, both, logits])
    np.testing.assert_allclose(values, (raw[:, ::2, ::2] - 128.0) / 128.0, rtol=1e-6)
    np.testing.assert_array_equal(first, values[0])
    np.testing.assert_allclose(outputs[0], values.mean((1, 2)), atol=1e-6)
    np.testing.assert_array_equal(outputs[0], alone)
    pooled = values.reshape(5, 2, 4, 2, 4, 3).mean((2, 4))
    np.testing.assert_allclose(outputs[1], pooled.reshape(5, 12), atol=1e-6)
    with pytest.raises(ValueError, match=r"Shapes .* are incompatible"):
        gan.eval.run_inception(tf.ones([7, 50, 50, 3]), net)
    with pytest.raises(ValueError, match="must provide `default_graph_def_fn`"):
        gan.eval.run_inception(prepared, None, None, image_size=8)


@pytest.mark.parametrize("use_svd", [False, True])
def test_sliced_wasserstein_distances(use_svd: bool) -> None:
    """One pair for each resolution; what is of another kind is further away than other patches."""
    rng = np.random.default_rng(1)
    smooth = np.cumsum(rng.normal(size=(8, 32, 32, 3)), 1).astype(np.float32)
    noise = rng.uniform(size=(8, 32, 32, 3)).astype(np.float32)
    scores = gan.eval.sliced_wasserstein_distance(
        tf.constant(smooth), tf.constant(noise), patches_per_image=16, use_svd=use_svd
    )
    with tf.Session() as session:
        found = np.array(session.run(scores))
    assert found.shape == (2, 2)
    assert (found[:, 0] < found[:, 1]).all()
    with pytest.raises(ValueError, match=r"Shapes .* are incompatible"):
        gan.eval.sliced_wasserstein_distance(tf.zeros([2, 16, 16, 1]), tf.zeros([2, 16, 16, 1]))


def test_virtual_batch_norm() -> None:
    """An example's result is that of a batch of the reference and itself, whoever is beside it."""
    rng = np.random.default_rng(1)
    batch = tf.constant(rng.normal(size=[4, 5, 7, 3]), tf.float32)
    normal = tf.layers.batch_normalization(batch, training=True)
    pairs = []
    for at in range(4):
        others = tf.concat([batch[:at], batch[at + 1 :]], 0)
        norm = gan.features.VBN(others)
        pairs.append((norm(batch)[at], norm(batch[at : at + 1])[0], normal[at]))
    by_axis = [
        (
            gan.features.VBN(
                batch, axis, batch_axis=int(axis == 0)
            ).reference_batch_normalization(),
            tf.layers.batch_normalization(batch, axis, training=True),
        )
        for axis in range(4)
    ]
    bare = gan.features.VBN(batch, center=False, scale=False).reference_batch_normalization()
    half = gan.features.VBN(tf.cast(batch, tf.float16), center=False, scale=False)
    last = gan.features.VBN(batch, batch_axis=-2, axis=-1, name="last")
    rows = gan.features.VBN(batch[:, 0, 0], name="rows")
    assert last(tf.zeros([4, 5, 2, 3])).shape == [4, 5, 2, 3]
    assert rows(tf.zeros([9, 3])).shape == [9, 3]
    assert [each.op.name for each in tf.trainable_variables("rows")] == ["rows/beta", "rows/gamma"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for found, alone, expected in session.run(pairs):
            np.testing.assert_allclose(found, expected, atol=1e-5)
            np.testing.assert_allclose(alone, expected, atol=1e-5)
        for found, expected in session.run(by_axis):
            np.testing.assert_allclose(found, expected, atol=1e-5)
        np.testing.assert_allclose(*session.run([bare, normal]), atol=1e-5)
        narrow = session.run(half.reference_batch_normalization())
        assert narrow.dtype == np.float16
    for shape, kwargs, text in (
        (None, {}, "has unknown dimensions"),
        ([1, 2], {"axis": -3}, "is out of range"),
        ([1, 2], {"batch_axis": 2}, "is out of range"),
        ([1, 2], {"axis": 1, "batch_axis": 1}, "cannot be the same"),
    ):
        with pytest.raises(ValueError, match=text):
            gan.features.VBN(tf.placeholder(tf.float32, shape), **kwargs)
    with pytest.raises(ValueError, match=r"Shapes .* are incompatible"):
        last(tf.zeros([3, 5, 7, 3]))
