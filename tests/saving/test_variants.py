"""Variants in checkpoints and messages: what either library writes, both read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tensorflow

import dataflow as ours
from dataflow.checkpoints.variants import SavedVariant
from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.handles import in_array
from dataflow.kernels.lists.sparse_matrix import SparseMatrix
from dataflow.kernels.lists.tensor_list import TensorList
from dataflow.kernels.ops.parsing.variants import (
    read_variant,
    read_variants,
    saved_variant,
)
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.values import dtypes


def _made(tf: Any) -> dict[str, Any]:
    raw = tf.raw_ops
    reserved = raw.TensorListReserve(element_shape=[2], num_elements=3, element_dtype=tf.float32)
    strings = raw.TensorListFromTensor(tensor=["a"], element_shape=np.array([], np.int32))
    one = raw.OptionalFromValue(components=[tf.constant(1.0)])
    ragged = {
        "rt_nested_splits": [np.array([0, 2, 3], np.int64)],
        "rt_dense_values": np.array([1, 2, 3], np.int32),
    }
    return {
        "full": raw.TensorListFromTensor(tensor=[[1.0, 2.0], [3.0, 4.0]], element_shape=[2]),
        "holes": raw.TensorListSetItem(input_handle=reserved, index=1, item=[5.0, 6.0]),
        "limited": raw.EmptyTensorList(
            element_shape=[-1, 2], max_num_elements=4, element_dtype=tf.string
        ),
        "nested": raw.OptionalFromValue(components=[strings, tf.constant(["b", "cd"])]),
        "nothing": raw.OptionalNone(),
        "pair": tf.stack([raw.OptionalNone(), one]),
        "ragged": raw.RaggedTensorToVariant(**ragged, batched_input=False),
        "rows": raw.RaggedTensorToVariant(**ragged, batched_input=True),
        "sparse": tf.serialize_sparse(
            tf.SparseTensor([[0, 1]], [5.0], [2, 3]), out_type=tf.variant
        ),
    }


def _taken(tf: Any, held: dict[str, Any]) -> list[Any]:
    raw = tf.raw_ops
    for name, size in (("pair", 2), ("rows", 2), ("sparse", 3)):
        held[name].set_shape([size])
    lists = {"element_shape": [2], "element_dtype": tf.float32}
    nested = raw.OptionalGetValue(
        optional=held["nested"], output_types=[tf.variant, tf.string], output_shapes=[[], [2]]
    )
    ragged = {"output_ragged_rank": 1, "Tvalues": tf.int32, "Tsplits": tf.int64}
    whole = raw.RaggedTensorFromVariant(
        encoded_ragged=held["ragged"], input_ragged_rank=1, **ragged
    )
    rows = raw.RaggedTensorFromVariant(encoded_ragged=held["rows"], input_ragged_rank=0, **ragged)
    sparse = raw.DeserializeSparse(serialized_sparse=held["sparse"], dtype=tf.float32)
    return [
        raw.TensorListStack(input_handle=held["full"], **lists),
        raw.TensorListStack(input_handle=held["holes"], **lists),
        raw.TensorListElementShape(input_handle=held["limited"], shape_type=tf.int32),
        nested[1],
        raw.TensorListGetItem(
            input_handle=nested[0],
            index=0,
            element_shape=np.array([], np.int32),
            element_dtype=tf.string,
        ),
        raw.OptionalHasValue(optional=held["nothing"]),
        *(raw.OptionalHasValue(optional=held["pair"][place]) for place in range(2)),
        *(raw.OptionalHasValue(optional=each) for each in tf.unstack(held["pair"])),
        *(whole[0][0], whole[1], rows[0][0], rows[1], *sparse),
    ]


def _save(tf: Any, prefix: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = _made(tf)
        session.run(
            tf.raw_ops.SaveV2(
                prefix=prefix,
                tensor_names=list(made),
                shape_and_slices=[""] * len(made),
                tensors=list(made.values()),
            )
        )


def _loaded(tf: Any, prefix: str, names: list[str]) -> list[Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        found = tf.raw_ops.RestoreV2(
            prefix=prefix,
            tensor_names=names,
            shape_and_slices=[""] * len(names),
            dtypes=[tf.variant] * len(names),
        )
        values: list[Any] = session.run(_taken(tf, dict(zip(names, found, strict=True))))
        return values


def test_both_read_what_either_writes(tmp_path: Path) -> None:
    with ours.Graph().as_default(), ours.Session() as session:
        made = _made(ours)
        direct, names = session.run(_taken(ours, made)), list(made)
    for writer in (ours, tensorflow):
        prefix = str(tmp_path / writer.__name__)
        _save(writer, prefix)
        for reader in (ours, tensorflow):
            for found, known in zip(_loaded(reader, prefix, names), direct, strict=True):
                np.testing.assert_array_equal(found, known)


def test_messages_are_those_of_tensorflow() -> None:
    def variants_of(text: bytes) -> list[SavedVariant]:
        made = [saved_variant(each) for each in np.ravel(in_array(read_variants(text)))]
        return [each for each in made if each is not None]

    with tensorflow.Graph().as_default(), tensorflow.Session() as session:
        theirs = _made(tensorflow)
        messages = session.run([tensorflow.io.serialize_tensor(each) for each in theirs.values()])
    with ours.Graph().as_default(), ours.Session() as session:
        held = {
            name: ours.io.parse_tensor(message, ours.variant)
            for name, message in zip(theirs, messages, strict=True)
        }
        again = session.run([ours.io.serialize_tensor(each) for each in held.values()])
        found = session.run(_taken(ours, held))
        direct = session.run(_taken(ours, _made(ours)))
    for value, expected in zip(found, direct, strict=True):
        np.testing.assert_array_equal(value, expected)
    for text, message in zip(again, messages, strict=True):
        assert variants_of(text) == variants_of(message)


def test_a_variable_of_a_list(tmp_path: Path) -> None:
    with ours.Graph().as_default(), ours.Session() as session:
        raw = ours.raw_ops
        value = raw.TensorListFromTensor(tensor=[1.0, 2.0], element_shape=np.array([], np.int32))
        variable = ours.Variable(value, dtype=ours.variant, use_resource=True)
        length = raw.TensorListLength(input_handle=variable)
        variable.initializer.run()
        saver = ours.train.Saver([variable])
        path = saver.save(session, str(tmp_path / "model"))
        session.run(
            variable.assign(
                raw.EmptyTensorList(
                    element_shape=np.array([], np.int32),
                    max_num_elements=-1,
                    element_dtype=ours.float32,
                )
            ).op
        )
        assert session.run(length) == 0
        saver.restore(session, path)
        assert session.run(length) == 2


@pytest.mark.parametrize("batch", [(), (2,)])
def test_sparse_matrices(batch: tuple[int, ...]) -> None:
    dense = np.array([[[1.0, 0, 0], [0, 2, 3]], [[0, 0, 4], [0, 0, 0]]], np.float32)
    dense = dense if batch else dense[0]
    indices = np.argwhere(dense)
    matrix = SparseMatrix(dense.shape, dtypes.float32, indices, dense[tuple(indices.T)])
    saved = saved_variant(matrix)
    assert saved is not None
    assert (saved.type_name, saved.metadata) == (
        "tensorflow::CSRSparseMatrix",
        b"\1\0\0\0\1\0\0\0",
    )
    shape, ends, starts, columns, values = map(_array, saved.tensors)
    assert shape.tolist() == list(dense.shape)
    if batch:
        assert (ends.tolist(), starts.tolist()) == ([0, 3, 4], [0, 1, 3, 0, 1, 1])
        assert (columns.tolist(), values.tolist()) == ([0, 1, 2, 2], [1, 2, 3, 4])
    else:
        assert (ends.tolist(), starts.tolist()) == ([0, 3], [0, 1, 3])
        assert (columns.tolist(), values.tolist()) == ([0, 1, 2], [1, 2, 3])
    found = read_variant(saved)
    assert (found.sizes, found.dtype) == (matrix.sizes, matrix.dtype)
    np.testing.assert_array_equal(found.indices, matrix.indices)
    np.testing.assert_array_equal(found.values, matrix.values)


def _array(message: bytes) -> Any:
    return tensorflow.make_ndarray(TensorProto.FromString(message))


def _spoilt(metadata: bytes, *tensors: int) -> SavedVariant:
    whole = saved_variant(
        SparseMatrix((2, 3), dtypes.float32, np.array([[0, 1], [1, 2]]), np.ones(2, np.float32))
    )
    assert whole is not None
    return SavedVariant(whole.type_name, metadata, tuple(whole.tensors[t] for t in tensors))


@pytest.mark.parametrize(
    ("saved", "text"),
    [
        (SavedVariant("tensorflow::TensorList", b""), "the data end within a number"),
        (SavedVariant("tensorflow::TensorList", b"\x09"), "9 elements that are not set"),
        (SavedVariant("tensorflow::TensorList", b"\x01\x07\x01\x01"), "none is set at [7]"),
        (SavedVariant("tensorflow::TensorList", b"\x02\x00\x00\x01\x01"), "none is set at [0, 0]"),
        (SavedVariant("tensorflow::TensorList", b"\x00\x63\x01"), "99"),
        (SavedVariant("tensorflow::data::Optional", b"\x02"), "whether it holds tensors"),
        (SavedVariant("RaggedTensorVariant", b"", (b"\xff",)), "malformed"),
        (_spoilt(b"\1", 0, 1, 2, 3, 4), "does not consist of"),
        (_spoilt(bytes(8), 0, 1, 2, 3), "not enough values"),
        (_spoilt(bytes(8), 0, 1, 1, 3, 4), "its pointers do not fit its shape"),
        (_spoilt(bytes(8), 0, 3, 2, 3, 4), "its pointers do not fit its values"),
        (_spoilt(bytes(8), 0, 1, 2, 2, 4), "its pointers do not fit its values"),
    ],
)
def test_malformed_messages(saved: SavedVariant, text: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        read_variant(saved)
    assert f"A variant of the type {saved.type_name} is malformed" in caught.value.message
    assert text in caught.value.message


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\x05ab", "Variants of 5 bytes in a message of 2"),
        (b"\xff", "is malformed"),
        (b"\x02\xff\xff", "Could not parse"),
    ],
)
def test_malformed_pieces(content: bytes, text: str) -> None:
    message = TensorProto(dtype=dtypes.variant.as_datatype_enum, tensor_content=content)
    with ours.Graph().as_default(), ours.Session() as session:
        parsed = ours.io.parse_tensor(message.SerializeToString(), ours.variant)
        with pytest.raises(InvalidArgumentError) as caught:
            session.run(ours.raw_ops.OptionalHasValue(optional=parsed))
        assert text in caught.value.message


def test_elements_that_do_not_fit_their_list() -> None:
    saved = saved_variant(TensorList(dtypes.float32, (2,), [np.ones(2, np.float32)]))
    assert saved is not None
    other = SavedVariant(saved.type_name, b"\x00\x03\x01\x12\x02\x08\x02", saved.tensors)
    with pytest.raises(InvalidArgumentError) as caught:
        read_variant(other)
    assert "an element is float32 of shape [2], those of the list are int32" in caught.value.message


@pytest.mark.parametrize("limit", [-1, 0, 3])
def test_the_most_elements_of_a_list(limit: int) -> None:
    made = TensorList(dtypes.int32, (), [None, np.int32(5)], limit)
    saved = saved_variant(made)
    assert saved is not None
    found = read_variant(saved)
    assert (found.limit, found.elements(), found.dims) == (limit, [None, 5], ())


def test_what_has_no_words_is_refused(tmp_path: Path) -> None:
    with ours.Graph().as_default(), ours.Session() as session:
        dataset = ours.data.Dataset.range(3)._variant_tensor
        inside = ours.raw_ops.OptionalFromValue(components=[dataset])
        for value in (dataset, inside):
            op = ours.raw_ops.SaveV2(
                prefix=str(tmp_path / "d"),
                tensor_names=["d"],
                shape_and_slices=[""],
                tensors=[value],
            )
            with pytest.raises(ours.errors.UnimplementedError) as caught:
                session.run(op)
            assert "A variant tensor cannot be saved: d" in caught.value.message
