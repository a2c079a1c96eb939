"""Conditional random fields against the enumeration of all sequences of tags."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import crf
from tests.contrib.recurrent.arrays import ints, run, values

BATCH, TIME, TAGS = 4, 4, 3
SCORES = values(BATCH, TIME, TAGS, seed=1) * 2
TRANSITIONS = values(TAGS, TAGS, seed=2)
LENGTHS = ints([4, 1, 3, 0])
TRUE = np.random.RandomState(3).randint(0, TAGS, (BATCH, TIME))


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def score(row: int, tags: Any) -> float:
    total = sum(float(SCORES[row, place, tag]) for place, tag in enumerate(tags))
    return total + sum(float(TRANSITIONS[a, b]) for a, b in itertools.pairwise(tags))


def every(row: int, allowed: Any = None) -> dict[tuple[int, ...], float]:
    """The scores of all sequences of a row's length, or of those with tags that are allowed."""
    found = {}
    for tags in itertools.product(range(TAGS), repeat=int(LENGTHS[row])):
        if allowed is None or all(allowed[row, p, tag] for p, tag in enumerate(tags)):
            found[tags] = score(row, tags)
    return found


def log_sum(scores: Any) -> float:
    return float(np.log(np.sum(np.exp(list(scores)))))


def test_scores() -> None:
    bitmap = values(BATCH, TIME, TAGS, seed=4) > -0.3
    bitmap[..., 1] = True
    got, _ = run(
        crf.crf_sequence_score(SCORES, TRUE, LENGTHS, TRANSITIONS),
        crf.crf_unary_score(TRUE, LENGTHS, SCORES),
        crf.crf_binary_score(TRUE, LENGTHS, TRANSITIONS),
        crf.crf_log_norm(SCORES, LENGTHS, TRANSITIONS),
        crf.crf_log_likelihood(SCORES, TRUE, LENGTHS, TRANSITIONS)[0],
        crf.crf_multitag_sequence_score(SCORES, bitmap, LENGTHS, TRANSITIONS),
    )
    whole, unary, binary, norm, likelihood, several = got
    for row, length in enumerate(LENGTHS):
        tags = TRUE[row, :length]
        np.testing.assert_allclose(whole[row], score(row, tags), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(unary[row] + binary[row], whole[row], rtol=1e-5, atol=1e-6)
        only = sum(SCORES[row, place, tag] for place, tag in enumerate(tags))
        np.testing.assert_allclose(unary[row], only, rtol=1e-5, atol=1e-6)
        expected = log_sum(every(row).values())
        np.testing.assert_allclose(norm[row], expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(
            likelihood[row], score(row, tags) - expected, rtol=1e-4, atol=1e-5
        )
        expected = log_sum(every(row, bitmap).values())
        np.testing.assert_allclose(several[row], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("known", [True, False])
def test_best_tags(known: bool) -> None:
    fed: Any = tf.constant(SCORES)
    if not known:
        fed = tf.placeholder_with_default(SCORES, [None, None, TAGS])
    tags, best = crf.crf_decode(fed, TRANSITIONS, LENGTHS)
    assert tags.shape.as_list() == ([BATCH, TIME] if known else [BATCH, None])
    (found, scores), _ = run(tags, best)
    for row, length in enumerate(LENGTHS[:3]):
        expected, total = max(every(row).items(), key=lambda each: each[1])
        assert tuple(found[row, :length]) == expected
        np.testing.assert_allclose(scores[row], total, rtol=1e-5)
        in_numpy, same = crf.viterbi_decode(SCORES[row, :length], TRANSITIONS)
        assert tuple(in_numpy) == expected
        np.testing.assert_allclose(same, total, rtol=1e-5)


@pytest.mark.parametrize("known", [True, False])
def test_one_place(known: bool) -> None:
    fed: Any = tf.constant(SCORES[:, :1])
    if not known:
        fed = tf.placeholder_with_default(SCORES[:, :1], [None, None, TAGS])
    lengths = ints([1, 1, 1, 0])
    tags, best = crf.crf_decode(fed, TRANSITIONS, lengths)
    got, _ = run(
        tags,
        best,
        crf.crf_log_norm(fed, lengths, TRANSITIONS),
        crf.crf_sequence_score(fed, TRUE[:, :1], lengths, TRANSITIONS),
    )
    np.testing.assert_array_equal(got[0], SCORES[:, 0].argmax(-1)[:, None])
    np.testing.assert_allclose(got[1], SCORES[:, 0].max(-1))
    np.testing.assert_allclose(got[2][:3], np.log(np.exp(SCORES[:3, 0]).sum(-1)), rtol=1e-5)
    expected = np.take_along_axis(SCORES[:, 0], TRUE[:, :1], 1)[:, 0]
    np.testing.assert_allclose(got[3], np.where(lengths > 0, expected, 0), rtol=1e-5)


def test_loops_are_named_as_in_tensorflow(graph: Any) -> None:
    crf.crf_decode(SCORES, TRANSITIONS, LENGTHS)
    loops = {op.name.split("/while")[0] for op in graph.get_operations() if "/while" in op.name}
    assert loops == {"rnn", "rnn_1"}


def test_slopes_are_probabilities() -> None:
    """The gradient of the norm is the probability of each tag at each place."""
    inputs = tf.constant(SCORES)
    (gradient,), _ = run(tf.gradients(crf.crf_log_norm(inputs, LENGTHS, TRANSITIONS), inputs)[0])
    for row, length in enumerate(LENGTHS):
        found = every(row)
        total = log_sum(found.values())
        expected = np.zeros([TIME, TAGS])
        for tags, each in found.items():
            expected[np.arange(length), list(tags)] += np.exp(each - total)
        np.testing.assert_allclose(gradient[row], expected, rtol=1e-3, atol=1e-5)


def test_transitions_are_a_variable() -> None:
    with tf.variable_scope("tagger"):
        _, transitions = crf.crf_log_likelihood(SCORES, TRUE, LENGTHS)
    assert transitions.op.name == "tagger/transitions"
    assert transitions.shape.as_list() == [TAGS, TAGS]


def test_cells() -> None:
    forward = crf.CrfForwardRnnCell(TRANSITIONS)
    decode = crf.CrfDecodeForwardRnnCell(TRANSITIONS)
    back = crf.CrfDecodeBackwardRnnCell(TAGS)
    state, x = SCORES[:, 0], SCORES[:, 1]
    pointers, best = decode(tf.constant(x), tf.constant(state))
    tag, _ = back(pointers, tf.constant(ints([[2], [1], [0], [1]])))
    (sums, found, maxima, came), _ = run(
        forward(tf.constant(x), tf.constant(state))[0], pointers, best, tag
    )
    paths = state[:, :, None] + TRANSITIONS
    np.testing.assert_allclose(sums, x + np.log(np.exp(paths).sum(1)), rtol=1e-5)
    np.testing.assert_array_equal(found, paths.argmax(1))
    np.testing.assert_allclose(maxima, x + paths.max(1), rtol=1e-6)
    np.testing.assert_array_equal(came[:, 0], paths.argmax(1)[np.arange(4), [2, 1, 0, 1]])
    assert (forward.state_size, decode.output_size, back.state_size) == (TAGS, TAGS, 1)
