"""Beam search against the best of all sequences, and beams followed back in numpy."""

from __future__ import annotations

import collections
import itertools
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import rnn, seq2seq
from tests.contrib.recurrent.arrays import fixed_weights, ints, log_softmax, run, values

TOKENS, END, STEPS = 4, 3, 4
LOGITS = values(2, TOKENS, TOKENS, seed=8) * 2
"""For two examples, logits of the next token, of the last one."""


class Chain(tf.nn.rnn_cell.RNNCell):
    """The last token, as its input, decides on the next; the state says which example it is."""

    @property
    def state_size(self) -> Any:
        return 1

    @property
    def output_size(self) -> Any:
        return TOKENS

    def call(self, inputs: Any, state: Any) -> Any:
        example = tf.cast(state[:, 0], tf.int32)
        token = tf.argmax(inputs, -1, output_type=tf.int32)
        return tf.gather_nd(LOGITS, tf.stack([example, token], -1)), state


def best(example: int) -> list[tuple[float, tuple[int, ...]]]:
    """All sequences by score: ended ones, padded, and those of STEPS tokens."""
    log_probs = log_softmax(LOGITS[example])
    found = {}
    for tokens in itertools.product(range(TOKENS), repeat=STEPS):
        kept = list(tokens)
        if END in kept:
            kept = kept[: kept.index(END) + 1]
        total = sum(log_probs[one, two] for one, two in zip([0, *kept], kept, strict=False))
        found[tuple(kept + [END] * (STEPS - len(kept)))] = total
    return sorted(((score, tokens) for tokens, score in found.items()), reverse=True)


def test_wide_beams_find_the_best() -> None:
    width = 64
    with tf.Graph().as_default():
        state = seq2seq.tile_batch(tf.constant([[0.0], [1.0]]), width)
        decoder = seq2seq.BeamSearchDecoder(Chain(), tf.eye(TOKENS), [0, 0], END, state, width)
        output, final, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=STEPS)
        (got, ends), _ = run([output.predicted_ids, final.log_probs], final.lengths)
    ids, log_probs = got
    for example in range(2):
        expected = best(example)[:10]
        for beam, (score, tokens) in enumerate(expected):
            assert tuple(ids[example, :, beam]) == tokens
            np.testing.assert_allclose(log_probs[example, beam], score, rtol=1e-4)
            said = tokens.index(END) + 1 if END in tokens else STEPS
            assert ends[example, beam] == said


def narrow(example: int, width: int, weight: float) -> list[tuple[list[int], float]]:
    """Beam search, beam by beam."""
    log_probs = log_softmax(LOGITS[example])
    beams: list[tuple[list[int], float, int, bool]] = [([], 0.0, 0, False)]
    scores: list[float] = []
    for _ in range(STEPS):
        found = []
        for tokens, total, length, ended in beams:
            if ended:
                score = total / ((5 + length) / 6) ** weight
                found.append((score, [*tokens, END], total, length, True))
                continue
            last = tokens[-1] if tokens else 0
            for token in range(TOKENS):
                new = total + log_probs[last, token]
                score = new / ((5 + length + (token != END)) / 6) ** weight
                found.append((score, [*tokens, token], new, length + 1, token == END))
        found.sort(key=lambda each: -each[0])
        scores = [each[0] for each in found[:width]]
        beams = [each[1:] for each in found[:width]]
    return [(each[0], score) for each, score in zip(beams, scores, strict=True)]


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("weight", [0.0, 0.7, -1.5])
def test_narrow_beams(width: int, weight: float) -> None:
    with tf.Graph().as_default():
        state = seq2seq.tile_batch(tf.constant([[0.0], [1.0]]), width)
        decoder = seq2seq.BeamSearchDecoder(
            Chain(), tf.eye(TOKENS), [0, 0], END, state, width, length_penalty_weight=weight
        )
        output, _, _ = seq2seq.dynamic_decode(
            decoder, maximum_iterations=STEPS, output_time_major=True
        )
        (got,), _ = run(output)
    scores = got.beam_search_decoder_output.scores
    for example in range(2):
        for beam, (tokens, score) in enumerate(narrow(example, width, weight)):
            steps = got.predicted_ids[:, example, beam].tolist()
            assert steps == tokens[: len(steps)]
            if len(steps) == STEPS:
                np.testing.assert_allclose(scores[-1, example, beam], score, rtol=1e-4)


