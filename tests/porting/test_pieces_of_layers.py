"""What unit tests of layers take from inside of tf.keras, with what 1.15 gives."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.porting.modules import TensorflowModule

KERAS = "tensorflow.python.keras."


def _module(path: str) -> Any:
    return TensorflowModule(f"{KERAS}{path}")


@pytest.mark.parametrize(
    ("mask", "padded", "lengths"),
    [
        ([[True, True, False], [True, False, False]], True, [2, 1]),
        ([[True, False, True], [True, True, True]], False, [2, 3]),
        ([[False, False]], True, [0]),
        ([[False, True]], False, [1]),
    ],
)
def test_masks_of_sequences(mask: Any, padded: bool, lengths: list[int]) -> None:
    module = _module("layers.recurrent_v2")
    with tf.Graph().as_default(), tf.Session() as session:
        rows, columns = tf.constant(mask), tf.constant(np.transpose(mask))
        found = session.run(
            [
                module.is_sequence_right_padded(rows, False),
                module.is_sequence_right_padded(columns, True),
                module.calculate_sequence_by_mask(rows, False),
                module.calculate_sequence_by_mask(columns, True),
            ]
        )
    assert found[:2] == [padded, padded]
    assert [each.tolist() for each in found[2:]] == [lengths, lengths]
    assert found[2].dtype == np.int32


def test_windows_of_local_layers() -> None:
    module = _module("layers.local")
    last = module.get_locallyconnected_mask((4,), (2,), (1,), "valid", "channels_last")
    first = module.get_locallyconnected_mask((3, 4), (2, 3), (1, 2), "same", "channels_first")
    assert (last.shape, first.shape) == ((4, 1, 3, 1), (1, 3, 4, 1, 3, 2))
    assert last[:, 0, :, 0].astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]]
    with pytest.raises(ValueError, match=r"^Unrecognized data_format: foo$"):
        module.get_locallyconnected_mask((4,), (2,), (1,), "valid", "foo")
    with tf.Graph().as_default(), tf.Session() as session:
        parts = tf.reshape(tf.range(12), [2, 3, 2])
        one, two = session.run([module.make_2d(parts, 1), module.make_2d(parts, 2)])
    assert (one.shape, two.shape) == ((2, 6), (6, 2))
    assert one.ravel().tolist() == two.ravel().tolist() == list(range(12))


def test_rows_of_kernels() -> None:
    module = _module("utils.kernelized_utils")
    with tf.Graph().as_default(), tf.Session() as session:
        pair = module._align_matrices(tf.constant([1.0, 2.0]), tf.constant([[3.0, 4], [5, 6]]))
        rows, others = session.run(pair)
        assert module._to_matrix(tf.constant([1.0])).shape.as_list() == [1, 1]
        with pytest.raises(ValueError, match=r"should have rank 1 or 2\. Given rank: 0$"):
            module._to_matrix(tf.constant(1.0))
    assert rows.tolist() == [[[1, 2], [1, 2]]]
    assert others.tolist() == [[[3, 4], [5, 6]]]


def test_elements_of_structures() -> None:
    module = _module("utils.tf_utils")
    pair = collections.namedtuple("pair", "a b")

    def grown(nested: Any) -> Any:
        return module.map_structure_with_atomic(
            lambda part: isinstance(part, int), lambda part: part + 1, nested
        )

    assert grown({"b": [1, (2,)], "a": pair(3, [4])}) == {"b": [2, (3,)], "a": pair(4, [5])}
    assert grown(1) == 2
    with pytest.raises(ValueError, match=r"^Received non-atomic and non-sequence element: a$"):
        grown([1, "a"])


def test_classes_of_configurations() -> None:
    module = _module("utils.generic_utils")
    told = module.serialize_keras_class_and_config("D", {"units": 1})
    assert told == {"class_name": "D", "config": {"units": 1}}
    find = module.class_and_config_for_serialized_keras_object
    assert find(told, {"D": int}) == (int, {"units": 1})
    assert find(told, {"D": int}, {"D": float}) == (float, {"units": 1})
    with tf.keras.utils.CustomObjectScope({"D": bytes}):
        assert find(told, {"D": int})[0] is bytes
    with pytest.raises(ValueError, match=r"^Unknown layer: D$"):
        find(told, {}, None, "layer")
    with pytest.raises(ValueError, match=r"^Improper config format: 5$"):
        find(5)
    assert issubclass(tf.keras.layers.Add, _module("layers.merge")._Merge)
