"""Arrays that begin at a cache line, and what of a program lies so."""

from __future__ import annotations

import contextvars
import gc
import threading
import tracemalloc

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.contract.resources import Variable, snapshot
from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.workspace import workspace

FLOAT32 = np.dtype(np.float32)
LARGE = (100, 300)


def offset(array: np.ndarray) -> int:
    return array.ctypes.data % 64


def test_arrays_begin_at_a_line_and_own_their_memory() -> None:
    arrays = [aligned.empty((5000 + i, 3), FLOAT32) for i in range(50)]
    assert [offset(array) for array in arrays] == [0] * 50
    assert all(array.flags.owndata and array.base is None for array in arrays)
    assert arrays[7].shape == (5007, 3)
    assert arrays[7].dtype == FLOAT32


def test_memory_is_given_back() -> None:
    """numpy tells tracemalloc of what it gets and gives back, whoever the memory comes from."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        array = aligned.empty((100_000,), FLOAT32)
        assert tracemalloc.get_traced_memory()[0] - before >= 400_000
        array.resize(200_000, refcheck=False)
        array[:] = 3
        del array
        assert tracemalloc.get_traced_memory()[0] - before < 10_000
    finally:
        tracemalloc.stop()


def test_on_each_thread() -> None:
    found: list[int] = []

    def work() -> None:
        found.extend(offset(aligned.empty(LARGE, FLOAT32)) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [0] * 80


def test_the_memory_of_the_users_arrays_stays_as_it_was() -> None:
    aligned.empty(LARGE, FLOAT32)
    handler = np._core.multiarray.get_handler_name
    assert handler(np.empty(30_000, np.float32)) == "default_allocator"
    assert handler(aligned.empty(LARGE, FLOAT32)) == "aligned"


def test_inside_of_an_allocation() -> None:
    """As in a destructor that runs meanwhile: a context cannot be entered twice."""
    own = aligned._contexts.own
    assert isinstance(own, contextvars.Context)
    assert own.run(aligned.empty, LARGE, FLOAT32).shape == LARGE


def test_copies_are_in_c_order() -> None:
    given = np.arange(30_000, dtype=np.float32).reshape(LARGE).T
    made = aligned.copy(given)
    assert offset(made) == 0 and made.flags.c_contiguous
    np.testing.assert_array_equal(made, given)
    texts = np.array([b"a", b"bc"], object)
    assert aligned.copy(texts).tolist() == [b"a", b"bc"]


@pytest.mark.parametrize("shape", [(), (3,), (1_100_000,)])
def test_small_and_huge_arrays_are_numpys(shape: tuple[int, ...]) -> None:
    made = aligned.empty(shape, FLOAT32)
    assert made.shape == shape
    assert aligned.is_settled(made)
    assert np._core.multiarray.get_handler_name(made) == "default_allocator"


def elsewhere() -> np.ndarray:
    """An array of numpy's that begins at no line."""
    many = [np.ones((5000 + i, 3), np.float32) for i in range(100)]
    return next(array for array in many if offset(array))


def test_what_begins_elsewhere_is_not_settled() -> None:
    assert not aligned.is_settled(elsewhere())
    assert aligned.is_settled(aligned.empty(LARGE, FLOAT32))


def test_the_first_value_of_a_variable_is_moved_to_a_line() -> None:
    given = elsewhere()
    held = snapshot(given, handed_over=True, is_first=True)
    assert held is not given and not offset(held)
    np.testing.assert_array_equal(held, given)
    assert snapshot(given, handed_over=True) is given
    settled = aligned.empty(LARGE, FLOAT32)
    assert snapshot(settled, handed_over=True, is_first=True) is settled


def test_buffers() -> None:
    assert offset(workspace(np, "a test", LARGE, np.float32)) == 0


@pytest.mark.parametrize("use_resource", [False, True])
def test_what_steps_work_with(use_resource: bool) -> None:
    """Variables and their slots, what products and clusters of elementwise nodes make."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [600, 600])
        weights = tf.get_variable("w", [600, 600], use_resource=use_resource)
        product = tf.matmul(x, weights)
        cluster = tf.tanh(product * 2.0 + 1.0)
        optimizer = tf.train.AdamOptimizer(0.1)
        step = optimizer.minimize(tf.reduce_sum(cluster))
        session.run(tf.global_variables_initializer())
        feeds = {x: np.ones((600, 600), np.float32)}
        # Until it is known which layout of the nodes is the fastest.
        for _ in range(15):
            session.run(step, feeds)
            made = session.run([product, cluster], feeds)
        gc.collect()
        cells = [found for found in gc.get_objects() if isinstance(found, Variable)]
        held = [cell.value for cell in cells if np.shape(cell.value) == (600, 600)]
    assert len(held) == 3
    assert [offset(value) for value in (*made, *held)] == [0] * 5