def test_attention_history_follows_the_beams() -> None:
    width, places = 3, 2
    memory = values(2, places, 5)
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        tiled = seq2seq.tile_batch(memory, width)
        cell = seq2seq.AttentionWrapper(
            tf.nn.rnn_cell.GRUCell(4),
            seq2seq.LuongAttention(4, tiled),
            attention_layer_size=4,
            alignment_history=True,
        )
        found = []
        for reorders in (True, False):
            with tf.variable_scope("", reuse=tf.AUTO_REUSE):
                decoder = seq2seq.BeamSearchDecoder(
                    cell,
                    values(TOKENS, 3, seed=4) * 4,
                    [0, 0],
                    END,
                    cell.zero_state(2 * width, tf.float32),
                    width,
                    tf.layers.Dense(TOKENS, name="out"),
                    coverage_penalty_weight=0.3,
                    reorder_tensor_arrays=reorders,
                )
                output, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=6)
            history = state.cell_state.alignment_history
            if not reorders:
                history = history.stack()
            found += [output.beam_search_decoder_output, history, state.lengths]
        (beams, ordered, lengths, _, plain, _), _ = run(*found)
    parents = beams.parent_ids.transpose(1, 0, 2)
    times = parents.shape[0]
    ordered = ordered.reshape(times, 2, width, places)
    plain = plain.reshape(times, 2, width, places)
    assert beams.scores.shape == (2, times, width) and np.isfinite(beams.scores[:, -1]).all()
    for example, beam in np.ndindex(2, width):
        at = beam
        for time in reversed(range(times)):
            if time < lengths[example, beam]:
                np.testing.assert_array_equal(
                    ordered[time, example, beam], plain[time, example, at]
                )
            if time < lengths[example].max():
                at = parents[time, example, at]


class Swapping(seq2seq.Decoder):
    """Two beams that change places, of which first the one, then the other has ended."""

    State = collections.namedtuple("State", "lengths")
    tracks_own_finished = True
    batch_size = 2
    output_size = tf.TensorShape([])
    output_dtype = tf.float32

    def initialize(self, name: Any = None) -> Any:
        return tf.constant([False, False]), tf.zeros([2]), self.State(tf.constant([7, 7]))

    def step(self, time: Any, inputs: Any, state: Any, name: Any = None) -> Any:
        ended = tf.gather([[True, False], [False, True], [True, True]], time)
        return inputs, state, inputs, ended


def test_lengths_say_when_a_place_has_ended() -> None:
    """TensorFlow 1.15 does not ask the decoder's state for its lengths."""
    with tf.Graph().as_default():
        lengths = seq2seq.dynamic_decode(Swapping())[2]
        np.testing.assert_array_equal(run(lengths)[0][0], [3, 2])


def test_gather_tree() -> None:
    steps = np.transpose([[[1, 2, 3], [4, 5, 6], [7, 8, 9], [-1, -1, -1]]], (1, 0, 2)).astype(
        np.int32
    )
    parents = np.transpose([[[0, 0, 0], [0, 1, 1], [2, 1, 2], [-1, -1, -1]]], (1, 0, 2)).astype(
        np.int32
    )
    with tf.Graph().as_default():
        beams = seq2seq.gather_tree(steps, parents, [3], 10)
        assert beams.shape.as_list() == [4, 1, 3]
        ended = seq2seq.gather_tree(steps, parents, [3], 6)
        none = seq2seq.gather_tree(steps[:0], parents[:0], [0], 6)
        (first, second, third), _ = run(beams, ended, none)
        assert third.shape == (0, 1, 3)
        # The documentation's example.
        np.testing.assert_array_equal(first[:, 0].T, [[2, 6, 7, 10], [2, 5, 8, 10], [2, 6, 9, 10]])
        np.testing.assert_array_equal(second[:, 0].T, [[2, 6, 6, 6], [2, 5, 8, 6], [2, 6, 6, 6]])
        with pytest.raises(TypeError, match="'step_ids' has DataType int64 not in list of allowed"):
            seq2seq.gather_tree(steps.astype(np.int64), parents, [3], 10)
        with pytest.raises(ValueError, match="must be rank 3"):
            seq2seq.gather_tree(steps[0], parents, [3], 10)
        parents = parents.copy()
        parents[1, 0, 1] = -1
        place = r"parent id -1 at \(batch, time, beam\) == \(0, 0, 1\)"
        with pytest.raises(tf.errors.InvalidArgumentError, match=place):
            run(seq2seq.gather_tree(steps, parents, [3], 10))
        parents[1, 0, 1] = 3
        with pytest.raises(tf.errors.InvalidArgumentError, match="Saw invalid parent id 3 at"):
            run(seq2seq.gather_tree(steps, parents, [3], 10))


