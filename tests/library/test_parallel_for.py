"""pfor and for_loop of tensorflow.python.ops.parallel_for against TensorFlow's."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.ops.parallel_for import control_flow_ops as their_loops

import dataflow as tf
from dataflow.porting.spellings.ops import parallel as our_loops
from dataflow.porting.spellings.util.loops_of_tests import PForTestCase
from tests.oracle import open_session

LIBRARIES = [(tf, our_loops), (oracle, their_loops)]
X = np.random.RandomState(3).standard_normal((4, 3))


def _reduced(lib: Any, loops: Any) -> Any:
    x = lib.constant(X)

    def whitened(i: Any, pfor_config: Any) -> Any:
        row = lib.gather(x, i)
        apart = row - pfor_config.reduce_mean(row)
        squares = lib.square(apart)
        deviation = pfor_config.reduce(lambda all_rows: lib.reduce_max(all_rows, 0), squares)
        return {"row": apart / deviation, "total": pfor_config.reduce_sum(squares)}

    class Called:
        def __call__(self, i: Any, pfor_config: Any) -> Any:
            return pfor_config.reduce_concat(lib.gather(x, i))

    part = functools.partial(
        lambda i, pfor_config, scale: pfor_config.reduce_sum(i) * scale, scale=2
    )
    return [loops.pfor(fn, 4) for fn in (whitened, Called(), part)]


def _of_all_kinds(lib: Any, loops: Any) -> Any:
    def made(i: Any) -> Any:
        place = lib.reshape(lib.cast(i, lib.int64), [1])
        sparse = lib.SparseTensor(lib.expand_dims(place, 0), place * 2, place + 1)
        return sparse, lib.no_op(), None, (i, lib.cast(i, lib.float64))

    sparse, operation, nothing, dense = loops.pfor(made, 3)
    assert isinstance(operation, lib.Operation)
    assert nothing is None
    return [sparse.indices, sparse.values, sparse.dense_shape, dense]


def _slices(lib: Any, loops: Any) -> Any:
    return loops.pfor(
        lambda i: lib.IndexedSlices(indices=i, values=lib.reshape(i + 1, [1]), dense_shape=[3, 1]),
        2,
    )


def _missing(lib: Any, loops: Any) -> Any:
    nothing, squares = loops.for_loop(lambda i: (None, i * i), (lib.float32, lib.int32), 4)
    assert nothing is None
    return squares


@pytest.mark.parametrize("program", [_reduced, _of_all_kinds, _slices, _missing])
def test_results_are_tensorflows(program: Any) -> None:
    found = []
    for lib, loops in LIBRARIES:
        with lib.Graph().as_default(), open_session(lib) as session:
            found.append(session.run(program(lib, loops)))
    ours, theirs = map(tf.nest.flatten, found)
    for mine, expected in zip(ours, theirs, strict=True):
        assert np.asarray(mine).dtype == np.asarray(expected).dtype
        if np.asarray(mine).dtype == object:
            assert mine.tolist() == expected.tolist()
        else:
            np.testing.assert_allclose(mine, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "refused",
    [
        lambda lib, loops: loops.pfor(lambda i: i, 8, parallel_iterations=0),
        lambda lib, loops: loops.pfor(lambda i: i, 8, parallel_iterations=1),
        lambda lib, loops: loops.pfor(
            lambda i, pfor_config: pfor_config.reduce_sum(i), 8, parallel_iterations=2
        ),
        lambda lib, loops: loops.for_loop(lambda i: i, lib.int32, 8, parallel_iterations=0),
    ],
)
def test_refusals_are_tensorflows(refused: Any) -> None:
    said = []
    for lib, loops in LIBRARIES:
        with lib.Graph().as_default(), pytest.raises((TypeError, ValueError)) as caught:
            refused(lib, loops)
        said.append((caught.type, str(caught.value)))
    assert said[0] == said[1]


def test_the_number_of_results_is_that_of_the_types() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="outputs 1, does not match"):
        our_loops.for_loop(lambda i: (i, i), tf.int32, 2)


class _Loops(PForTestCase):
    def runTest(self) -> None:
        x = tf.Variable(X)
        self._test_loop_fn(lambda i: {"row": tf.gather(x, i), "i": i}, 4)
        self._test_loop_fn(lambda i: tf.gather(x, i), 4, tf.float64, parallel_iterations=2)
        sparse = our_loops.pfor(lambda i: tf.sparse.from_dense(tf.one_hot(i, 3)), 3)
        self.run_and_assert_equal(sparse, tf.sparse.from_dense(tf.eye(3)))
        with self.assertRaises(AssertionError):
            self.run_and_assert_equal(tf.constant([1.0]), tf.constant([1.1]))


def test_what_tests_of_loops_are_made_of() -> None:
    outcome = _Loops().run()
    assert outcome is not None
    assert outcome.wasSuccessful(), outcome.errors + outcome.failures
