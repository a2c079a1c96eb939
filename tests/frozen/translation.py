"""Sequences to sequences: an encoder of gates, a decoder that attends to it, and a beam search."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

WORDS, WIDTH, BEAMS, LONGEST = 11, 8, 3, 7
_START, _END = 1, 0


def function(random: np.random.Generator) -> Any:
    """The best sequences and their scores, of words and how many there are."""

    def weights(*shape: int) -> Any:
        return tf.constant(random.normal(0, 1.5 / np.sqrt(shape[0]), shape), tf.float32)

    words, out = weights(WORDS, WIDTH), weights(WIDTH, WORDS)
    gates = {name: weights(2 * WIDTH, 3 * WIDTH) for name in ("encoder", "decoder")}

    def stepped(name: str, x: Any, state: Any) -> Any:
        update, reset, new = tf.split(tf.concat([x, state], -1) @ gates[name], 3, -1)
        update = tf.sigmoid(update)
        return update * state + (1 - update) * tf.tanh(new * tf.sigmoid(reset))

    def read(ids: Any, lengths: Any) -> Any:
        steps = tf.shape(ids)[1]
        inputs = tf.TensorArray(tf.float32, steps).unstack(
            tf.transpose(tf.gather(words, ids), [1, 0, 2])
        )

        def body(step: Any, state: Any, outputs: Any) -> Any:
            new = stepped("encoder", inputs.read(step), state)
            state = tf.where((step < lengths)[:, None], new, state)
            return step + 1, state, outputs.write(step, state)

        state = tf.zeros([tf.shape(ids)[0], WIDTH])
        start = (0, state, tf.TensorArray(tf.float32, steps))
        _, state, outputs = tf.while_loop(lambda step, *_: step < steps, body, start)
        return state, tf.transpose(outputs.stack(), [1, 0, 2])

    def call(ids: Any, lengths: Any) -> Any:
        batch = tf.shape(ids)[0]
        state, memory = (tf.repeat(each, BEAMS, 0) for each in read(ids, lengths))
        mask = tf.repeat(tf.sequence_mask(lengths, tf.shape(ids)[1]), BEAMS, 0)
        ended = tf.one_hot(_END, WORDS, 0.0, -1e9)

        def goes_on(step: Any, sequences: Any, scores: Any, is_done: Any, state: Any) -> Any:
            return (step < LONGEST) & ~tf.reduce_all(is_done)

        def body(step: Any, sequences: Any, scores: Any, is_done: Any, state: Any) -> Any:
            state = stepped("decoder", tf.gather(words, sequences[:, -1]), state)
            match = tf.where(mask, tf.einsum("bd,btd->bt", state, memory), -1e9)
            seen = tf.einsum("bt,btd->bd", tf.nn.softmax(match), memory)
            logits = tf.nn.log_softmax(tf.tanh(state + seen) @ out)
            logits = tf.where(is_done[:, None], ended, logits)
            total = tf.reshape(scores[:, None] + logits, [batch, BEAMS * WORDS])
            best, places = tf.math.top_k(total, BEAMS)
            parents = places // WORDS + tf.range(batch)[:, None] * BEAMS
            parents, chosen = tf.reshape(parents, [-1]), tf.reshape(places % WORDS, [-1])
            sequences = tf.concat([tf.gather(sequences, parents), chosen[:, None]], 1)
            is_done = tf.gather(is_done, parents) | (chosen == _END)
            return step + 1, sequences, tf.reshape(best, [-1]), is_done, tf.gather(state, parents)

        first = tf.tile(tf.constant([0.0] + [-1e9] * (BEAMS - 1)), [batch])
        start = (0, tf.fill([batch * BEAMS, 1], _START), first, tf.fill([batch * BEAMS], False))
        shapes = ([], [None, None], [None], [None], [None, WIDTH])
        _, sequences, scores, *_ = tf.while_loop(
            goes_on, body, (*start, state), tuple(map(tf.TensorShape, shapes))
        )
        shape = [batch, BEAMS, -1]
        return [tf.reshape(sequences, shape), tf.reshape(scores, shape[:2])]

    return call
