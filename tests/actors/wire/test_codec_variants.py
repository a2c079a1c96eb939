"""Lists of tensors and optional values cross processes as plain data."""

from __future__ import annotations

from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow.actors.wire.codec import decode, encode
from dataflow.actors.wire.messages import SendTensor, TensorValue
from dataflow.errors import DataLossError, InvalidArgumentError
from dataflow.kernels.lists.optional import RAGGED, Optional
from dataflow.kernels.lists.sparse_matrix import SparseMatrix
from dataflow.kernels.lists.tensor_list import TensorList
from dataflow.values import dtypes


def crossed(value: Any) -> Any:
    message = decode(encode(TensorValue(value)))
    assert isinstance(message, TensorValue)
    return message.value


def floats(*values: Any) -> TensorList:
    return TensorList(dtypes.float32, (2, None), values, limit=7)


def test_a_list_arrives_as_it_was() -> None:
    first, large = np.zeros((2, 0), np.float32), np.ones((2, 3000), np.float32)
    sent = floats(first, None, large)
    have = crossed(sent)
    assert type(have) is TensorList
    assert have.dtype is dtypes.float32
    assert have.dims == (2, None)
    assert have.limit == 7
    elements = have.elements()
    assert elements[1] is None
    np.testing.assert_array_equal(elements[0], first)
    np.testing.assert_array_equal(elements[2], large)
    assert not elements[2].flags.writeable


def test_a_list_of_unknown_rank_of_scalars_and_strings() -> None:
    scalars = crossed(TensorList(dtypes.int32, None, [np.int32(3), np.int32(4)]))
    assert scalars.dims is None
    assert scalars.elements() == [3, 4]
    strings = crossed(TensorList(dtypes.string, (), [np.array(b"\xff", object)]))
    assert strings.get(0)[()] == b"\xff"


def test_lists_in_lists_and_optionals() -> None:
    outer = TensorList(
        dtypes.variant,
        (),
        [floats(), Optional((np.float32(1), floats()), (dtypes.float32, dtypes.variant))],
    )
    have = crossed(outer).elements()
    assert have[0].length == 0
    assert have[1].components[0] == 1
    assert have[1].components[1].dims == (2, None)
    assert have[1].dtypes == (dtypes.float32, dtypes.variant)
    assert crossed(Optional(None)).components is None


def test_an_array_of_lists() -> None:
    array = np.empty((2, 1), object)
    array[0, 0], array[1, 0] = floats(), TensorList(dtypes.int32, (), [np.int32(5)])
    have = crossed(array)
    assert have.shape == (2, 1)
    assert have[1, 0].elements() == [5]


def test_an_old_version_of_a_list_crosses() -> None:
    old = TensorList(dtypes.int32, (), [np.int32(1)])
    new = old.pushed(np.int32(2))
    assert crossed(old).elements() == [1]
    assert crossed(new).elements() == [1, 2]


def test_what_is_no_tensor_does_not_cross() -> None:
    with pytest.raises(InvalidArgumentError, match="cannot be sent to another process"):
        encode(TensorValue(TensorList(dtypes.resource, None, [object()])))


@pytest.mark.parametrize(
    "value",
    [
        (999, None, -1, ()),
        ("x", None, -1, ()),
        (1, 5, -1, ()),
        (1, (-3,), -1, ()),
        (1, None, "x", ()),
        (1, None, -1, 5),
        (1, None, -1, (5,)),
        (1, None, -1, ("x",)),
        (1, None),
        5,
    ],
)
def test_a_damaged_list_is_data_loss(value: Any) -> None:
    with pytest.raises(DataLossError):
        _decode_extension(6, value)


@pytest.mark.parametrize(
    "value", [5, (5,), ((5,), (1,)), (("x",), (7,)), (1, 2), ((), (1,)), ((), (999,)), (None, 5)]
)
def test_a_damaged_optional_is_data_loss(value: Any) -> None:
    with pytest.raises(DataLossError):
        _decode_extension(7, value)


@pytest.mark.parametrize("value", [5, ((1,), ()), ((1,), (5,)), ((-1,), ()), (None, ())])
def test_a_damaged_array_of_variants_is_data_loss(value: Any) -> None:
    with pytest.raises(DataLossError):
        _decode_extension(5, value)


def test_an_element_of_another_type_is_data_loss() -> None:
    sent = encode(TensorValue(TensorList(dtypes.float32, None, [np.float64(1)])))
    with pytest.raises(DataLossError, match="something else"):
        decode(sent)


@given(st.binary(max_size=60), st.integers(5, 7))
def test_arbitrary_bytes_are_refused_or_plain(data: bytes, code: int) -> None:
    try:
        _decode_packed(code, data)
    except DataLossError:
        pass


def test_the_content_is_all_that_is_damaged() -> None:
    assert _decode_extension(6, (1, None, -1, (None,))).value.elements() == [None]
    assert _decode_extension(7, ((), (), "")).value.components == ()
    assert _decode_extension(5, ((0,), ())).value.shape == (0,)


def _decode_extension(code: int, value: Any) -> Any:
    return _decode_packed(code, msgpack.packb(value))


def _decode_packed(code: int, content: bytes) -> Any:
    """Decodes a message whose value is an extension with these bytes."""
    whole = encode(SendTensor(1, "k", None, False))
    frames = _frames(whole)
    number, step, key, _, *others = msgpack.unpackb(frames[0])
    header = msgpack.packb((number, step, key, msgpack.ExtType(code, content), *others))
    size = len(header).to_bytes(8, "little")
    head = ((1).to_bytes(8, "little") + size).ljust(64, b"\0")
    return decode(head + header.ljust(-(-len(header) // 64) * 64, b"\0"))


def _frames(whole: bytes) -> list[bytes]:
    size = int.from_bytes(whole[8:16], "little")
    return [whole[64 : 64 + size]]


def test_the_kind_of_an_optional_arrives() -> None:
    assert crossed(Optional((np.float32(1),), (dtypes.float32,), RAGGED)).type_name == RAGGED
    assert crossed(Optional(None)).type_name == Optional(None).type_name


def test_a_sparse_matrix_arrives_as_it_was() -> None:
    indices = np.array([[0, 1], [1, 2]])
    sent = SparseMatrix((2, 3), dtypes.float64, indices, np.array([4.0, 5.0]))
    array = np.empty(1, object)
    array[0] = sent
    for have in (crossed(sent), crossed(array)[0]):
        assert (have.sizes, have.dtype) == ((2, 3), dtypes.float64)
        np.testing.assert_array_equal(have.indices, indices)
        np.testing.assert_array_equal(have.values, [4.0, 5.0])


@pytest.mark.parametrize(
    ("sizes", "indices", "values"),
    [
        ((2,), [[0]], [1.0]),
        ((2, 3), [[0, 3]], [1.0]),
        ((2, 3), [[-1, 0]], [1.0]),
        ((2, 3), [[0, 1]], [1.0, 2.0]),
        ((2, 3), [[0, 1]], [[1.0]]),
        ((2, 3), [[0, 1, 0]], [1.0]),
        ((2, -3), [[0, 1]], [1.0]),
    ],
)
def test_a_sparse_matrix_that_is_none(sizes: Any, indices: Any, values: Any) -> None:
    matrix = SparseMatrix(sizes, dtypes.float64, np.array(indices, np.int64), np.array(values))
    with pytest.raises(DataLossError):
        crossed(matrix)
