"""Places in a permutation: each once, and what the public function asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.oracle import open_session


@pytest.mark.parametrize("count", [2, 300, 70000])
def test_each_place_is_there_once(count: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        places = tf.random.experimental.index_shuffle(tf.range(count), [5, 9], count - 1)
        found = session.run(places)
    assert (np.sort(found) == np.arange(count)).all()


def _asked(library: Any) -> Any:
    with library.Graph().as_default() as graph:
        shuffle = library.random.experimental.index_shuffle
        asked = [
            shuffle(library.range(4), [5, 9], 3),
            shuffle(2, library.constant([-1, 7], library.int64), 1000),
            library.random_index_shuffle([4, 4], [[1, 2, 3], [3, 2, 1]], 9, rounds=6),
        ]
        names = [node.op for node in graph.as_graph_def().node]
        with open_session(library) as session:
            return names, [str(each.shape) for each in asked], session.run(asked)


def test_the_public_function_pads_seeds_as_tensorflow_does() -> None:
    ours, theirs = _asked(tf), _asked(oracle)
    assert ours[:2] == theirs[:2]
    for mine, wanted in zip(ours[2], theirs[2], strict=True):
        np.testing.assert_array_equal(mine, wanted, strict=True)


def test_each_index_may_have_seeds_of_its_own() -> None:
    """TensorFlow's documentation says so; its function pads them to another number of rows."""
    shuffle = tf.random.experimental.index_shuffle
    with tf.Graph().as_default(), tf.Session() as session:
        together = session.run(shuffle([1, 2], [[5, 9], [6, 8]], 99))
        alone = session.run([shuffle(1, [5, 9], 99), shuffle(2, [6, 8], 99)])
    assert together.tolist() == alone


@pytest.mark.parametrize("rounds", [2, 5])
def test_a_number_of_rounds_that_is_no_cipher_is_refused(rounds: int) -> None:
    """TensorFlow reads beyond its keys."""
    with tf.Graph().as_default(), tf.Session() as session:
        place = tf.random_index_shuffle(1, [1, 2, 3], 9, rounds=rounds)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(place)
    assert f"rounds must be even and at least 4 but was {rounds}" in caught.value.message
