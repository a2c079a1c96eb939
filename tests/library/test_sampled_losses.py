"""Losses over sampled classes: nodes, values and gradients as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph

RANDOM = np.random.default_rng(4)
WEIGHTS = RANDOM.normal(size=[12, 4]).astype(np.float32)
BIASES = RANDOM.normal(size=[12]).astype(np.float32)
INPUTS = RANDOM.normal(size=[3, 4]).astype(np.float32)
LABELS = np.int64([[1, 0], [4, 4], [11, 2]])


def labels(tf: Any, columns: int = 1, dtype: Any = None) -> Any:
    values = LABELS[:, :columns].astype((dtype or tf.int64).as_numpy_dtype)
    return tf.placeholder_with_default(values, [None, columns])


def loss(tf: Any, kind: str, parts: Any = None, columns: int = 1, **options: Any) -> list[Any]:
    """The loss and its gradients; the sampler draws by the seed of the graph."""
    tf.set_random_seed(5)
    inputs, biases = tf.constant(INPUTS), tf.Variable(BIASES)
    weights = tf.Variable(WEIGHTS) if parts is None else [tf.Variable(part) for part in parts]
    found = getattr(tf.nn, kind)(
        weights, biases, labels(tf, columns), inputs, 5, 12, num_true=columns, **options
    )
    return [found, tf.gradients(found, [inputs, *tf.trainable_variables()])]


def uniform(tf: Any) -> Any:
    return tf.random.uniform_candidate_sampler(labels(tf), 1, 5, True, 12, seed=3)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "nce": lambda tf: loss(tf, "nce_loss"),
    "nce of two classes": lambda tf: loss(tf, "nce_loss", columns=2, remove_accidental_hits=True),
    "nce of parts": lambda tf: loss(tf, "nce_loss", [WEIGHTS[0::3], WEIGHTS[1::3], WEIGHTS[2::3]]),
    "nce of rows in parts": lambda tf: loss(
        tf, "nce_loss", [WEIGHTS[:6], WEIGHTS[6:]], partition_strategy="div", name="noise"
    ),
    "nce of given candidates": lambda tf: loss(tf, "nce_loss", sampled_values=uniform(tf)),
    "softmax": lambda tf: loss(tf, "sampled_softmax_loss"),
    "softmax with hits": lambda tf: loss(tf, "sampled_softmax_loss", remove_accidental_hits=False),
    "softmax with a seed": lambda tf: loss(tf, "sampled_softmax_loss", columns=2, seed=9),
    "int32": lambda tf: tf.nn.sampled_softmax_loss(
        tf.constant(WEIGHTS),
        tf.constant(BIASES),
        labels(tf, dtype=tf.int32),
        tf.constant(INPUTS),
        5,
        12,
        seed=2,
    ),
    "uniform": lambda tf: list(uniform(tf)),
    "log_uniform": lambda tf: list(
        tf.nn.log_uniform_candidate_sampler(labels(tf), 1, 4, False, 90, seed=1, name="n")
    ),
    "learned_unigram": lambda tf: list(
        tf.random.learned_unigram_candidate_sampler(labels(tf), 1, 4, True, 90, seed=1)
    ),
    "fixed_unigram": lambda tf: list(
        tf.nn.fixed_unigram_candidate_sampler(
            labels(tf), 1, 4, True, 12, unigrams=list(range(1, 13)), distortion=0.75, seed=1
        )
    ),
    "all": lambda tf: list(tf.nn.all_candidate_sampler(labels(tf), 1, 12, True, seed=1)),
    "accidental hits": lambda tf: list(
        tf.nn.compute_accidental_hits(labels(tf, 2), tf.constant([2, 4], tf.int64), 2)
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_graph(name: str) -> None:
    assert_same_graph(PROGRAMS[name])


def test_weights_from_a_file(tmp_path: Any) -> None:
    path = tmp_path / "words.csv"
    path.write_text("the,40\nof,20.5\n\nand,10\nwords,3,7\n")

    def program(tf: Any) -> Any:
        true = tf.constant([[1], [3]], tf.int64)
        return list(
            tf.nn.fixed_unigram_candidate_sampler(
                true, 1, 9, False, 5, vocab_file=str(path), num_reserved_ids=1, seed=4
            )
        )

    assert_same_graph(program)


def test_refused(tmp_path: Any) -> None:
    path = tmp_path / "words.csv"
    path.write_text("the,40\nof,many\n")
    true = tf.constant([[0]], tf.int64)
    with pytest.raises(ValueError, match="range_max:3000000000 is too large to handle"):
        tf.nn.learned_unigram_candidate_sampler(true, 1, 2, True, 3_000_000_000)
    for text, attrs in (
        ("Wrong vocabulary format at line: of,many", {"vocab_file": str(path)}),
        ("add up to 0.0: that must be a finite number above 0", {"unigrams": [0.0, 0.0]}),
        ("2 different classes were asked for, but only 1 have a weight", {"unigrams": [0.0, 1.0]}),
    ):
        drawn = tf.nn.fixed_unigram_candidate_sampler(true, 1, 2, True, 2, name="draw", **attrs)
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(drawn)
        assert text in str(caught.value)
        assert "draw" in str(caught.value)


def test_draws_without_a_seed_differ_and_are_spread_as_asked() -> None:
    true = tf.zeros([1, 1], tf.int64)
    for make, shares in (
        (tf.random.uniform_candidate_sampler, np.full(4, 0.25)),
        (tf.random.log_uniform_candidate_sampler, np.diff(np.log(np.arange(1, 6))) / np.log(5)),
        (tf.random.learned_unigram_candidate_sampler, np.full(4, 0.25)),
    ):
        drawn = make(true, 1, 40000, False, 4)[0]
        with tf.Session() as session:
            first, second = session.run(drawn), session.run(drawn)
        assert (first != second).any()
        # Five times the standard deviation of a share.
        np.testing.assert_allclose(np.bincount(first) / 40000, shares, atol=0.0125)


def test_trains(session_factory: Any) -> None:
    """The table of a softmax over sampled classes learns which class is the true one."""
    tf.set_random_seed(1)
    weights, biases = tf.Variable(tf.zeros([12, 4])), tf.Variable(tf.zeros([12]))
    inputs = tf.constant(np.eye(4, dtype=np.float32))
    true = tf.constant([[3], [1], [7], [9]])
    lost = tf.nn.sampled_softmax_loss(weights, biases, true, inputs, 4, 12)
    train = tf.train.GradientDescentOptimizer(2.0).minimize(tf.reduce_mean(lost))
    session = session_factory()
    session.run(tf.global_variables_initializer())
    for _ in range(60):
        session.run(train)
    logits = session.run(tf.matmul(inputs, weights, transpose_b=True) + biases)
    assert logits.argmax(axis=1).tolist() == [3, 1, 7, 9]
