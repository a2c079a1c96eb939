"""IndexedSlices: what they say of themselves and how they become dense."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from tests.differentiation.both import assert_same_graph, assert_same_refusal, oracle, tf


def slices(tf: Any, shape: Any = (5, 2)) -> Any:
    values = tf.placeholder("float32", [2, 2], name="values")
    dense_shape = None if shape is None else tf.constant(list(shape))
    return tf.IndexedSlices(values, tf.constant([3, 3]), dense_shape)


def test_becomes_dense_where_a_tensor_is_wanted() -> None:
    def program(tf: Any) -> Any:
        sparse = slices(tf)
        named = tf.convert_to_tensor(sparse, name="dense")
        return [named, tf.convert_to_tensor(sparse), tf.exp(sparse), tf.add_n([sparse, named])]

    assert_same_graph(program)


def test_its_shape_may_be_a_list() -> None:
    def program(tf: Any) -> Any:
        values = tf.placeholder("float32", [2, 2], name="values")
        return tf.convert_to_tensor(tf.IndexedSlices(values, tf.constant([3, 3]), [5, 2]))

    assert_same_graph(program)


def test_negation() -> None:
    assert_same_graph(lambda tf: -slices(tf))


@pytest.mark.parametrize("shape", [(5, 2), None])
def test_properties(shape: Any) -> None:
    def properties(tf: Any) -> list[str]:
        with tf.Graph().as_default() as graph:
            sparse = slices(tf, shape)
            assert sparse.graph is graph
            assert sparse.op is sparse.values.op
            used = [tf.exp(sparse.values), tf.identity(sparse.indices)]
            assert {op.name for op in sparse.consumers()} == {each.op.name for each in used}
            return [
                str(sparse),
                sparse.name,
                sparse.device,
                sparse.dtype.name,
                str(sparse.shape),
                str(sparse.get_shape() if hasattr(sparse, "get_shape") else sparse.shape),
            ]

    assert properties(tf) == properties(oracle)


def test_no_dense_shape() -> None:
    assert_same_refusal(lambda tf: tf.convert_to_tensor(slices(tf, None)))


def test_other_dtype() -> None:
    assert_same_refusal(lambda tf: tf.convert_to_tensor(slices(tf), dtype=tf.int32))


def test_stays_as_it_is() -> None:
    with tf.Graph().as_default():
        sparse = slices(tf)
        assert tf.convert_to_tensor_or_indexed_slices(sparse) is sparse


@pytest.mark.parametrize(("rows", "warned"), [(49_999_999, 0), (50_000_000, 1), (2_000_000_000, 1)])
def test_warns_of_a_large_dense_tensor(rows: int, warned: int) -> None:
    def texts(tf: Any) -> list[str]:
        with tf.Graph().as_default(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tf.convert_to_tensor(slices(tf, (rows, 2)))
            return [str(each.message) for each in caught if "IndexedSlices" in str(each.message)]

    ours = texts(tf)
    assert len(ours) == warned
    if rows < 2_000_000_000:  # TensorFlow's product of int32 sizes wraps beyond that.
        assert ours == texts(oracle)
    else:
        assert "4000000000 elements" in ours[0]


def test_operations_wait_for_slices() -> None:
    def program(tf: Any) -> Any:
        sparse = slices(tf)
        with tf.control_dependencies([sparse]):
            return tf.constant(1.0)

    assert_same_graph(program)
