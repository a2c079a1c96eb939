"""Inner functions of ctc_ops, gradients_impl and op_def_library, against those of TensorFlow."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import op_def_library
from tensorflow.python.ops import ctc_ops

import dataflow as tf
from dataflow.porting.spellings.data import thread_pools
from dataflow.porting.spellings.data.mapped_functions import map_defun
from dataflow.porting.spellings.framework import op_library
from dataflow.porting.spellings.ops import ctc
from tests.oracle import open_session

STATES = np.log(np.random.default_rng(3).uniform(size=[3, 2, 10])).astype(np.float32)
LABELS = [[3, 4, 3, 4], [1, 1, 1, 0]]


def _sums(a: Any, x: Any) -> Any:
    return a[0] + x[0], a[1] * x[1]


def _components(sparse: Any) -> list[Any]:
    return [sparse.indices, sparse.values, sparse.dense_shape]


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "to sparse": lambda tf, m: _components(
        m.dense_labels_to_sparse(tf.constant([[1, 3, 0, 9], [0, 2, 2, 9]]), [2, 3])
    ),
    "sums": lambda tf, m: tf.exp(m._sum_states([[0, 1, 0, 1], [0, 0, 0, 1]], STATES[:, :, :4])),
    "classes": lambda tf, m: tf.exp(
        m._state_to_olabel(tf.constant(LABELS), 8, tf.constant(STATES))
    ),
    "unique classes": lambda tf, m: tf.exp(
        m._state_to_olabel_unique(
            tf.constant(LABELS), 8, tf.constant(STATES), tf.nn.ctc_unique_labels(LABELS)
        )
    ),
    "scans": lambda tf, m: [
        m._scan(lambda a, x: a + x, tf.constant([1.0, 2.0, 3.0]), 23.0, **options)
        for options in (
            {},
            {"reverse": True},
            {"inclusive": True},
            {"reverse": True, "inclusive": True},
            {"final_only": True},
            {"reverse": True, "final_only": True},
        )
    ],
    "scan of structures": lambda tf, m: m._scan(
        _sums, (tf.constant([1.0, 2.0]), tf.ones([2, 3]) * 2.0), (tf.constant(5.0), tf.ones([3]))
    ),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_values_are_tensorflows(program: str) -> None:
    found = []
    for library, module in ((tf, ctc), (oracle, ctc_ops)):
        with library.Graph().as_default() as graph:
            made = PROGRAMS[program](library, module)
            with open_session(library, graph) as session:
                found.append(session.run(made))
    for ours, theirs in zip(*map(_flat, found), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
        assert ours.dtype == theirs.dtype


def _flat(found: Any) -> list[Any]:
    return [np.asarray(each) for each in (found if isinstance(found, (list, tuple)) else [found])]


def test_dense_labels_have_the_loss_of_sparse_ones() -> None:
    logits = np.random.default_rng(4).normal(size=[6, 2, 5]).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.constant([[1, 2, 0], [3, 3, 4]], tf.int64)
        dense = ctc.ctc_loss_dense(labels, logits, [2, 3], [6, 6], unique=None)
        sparse = ctc.dense_labels_to_sparse(labels, [2, 3])
        other = tf.nn.ctc_loss_v2(sparse, logits, None, [6, 6], blank_index=0)
        ours, theirs = session.run([dense, other])
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_functions_with_a_signature_are_mapped_over_rows() -> None:
    factor = tf.constant(3)
    row = [tf.TensorSpec([2], tf.int32)]
    function = tf.function(lambda x: (x * factor, tf.reduce_sum(x)), input_signature=row)
    rows = tf.constant([[1, 2], [3, 4], [5, 6]])
    products, sums = map_defun(function, [rows], [tf.int32, tf.int32], [(2,), None])
    assert products.shape.as_list() == [3, 2]
    with open_session(tf) as session:
        assert session.run([products, sums])[0].tolist() == [[3, 6], [9, 12], [15, 18]]
        assert session.run(sums).tolist() == [3, 7, 11]
    for lists in ((rows, [tf.int32], [()]), ([rows], tf.int32, [()]), ([rows], [tf.int32], ())):
        with pytest.raises(ValueError, match="must be a list of"):
            map_defun(function, *lists)


def test_no_more_calls_go_on_than_a_pool_has_threads() -> None:
    together, most = [0], [0]

    def noted(x: Any) -> Any:
        together[0] += 1
        most[0] = max(most[0], together[0])
        time.sleep(0.002)
        together[0] -= 1
        return x

    numbers = tf.data.Dataset.range(12)
    made = numbers.map(lambda x: tf.py_func(noted, [x], tf.int64), num_parallel_calls=6)
    pool = thread_pools.PrivateThreadPool(1, "pool", max_intra_op_parallelism=2)
    handle = pool._resource.op
    assert (handle.type, handle.get_attr("display_name")) == ("ThreadPoolHandle", b"pool")
    made = thread_pools.override_threadpool(made, pool)
    iterator = tf.data.make_initializable_iterator(made)
    following = iterator.get_next()
    with open_session(tf) as session:
        session.run(iterator.initializer)
        assert [int(session.run(following)) for _ in range(12)] == list(range(12))
    assert most == [1]


def test_a_mapped_function_that_waits_ends_with_its_session() -> None:
    queue = tf.FIFOQueue(3, tf.int32, [[]], shared_name="mapped_rows")
    row = [tf.TensorSpec([], tf.int32)]
    function = tf.function(lambda x: x + queue.dequeue(), input_signature=row)
    (mapped,) = map_defun(function, [tf.constant([1, 2])], [tf.int32], [()])
    with open_session(tf) as session:
        session.run(queue.enqueue_many([[10, 20]]))
        assert session.run(mapped).tolist() == [11, 22]
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(mapped, options=tf.RunOptions(timeout_in_ms=100))
        session.run(queue.enqueue_many([[30, 40]]))
        assert session.run(mapped).tolist() == [31, 42]


def test_op_takes_arguments_by_the_names_in_its_definition() -> None:
    for library, module in ((oracle, op_def_library), (tf, op_library)):
        with library.Graph().as_default():
            parts = module.apply_op("Split", split_dim=1, value=[[1, 2]], num_split=2, name="s")
            assert [part.name for part in parts] == ["s:0", "s:1"]
            total = module.apply_op("Add", x_=1, y_=2)
            assert total.op.type == "Add"


@pytest.mark.parametrize(
    "keywords",
    [{"x": 1}, {"x": 1, "y": 2, "z": 3, "a": 4}, {"x": 1, "y": 2, "T": tf.int32}],
)
def test_arguments_that_an_op_lacks_are_named_in_tensorflows_words(
    keywords: dict[str, Any],
) -> None:
    texts = []
    for library, module in ((oracle, op_def_library), (tf, op_library)):
        with library.Graph().as_default(), pytest.raises(TypeError) as caught:
            module.apply_op("Add", **keywords)
        texts.append(str(caught.value).splitlines()[0])
    assert texts[0] == texts[1]
