"""CTC losses and decoders, edit distances: nodes, values and gradients as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph, assert_same_refusal, built
from tests.oracle import oracle

LOGITS = np.random.default_rng(8).normal(size=[6, 3, 5]).astype(np.float32)
LABELS = np.int32([[1, 1, 2, 0], [3, 0, 0, 0], [2, 3, 2, 1]])
COUNTS, LENGTHS = np.int32([3, 1, 4]), np.int32([6, 2, 5])
Program = Callable[[Any], Any]


def sparse(tf: Any, first: int = 0) -> Any:
    """The labels, from `first` on."""
    rows = [[r, c] for r, count in enumerate(COUNTS) for c in range(count)]
    values = [int(LABELS[r, c]) - 1 + first for r, c in rows]
    return tf.SparseTensor(rows, tf.constant(values, tf.int32), [3, 4])


def parts(decoded: Any) -> list[Any]:
    tensors, scores = decoded
    return [scores, *(p for t in tensors for p in (t.indices, t.values, t.dense_shape))]


def with_gradient(tf: Any, loss: Callable[[Any], Any]) -> list[Any]:
    logits = tf.constant(LOGITS)
    found = loss(logits)
    return [found, *tf.gradients(found * found, logits)]


PROGRAMS: dict[str, Program] = {
    "loss": lambda tf: with_gradient(tf, lambda x: tf.nn.ctc_loss(sparse(tf), x, LENGTHS)),
    "loss of sequences first": lambda tf: with_gradient(
        tf,
        lambda x: tf.nn.ctc_loss(
            sparse(tf),
            logits=tf.transpose(x, [1, 0, 2]),
            sequence_length=LENGTHS,
            time_major=False,
            ctc_merge_repeated=False,
        ),
    ),
    "loss of half": lambda tf: tf.nn.ctc_loss(sparse(tf), LOGITS.astype(np.float16), LENGTHS),
    "loss of sparse labels": lambda tf: with_gradient(
        tf, lambda x: tf.nn.ctc_loss_v2(sparse(tf, 1), x, None, LENGTHS, blank_index=0)
    ),
    "loss of sparse labels, blank last": lambda tf: tf.nn.ctc_loss_v2(
        sparse(tf), tf.constant(LOGITS), None, LENGTHS, blank_index=-1
    ),
    "greedy": lambda tf: parts(tf.nn.ctc_greedy_decoder(LOGITS, LENGTHS)),
    "greedy of another blank": lambda tf: parts(
        tf.nn.ctc_greedy_decoder(LOGITS, LENGTHS, merge_repeated=False, blank_index=2)
    ),
    "beam": lambda tf: parts(tf.nn.ctc_beam_search_decoder(LOGITS, LENGTHS, 9, 3)),
    "beam, newer": lambda tf: parts(tf.nn.ctc_beam_search_decoder_v2(LOGITS, LENGTHS)),
    "edit_distance": lambda tf: tf.edit_distance(sparse(tf), sparse(tf, 1)),
    "edit_distance, not normalized": lambda tf: tf.edit_distance(
        tf.SparseTensorValue(np.int64([[0, 1]]), ["a"], [2, 2]),
        tf.SparseTensorValue(np.int64([[0, 0], [1, 1]]), ["b", "a"], [2, 2]),
        normalize=False,
        name="n",
    ),
    "collapse_repeated": lambda tf: list(tf.nn.collapse_repeated(LABELS, COUNTS)),
    "unique labels": lambda tf: list(tf.nn.ctc_unique_labels(LABELS)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_graph(name: str) -> None:
    assert_same_graph(PROGRAMS[name])


@pytest.mark.parametrize("blank", [None, 4, 2, -1])
@pytest.mark.parametrize("is_time_major", [True, False])
def test_same_loss_of_dense_labels(blank: int | None, is_time_major: bool) -> None:
    labels = np.where((blank or 0) % 5 == LABELS, 4 if blank == 2 else 1, LABELS)

    def program(tf: Any) -> Any:
        def loss(logits: Any) -> Any:
            if not is_time_major:
                logits = tf.transpose(logits, [1, 0, 2])
            counts = np.int32([3, 0, 4])
            unique = tf.nn.ctc_unique_labels(labels) if blank is None else None
            return tf.nn.ctc_loss_v2(
                labels, logits, counts, LENGTHS, is_time_major, unique, blank_index=blank
            )

        return with_gradient(tf, loss)

    for ours, theirs in zip(
        built(tf, program, True)[1], built(oracle, program, True)[1], strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5)


REFUSALS: dict[str, Program] = {
    "sparse labels without a blank": lambda tf: tf.nn.ctc_loss_v2(
        sparse(tf), tf.constant(LOGITS), None, LENGTHS
    ),
    "dense labels": lambda tf: tf.nn.ctc_loss(LABELS, LOGITS, LENGTHS),
    "dense hypothesis": lambda tf: tf.edit_distance(LABELS, sparse(tf)),
    "dense truth": lambda tf: tf.edit_distance(sparse(tf), LABELS),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_same_refusal(name: str) -> None:
    assert_same_refusal(REFUSALS[name])


def test_there_is_no_second_derivative() -> None:
    logits = tf.constant(LOGITS)
    (first,) = tf.gradients(tf.nn.ctc_loss(sparse(tf), logits, LENGTHS), logits)
    with pytest.raises(LookupError, match="no way to take the second  derivative of ctc_loss"):
        tf.gradients(first, logits)


def test_learns_what_is_said(session_factory: Any) -> None:
    """Logits are trained until all that is decoded is right."""
    logits = tf.Variable(tf.zeros([6, 3, 5]))
    loss = tf.reduce_mean(tf.nn.ctc_loss(sparse(tf), logits, LENGTHS))
    train = tf.train.GradientDescentOptimizer(20.0).minimize(loss)
    decoded, _ = tf.nn.ctc_beam_search_decoder(logits, LENGTHS, 10, merge_repeated=False)
    wrong = tf.edit_distance(tf.cast(decoded[0], tf.int32), sparse(tf))
    session = session_factory()
    session.run(tf.global_variables_initializer())
    for _ in range(25):
        session.run(train)
    assert session.run(wrong).tolist() == [0.0, 0.0, 0.0]
