"""What describes components, compared and joined, against TensorFlow's."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import tensor_spec

import dataflow as tf
from dataflow.library.concrete.bounds import BoundedTensorSpec


def _told(call: Callable[[], Any]) -> str:
    try:
        found = call()
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {_plain(error)}"
    return _plain(found)


def _plain(found: Any) -> str:
    """Without how TensorShapes of TensorFlow 1 show their sizes."""
    text = str(found).replace("?", "None")
    for size in (None, *range(9)):
        text = text.replace(f"Dimension({size})", str(size))
    return text


def _joined(library: Any) -> list[str]:
    tensor, slices, sparse = (
        library.TensorSpec,
        library.IndexedSlicesSpec,
        library.SparseTensorSpec,
    )
    f32, i32, i64 = library.float32, library.int32, library.int64
    specs = [
        tensor([1, 2], i32),
        tensor([1, 3], i32),
        tensor([None, 2], i32),
        tensor([2], i32),
        tensor([1, 2], i64),
        tensor([1, 2], i32, "x"),
        tensor([None, 2], i32, "x"),
        tensor([1, 2], i32, "y"),
        slices([None, 3], f32, i64, i32, [2]),
        slices([4, 3], f32, i64, i32, [None]),
        slices([4, 3]),
        sparse([1, 2], i32),
        sparse([None, 2], i32),
    ]
    found = []
    for a in specs:
        for b in specs:
            found.append(_told(lambda a=a, b=b: a.most_specific_compatible_type(b)))
            found.append(_told(lambda a=a, b=b: a.most_specific_common_supertype([b])))
            found.append(_told(lambda a=a, b=b: (a.is_subtype_of(b), a.is_compatible_with(b))))
            found.append(_told(lambda a=a, b=b: a == b))
    return found


def test_what_two_have_in_common() -> None:
    assert _joined(tf) == _joined(oracle)


def _of_values(library: Any) -> list[str]:
    def slices(*shape: Any) -> Any:
        return library.IndexedSlices(library.zeros([2, 3]), library.constant([0, 1]), *shape)

    sparse = library.SparseTensorValue([[0, 1]], np.array([1.0]), [2, 3])
    calls = (
        lambda: library.type_spec_from_value(slices(library.constant([5, 3]))),
        lambda: library.type_spec_from_value(slices()),
        lambda: library.type_spec_from_value([1, 2]),
        lambda: library.type_spec_from_value(print),
        lambda: library.SparseTensorSpec.from_value(sparse),
        lambda: library.SparseTensorSpec.from_value(3),
        lambda: library.data.Dataset.from_tensors(slices()).element_spec,
        lambda: library.is_symbolic_tensor(library.constant(1)),
        lambda: library.is_symbolic_tensor(slices()),
    )
    with library.Graph().as_default():
        return [_told(call) for call in calls]


def test_specs_of_values() -> None:
    assert _of_values(tf) == _of_values(oracle)


def _compatible(library: Any, bounded: Any) -> list[tuple[bool, ...]]:
    """What is compatible with specs of vectors of one float: of four kinds."""
    with library.Graph().as_default():
        specs = (
            library.TensorSpec([1], library.float32),
            library.TensorSpec(None, library.float32),
            bounded([1], library.float32, -1, 1),
            library.SparseTensorSpec([1], library.float32),
        )
        given = (
            *specs,
            *(library.TensorSpec([None], library.float32), bounded([1], library.float32, -2, 2)),
            *(library.zeros([1]), library.zeros([2]), library.zeros([1], library.int32)),
            *(library.placeholder(library.float32), library.SparseTensor([[0]], [1.0], [1])),
            *(library.Variable([1.0], use_resource=kind) for kind in (False, True)),
            library.RaggedTensorSpec([1], library.float32),
            *(None, np.zeros(1, np.float32), [1.0]),
        )
        return [tuple(spec.is_compatible_with(each) for each in given) for spec in specs]


def test_what_a_spec_is_compatible_with() -> None:
    found = _compatible(tf, BoundedTensorSpec)
    assert found == _compatible(oracle, tensor_spec.BoundedTensorSpec)
    assert {True, False} == set(found[2])


@pytest.mark.parametrize("dense_shape", [None, [5, 3]])
def test_slices_go_through_datasets(dense_shape: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        given = tf.IndexedSlices(
            tf.constant([[1, 2, 3], [4, 5, 6]]),
            tf.constant([3, 1]),
            None if dense_shape is None else tf.constant(dense_shape),
        )
        dataset = tf.data.Dataset.from_tensors(given).map(lambda each: each)
        element = tf.data.make_one_shot_iterator(dataset).get_next()
        assert isinstance(element, tf.IndexedSlices)
        value = session.run(element)
    assert value.values.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert value.indices.tolist() == [3, 1]
    assert (value.dense_shape is None) == (dense_shape is None)


def test_names_stay_in_copies() -> None:
    spec = tf.TensorSpec([None, 2], tf.int32, "x")
    assert copy.copy(spec) == spec != tf.TensorSpec([None, 2], tf.int32)
    assert copy.copy(spec).name == "x"