def test_gather_tree_is_one_node_and_says_which_shapes_differ() -> None:
    """In the words of TensorFlow 1.15, whose frozen nets hold the node."""
    with tf.Graph().as_default():
        steps, parents, lengths, end = (tf.placeholder(tf.int32) for _ in range(4))
        beams = seq2seq.gather_tree(steps, parents, lengths, end, name="beams")
        assert (beams.op.name, beams.op.type) == ("beams", "GatherTree")
        known = seq2seq.gather_tree(
            tf.placeholder(tf.int32, [None, None, 3]), parents, tf.placeholder(tf.int32, [5]), end
        )
        assert known.shape.as_list() == [None, 5, 3]
        ones, longer = np.ones((2, 2, 3), np.int32), np.ones((3, 2, 3), np.int32)
        with tf.Session() as session:

            def fed(*values: Any) -> Any:
                return session.run(
                    beams, dict(zip((steps, parents, lengths, end), values, strict=True))
                )

            # Two batches, of which the second ends first; the third beam of the first is lost.
            later = np.stack([ones[0], [[0, 2, 1], [2, 2, 0]]])
            said = np.arange(12).reshape(2, 2, 3)
            np.testing.assert_array_equal(
                fed(said, later, [2, 1], -1),
                [[[0, 2, 1], [3, 4, 5]], [[6, 7, 8], [-1, -1, -1]]],
            )
            # What the first step comes from is not looked at.
            np.testing.assert_array_equal(fed(ones, [-ones[0], ones[0]], [2, 2], 0), ones)
            for values, words in (
                ((ones[0], ones[0], [1], 1), "step_ids must be a 3-tensor, saw shape: [2,3]"),
                ((ones, ones, [[1]], 1), "max_sequence_lengths must be a vector, saw shape: [1,1]"),
                ((ones, ones, [1, 1], [1]), "end_token must be a scalar, saw shape: [1]"),
                ((ones, ones[1:], [1, 1], 1), "shapes are: [2,2,3] and [1,2,3]"),
                ((ones, ones, [1], 1), "shapes are: [2,2,3] and [1]"),
                ((ones, 3 * ones, [2, 2], 1), "parent id 3 at (batch, time, beam) == (0, 0, 0)"),
                # Of several steps the last.
                (
                    (longer, 3 * longer, [3, 3], 1),
                    "parent id 3 at (batch, time, beam) == (0, 1, 0)",
                ),
            ):
                with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                    fed(*values)
                assert words in caught.value.message


def test_gather_tree_from_array() -> None:
    parents = np.random.RandomState(0).randint(0, 3, (4, 2, 3))
    lengths = ints([[4, 3, 4], [2, 2, 1]])
    with tf.Graph().as_default():
        for shape in ((4, 2, 3, 5), (4, 6, 5)):
            t = values(*shape)
            fed = tf.placeholder_with_default(t, [None] * len(shape))
            (got, other), _ = run(
                seq2seq.gather_tree_from_array(t, parents, lengths),
                seq2seq.gather_tree_from_array(fed, parents, lengths),
            )
            np.testing.assert_array_equal(got, other)
            got, t = got.reshape(4, 2, 3, 5), t.reshape(4, 2, 3, 5)
            for example, beam in np.ndindex(2, 3):
                at = beam
                for time in reversed(range(4)):
                    inside = time < lengths[example, beam]
                    expected = t[time, example, at if inside else beam]
                    np.testing.assert_array_equal(got[time, example, beam], expected)
                    if time < lengths[example].max():
                        at = parents[time, example, at]


def test_tile_batch_and_errors() -> None:
    x = values(2, 3)
    with tf.Graph().as_default():
        tiled = seq2seq.tile_batch({"a": x, "b": tf.placeholder(tf.float32, [None, 4])}, 3)
        assert tiled["a"].shape.as_list() == [6, 3] and tiled["b"].shape.as_list() == [None, 4]
        np.testing.assert_array_equal(run(tiled["a"])[0][0], np.repeat(x, 3, 0))
        with pytest.raises(ValueError, match="t must have statically known rank"):
            seq2seq.tile_batch(1.0, 3)
        with pytest.raises(ValueError, match="t must have statically known rank"):
            seq2seq.tile_batch(tf.placeholder(tf.float32), 3)
        state = tf.zeros([4, 1])
        with pytest.raises(ValueError, match="start_tokens must be a vector"):
            seq2seq.BeamSearchDecoder(Chain(), tf.eye(TOKENS), 0, END, state, 2)
        with pytest.raises(ValueError, match="end_token must be a scalar"):
            seq2seq.BeamSearchDecoder(Chain(), tf.eye(TOKENS), [0, 0], [END], state, 2)
        with pytest.raises(ValueError, match=r"coverage_penalty_weight must be 0\.0 if no cell"):
            seq2seq.dynamic_decode(
                seq2seq.BeamSearchDecoder(
                    Chain(), tf.eye(TOKENS), [0, 0], END, state, 2, coverage_penalty_weight=1.0
                )
            )


def test_on_both_targets(session_factory: Any) -> None:
    """Loops, TensorArrays and the one-op cell run as well on devices that are elsewhere."""
    with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
        tf.get_variable_scope().set_initializer(fixed_weights())
        memory = seq2seq.tile_batch(values(2, 3, 4), 2)
        cell = seq2seq.AttentionWrapper(
            rnn.LSTMBlockCell(4), seq2seq.BahdanauAttention(4, memory), 4, alignment_history=True
        )
        decoder = seq2seq.BeamSearchDecoder(
            cell,
            values(TOKENS, 3, seed=4),
            [0, 0],
            END,
            cell.zero_state(4, tf.float32),
            2,
            tf.layers.Dense(TOKENS),
        )
        output, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=3)
        (here,), _ = run([output.predicted_ids, state.log_probs, state.cell_state.attention])
        session = session_factory(graph)
        session.run(tf.global_variables_initializer())
        there = session.run([output.predicted_ids, state.log_probs, state.cell_state.attention])
        for one, other in zip(here, there, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5)
