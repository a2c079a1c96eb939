"""Tensor messages and the conversion of Python values against TensorFlow's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tensorflow.core.framework import tensor_pb2 as tf_tensor_pb2
from tensorflow.python.framework import dtypes as tf_dtypes
from tensorflow.python.framework import tensor_util

from dataflow import errors
from dataflow.proto import tensor_pb2
from dataflow.values import dtypes, shapes, tensor_proto, tensor_values
from tests.checks import make_all
from tests.words import as_in_tensorflow_1

# TensorFlow's writer refuses single values of these.
NO_SCALARS = (
    dtypes.float8_e4m3fnuz.as_datatype_enum,
    dtypes.float8_e4m3b11fnuz.as_datatype_enum,
    dtypes.float8_e5m2fnuz.as_datatype_enum,
)
# values, dtype number, shape, verify_shape, allow_broadcast
VALUES: list[Any] = [
    (1,),
    (1.5,),
    (True,),
    (1j,),
    ("text",),
    ("é",),
    (b"a\0",),
    (float("nan"),),
    (float("inf"),),
    (2**31 - 1,),
    (2**31,),
    (2**40,),
    (2**63,),
    (2**70,),
    (-(2**40),),
    ([],),
    ([[]],),
    ([[], []],),
    ((),),
    ([1, 2],),
    ([[1, 2], [3, 4]],),
    (((1, 2), (3, 4)),),
    ([2**40, 1],),
    ([1, 2.5],),
    ([1, 2j],),
    ([True, False],),
    ([True, 2],),
    (["a\0", b"bc"],),
    ([b"\xff"],),
    ([["a", "bb"], ["ccc", ""]],),
    ([[["a"]]],),
    ([1, "a"],),
    ([[1], [1, 2]],),
    ([1, [2]],),
    ([[1], 2],),
    ([["a"], ["b", "c"]],),
    (None,),
    ([None],),
    ({"a": 1},),
    ({"a": 1}, dtypes.int32),
    (range(3),),
    (bytearray(b"ab"),),
    (memoryview(b"ab"),),
    ([1, None], dtypes.float32),
    (1, dtypes.string),
    (True, dtypes.int32),
    (True, dtypes.float32),
    (1, dtypes.bool),
    ([np.True_], dtypes.bool),
    (np.True_, dtypes.bool),
    (1, dtypes.float16),
    (1e10, dtypes.float16),
    (1e40,),
    (1e40, dtypes.float32),
    ("x", dtypes.float32),
    ([1.5], dtypes.int32),
    ([[1, 2.5]], dtypes.int64),
    (1j, dtypes.float32),
    (1, dtypes.complex64),
    ([1, 2j], dtypes.complex128),
    (-1, dtypes.uint8),
    (300, dtypes.uint8),
    ([2**40], dtypes.int32),
    ([2**70], dtypes.int64),
    ([1, 2], dtypes.qint8),
    ([(1,), (2,)], dtypes.qint8),
    ((1,), dtypes.quint16),
    ((1.5,), dtypes.qint32),
    (1, dtypes.float32._as_ref),
    (1, dtypes.resource),
    ("a", dtypes.variant),
    (1, dtypes.float32, [2, 3]),
    (1, None, [2, 3]),
    (1, None, []),
    (1, None, (np.int64(2),)),
    ([1, 2], None, [3]),
    ([1, 2], None, [2, 2]),
    ([[1, 2], [3, 4]], None, [4]),
    ([1, 2, 3], None, [2]),
    ([1, 2], None, [2], True),
    ([1, 2], None, [1, 2], True),
    ([1, 2], None, [3], False, True),
    (1, None, [3], False, True),
    ([1], None, [3], False, True),
    ([1, 2], None, [2, 1], False, True),
    (1, None, [3], True, True),
    (5, None, [0]),
    ([1, 2], None, [0]),
    (5, dtypes.int64, [2, 0]),
    ("a", None, [0]),
    ("a", None, [2]),
    (["é", "b"], None, [3]),
    ([b"\xff", "b"], dtypes.string),
    (1, None, 2),
    (1, None, [None]),
    (1, None, [-1]),
    (True, None, [3]),
    (1j, None, [3]),
    (np.float64(1.5),),
    (np.float64(1.5), dtypes.float32),
    ([np.float64(1.5)],),
    ([np.float64(1.5)], dtypes.float32),
    ([np.float32(1.5), 2],),
    (np.int64(3),),
    (np.uint8(3),),
    (np.array(5),),
    (np.array([1, 2]),),
    (np.array([1.5]),),
    (np.array([[1, 2], [3, 4]]).T,),
    (np.array([[1, 2], [3, 4]])[:, 1],),
    (np.array([1, 2], np.int8), dtypes.qint8),
    (np.array([1, 2], np.int8), dtypes.float32),
    (np.array([1.5]), dtypes.int32),
    (np.array([1.5]), dtypes.string),
    (np.array([1, 2]), dtypes.resource),
    ([np.array([1, 2]), np.array([3, 4])],),
    ([np.array([1, 2]), np.array([3])],),
    ([np.array([1, 2]), np.array([3, 4])], dtypes.float32),
    (np.array(["x", 1], object),),
    (np.array(["x", b"y"], object),),
    (np.array(["a\0", "b"]),),
    (np.array([b"a"]),),
    (np.array(["a", "b"]), dtypes.string),
    ([np.str_("a")],),
    (np.str_("a"),),
    (np.bytes_(b"a"),),
    (np.datetime64("2020"),),
    (np.array([1], dtype="datetime64[s]"),),
    (np.zeros((2, 0)),),
    (np.zeros(0, np.float32), None, [2, 0]),
    (np.ones(3, np.float32), None, [5]),
    (np.ones((2, 2), np.complex64), None, [2, 2], True),
    *((np.array([1, 0, 1]).astype(code),) for code in "?bBhHiIlLqQefdFD"),
    *((np.array([1]).astype(code),) for code in "?bBhHiIlLqQefdFD"),
    *(
        ([0, 1, 0], dtypes.as_dtype(number))
        for number in sorted(tf_dtypes._INTERN_TABLE)
        if number < 100 and not dtypes.as_dtype(number).is_quantized
    ),
    *(
        (0.0, dtypes.as_dtype(number))
        for number in sorted(tf_dtypes._INTERN_TABLE)
        if number < 100 and dtypes.as_dtype(number).is_floating and number not in NO_SCALARS
    ),
]


def outcome(function: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # numpy's overflow in a cast
        try:
            return "value", function(*args)
        except Exception as error:
            return type(error).__name__, str(error)


def expected(args: tuple[Any, ...]) -> tuple[str, Any]:
    args = list(args)
    if len(args) > 1 and args[1] is not None:
        args[1] = tf_dtypes.as_dtype(args[1].as_datatype_enum)
    kind, found = outcome(tensor_util.make_tensor_proto, *args)
    return kind, found if kind == "value" else _as_in_tensorflow_1(found, *args)


def _as_in_tensorflow_1(text: str, values: Any, dtype: Any = None, *_: Any) -> str:
    """What TensorFlow 1.15 says where 2.21 speaks otherwise, or hands on numpy's words."""
    if "inhomogeneous" not in text or dtype not in (None, tf_dtypes.string):
        return as_in_tensorflow_1(text)
    got, wanted, first = list(np.array(values, object).shape), [], values
    while isinstance(first, list):
        wanted, first = [*wanted, len(first)], first[0] if first else None
    if got != wanted:
        return f"Argument must be a dense tensor: {values} - got shape {got}, but wanted {wanted}."
    return text


def test_make_tensor_proto() -> None:
    make_all((repr(args), partial(_assert_same_message, args)) for args in VALUES)


def _assert_same_message(args: tuple[Any, ...]) -> None:
    ours, theirs = outcome(tensor_proto.make_tensor_proto, *args), expected(args)
    assert ours[0] == theirs[0]
    if ours[0] != "value":
        assert ours[1] == theirs[1]
        return
    # TensorFlow leaves an empty shape message unwritten for a scalar; readers cannot tell.
    ours_as_theirs = tf_tensor_pb2.TensorProto.FromString(ours[1].SerializeToString())
    ours_as_theirs.tensor_shape.SetInParent()
    theirs[1].tensor_shape.SetInParent()
    assert ours_as_theirs.SerializeToString(deterministic=True) == theirs[1].SerializeToString(
        deterministic=True
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            [[1, 2], [3]],
            r"dense tensor: \[\[1, 2\], \[3\]\] - got shape \[2\], but wanted \[2, 2\]",
        ),
        ([[[1], [2, 3]]], r"got shape \[1, 2\], but wanted \[1, 2, 1\]"),
        ([["a", "b"], ["c"]], r"got shape \[2\], but wanted \[2, 2\]"),
        ([1, [2]], "setting an array element with a sequence"),
    ],
)
def test_lists_that_are_no_rectangles(values: Any, message: str) -> None:
    """Recorded from 1.15; it refuses the last one as of no type."""
    with pytest.raises(ValueError, match=message):
        tensor_values.numpy_from_values(values)


def test_numbers_that_are_no_rectangle_of_a_type() -> None:
    with pytest.raises(ValueError, match="setting an array element with a sequence"):
        tensor_values.numpy_from_values([[1, 2], [3]], dtypes.int32)


def test_numpy_from_values_and_decoding() -> None:
    make_all((repr(args), partial(_assert_same_arrays, args)) for args in VALUES)


def _assert_same_arrays(args: tuple[Any, ...]) -> None:
    kind, theirs = expected(args)
    ours = outcome(tensor_values.numpy_from_values, *args)
    assert ours[0] == kind
    if kind != "value":
        assert ours[1] == theirs
        return
    truth = tensor_util.MakeNdarray(theirs)
    if truth.dtype == object:
        truth = np.array([v or b"" for v in truth.ravel()], object).reshape(truth.shape)
    proto = tensor_pb2.TensorProto.FromString(theirs.SerializeToString())
    encoded = tensor_pb2.TensorProto()
    tensor_proto.encode_tensor(ours[1], encoded)
    for array in (
        ours[1],
        tensor_proto.decode_tensor(proto),
        tensor_proto.make_ndarray(proto),
        tensor_proto.decode_tensor(encoded),
        tensor_util.MakeNdarray(tf_tensor_pb2.TensorProto.FromString(encoded.SerializeToString())),
    ):
        assert array.dtype == truth.dtype
        assert array.shape == truth.shape
        if array.dtype.names or array.dtype == object:
            assert array.tolist() == truth.tolist()
        else:
            assert array.tobytes() == truth.tobytes()
    assert not ours[1].flags.writeable
    assert not tensor_proto.decode_tensor(proto).flags.writeable
    assert tensor_proto.make_ndarray(proto).flags.writeable


@pytest.mark.parametrize("number", NO_SCALARS)
def test_single_values_tensorflow_refuses_to_write(number: int) -> None:
    dtype = dtypes.as_dtype(number)
    proto = tensor_proto.make_tensor_proto(1.5, dtype)
    assert proto.float8_val == np.array(1.5, dtype.as_numpy_dtype).tobytes()
    assert tensor_proto.make_ndarray(proto) == 1.5


def test_a_string_in_an_empty_shape_leaves_no_trace() -> None:
    proto = tensor_proto.make_tensor_proto("a", dtypes.string, [0])
    assert not proto.string_val
    assert tensor_proto.decode_tensor(proto).shape == (0,)


def test_dimensions_count_as_integers() -> None:
    for values, dtype in (([2, 3], dtypes.int32), (2, dtypes.int64)):
        dims = [shapes.Dimension(v) for v in values] if isinstance(values, list) else None
        array = tensor_values.numpy_from_values(dims or shapes.Dimension(2), dtype)
        assert array.tolist() == values
    proto = tensor_proto.make_tensor_proto(1, shape=shapes.TensorShape([2]))
    assert [d.size for d in proto.tensor_shape.dim] == [2]


class SymbolicTensor:
    """Stands for the graph's class, which this layer must refuse without knowing it."""

    value_index = 0

    def __array__(self) -> Any:
        raise NotImplementedError

    def __str__(self) -> str:
        return "Tensor"


def test_symbolic_tensors_are_refused() -> None:
    for values in (SymbolicTensor(), [SymbolicTensor()]):
        with pytest.raises(TypeError, match="List of Tensors when single Tensor expected"):
            tensor_proto.make_tensor_proto(values)
        with pytest.raises(
            TypeError, match=r"Expected int32, got .* of type 'SymbolicTensor' instead"
        ):
            tensor_proto.make_tensor_proto(values, dtypes.int32)


def test_arrays_are_copied() -> None:
    source = np.zeros(3, np.float32)
    array = tensor_values.numpy_from_values(source)
    source[0] = 1
    assert array.tolist() == [0, 0, 0]


def test_a_fill_is_stored_and_written_once() -> None:
    array = tensor_values.numpy_from_values(7.0, dtypes.float32, [1000, 1000])
    assert array.shape == (1000, 1000)
    assert array.strides == (0, 0)
    proto = tensor_pb2.TensorProto()
    tensor_proto.encode_tensor(array, proto)
    assert list(proto.float_val) == [7.0]
    assert not proto.tensor_content
    decoded = tensor_proto.decode_tensor(proto)
    assert decoded.flags.c_contiguous
    assert (decoded == 7.0).all()


def test_message_given_is_returned() -> None:
    proto = tensor_proto.make_tensor_proto([1])
    assert tensor_proto.make_tensor_proto(proto) is proto


def test_foreign_byte_order_is_converted() -> None:
    proto = tensor_proto.make_tensor_proto(np.array([1, 2], ">i4"))
    assert tensor_proto.make_ndarray(proto).tolist() == [1, 2]


FILLS = [
    ("float_val", dtypes.float32, [1.5, 2.5], [5]),
    ("half_val", dtypes.float16, [15360], [3]),
    ("half_val", dtypes.bfloat16, [16256, 16384], [3]),
    ("double_val", dtypes.float64, [1.0], [2, 2]),
    ("int_val", dtypes.int32, [3, 4], [4]),
    ("int_val", dtypes.uint8, [255], [2]),
    ("int_val", dtypes.int8, [-1], [2]),
    ("int_val", dtypes.qint8, [-1, 3], [3]),
    ("int64_val", dtypes.int64, [2**40], [2]),
    ("uint32_val", dtypes.uint32, [2**31], [2]),
    ("uint64_val", dtypes.uint64, [2**63], [2]),
    ("bool_val", dtypes.bool, [True], [3]),
    ("scomplex_val", dtypes.complex64, [1.0, 2.0], [2]),
    ("dcomplex_val", dtypes.complex128, [1.0, 2.0, 3.0, 4.0], [3]),
    ("string_val", dtypes.string, [b"a", b"b"], [4]),
    ("float_val", dtypes.float32, [], [2]),
    ("int_val", dtypes.int32, [], [2, 0]),
    ("dcomplex_val", dtypes.complex128, [], [2]),
]


@pytest.mark.parametrize(("field", "dtype", "values", "shape"), FILLS)
def test_a_short_list_repeats_its_last_value(
    field: str, dtype: dtypes.DType, values: list[Any], shape: list[int]
) -> None:
    proto = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum)
    for size in shape:
        proto.tensor_shape.dim.add(size=size)
    getattr(proto, field).extend(values)
    theirs = tensor_util.MakeNdarray(
        tf_tensor_pb2.TensorProto.FromString(proto.SerializeToString())
    )
    ours = tensor_proto.make_ndarray(proto)
    assert ours.dtype == theirs.dtype
    assert ours.tolist() == theirs.tolist()


def read_by_tensorflow(proto: tensor_pb2.TensorProto, dtype: Any) -> Any:
    """What TensorFlow's runtime makes of a tensor message."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return session.run(tf.io.parse_tensor(proto.SerializeToString(), dtype))


def test_string_content_as_tensorflows_runtime_writes_it() -> None:
    strings = [b"", b"ab", b"x" * 300, b"\0\xff"]
    content = b"\x00\x02\xac\x02\x02" + b"".join(strings)
    proto = tensor_pb2.TensorProto(dtype=dtypes.string.as_datatype_enum, tensor_content=content)
    proto.tensor_shape.dim.add(size=4)
    assert tensor_proto.decode_tensor(proto).tolist() == strings
    assert read_by_tensorflow(proto, tf.string).tolist() == strings


def test_bool_content_holds_only_valid_bools() -> None:
    proto = tensor_pb2.TensorProto(
        dtype=dtypes.bool.as_datatype_enum, tensor_content=b"\x00\x01\x02"
    )
    proto.tensor_shape.dim.add(size=3)
    assert tensor_proto.decode_tensor(proto).view(np.uint8).tolist() == [0, 1, 1]


def malformed(
    number: int = 1, sizes: tuple[int, ...] = (), unknown: bool = False, **fields: Any
) -> tensor_pb2.TensorProto:
    proto = tensor_pb2.TensorProto(**fields)
    proto.dtype = number
    for size in sizes:
        proto.tensor_shape.dim.add(size=size)
    proto.tensor_shape.unknown_rank = unknown
    return proto


@pytest.mark.parametrize(
    ("proto", "message"),
    [
        (malformed(0), "Malformed tensor of type 0, shape []: 0 is no element type."),
        (malformed(999), "Malformed tensor of type 999, shape []: 999 is no element type."),
        (malformed(101), "a value cannot have a reference type"),
        (malformed(20), "values of type resource cannot be read from a message"),
        (malformed(21), "values of type variant cannot be read from a message"),
        (malformed(unknown=True), "the shape of a value cannot have unknown rank"),
        (
            malformed(sizes=(2, -1)),
            "Malformed tensor of float32, shape [2, -1]: a size is negative.",
        ),
        (malformed(sizes=(1,) * 100), "it has 100 dimensions, at most 32 are supported"),
        (malformed(sizes=(2**40, 2**40)), "the number of elements overflows"),
        (malformed(sizes=(0, 2**40, 2**40)), "the number of elements overflows"),
        (malformed(sizes=(2**35,), float_val=[1.0]), "1 values would expand to 137438953472 bytes"),
        (malformed(sizes=(2**35,)), "0 values would expand to 137438953472 bytes"),
        (malformed(7, sizes=(2**35,), string_val=[b"a"]), "would expand to"),
        (malformed(sizes=(2,), float_val=[1.0] * 3), "it holds 3 values, the shape has room for 2"),
        (malformed(7, string_val=[b"a"] * 2), "it holds 2 values, the shape has room for 1"),
        (
            malformed(sizes=(2, 3), tensor_content=b"x" * 20),
            "Malformed tensor of float32, shape [2, 3]: tensor_content has 20 bytes, "
            "the shape needs 24.",
        ),
        (malformed(sizes=(0,), tensor_content=b"abcd"), "has 4 bytes, the shape needs 0"),
        (malformed(8, scomplex_val=[1.0]), "holds 1 numbers, complex values take two each"),
        (malformed(7, sizes=(3,), tensor_content=b"\x01"), "holds the lengths of 1 strings"),
        (malformed(7, sizes=(1,), tensor_content=b"\x05ab"), "their lengths add up to 5"),
        (malformed(7, sizes=(1,), tensor_content=b"\xff" * 20), "the lengths of 0 strings"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_malformed_messages(proto: tensor_pb2.TensorProto, message: str) -> None:
    with pytest.raises(errors.InvalidArgumentError) as caught:
        tensor_proto.decode_tensor(proto)
    assert message in caught.value.message


def test_make_ndarray_refuses_handles_as_tensorflow_does() -> None:
    with pytest.raises(TypeError, match="Unsupported tensor type: 20"):
        tensor_proto.make_ndarray(malformed(20))


def test_integers_out_of_range_wrap_as_in_tensorflows_runtime() -> None:
    proto = malformed(4, sizes=(2,), int_val=[300, -1])
    parsed = read_by_tensorflow(proto, tf.uint8)
    assert tensor_proto.decode_tensor(proto).tolist() == parsed.tolist() == [44, 255]


@given(st.binary(max_size=60))
def test_random_bytes_never_crash(data: bytes) -> None:
    proto = tensor_pb2.TensorProto()
    try:
        proto.ParseFromString(data)
        tensor_proto.decode_tensor(proto)
    except errors.InvalidArgumentError as error:
        assert error.message.startswith("Malformed tensor of ")
    except Exception as error:
        assert type(error).__name__ == "DecodeError"


ELEMENT_TYPES = st.sampled_from(
    [np.dtype(code) for code in "?bBhHiIqQefdFD"] + [np.dtype(ml_dtypes.bfloat16)]
)


@given(
    ELEMENT_TYPES.filter(lambda t: t != ml_dtypes.bfloat16).flatmap(
        lambda t: hnp.arrays(t, hnp.array_shapes(min_dims=0, min_side=0, max_side=4))
    )
)
def test_arrays_round_trip_through_both_libraries(array: np.ndarray[Any, Any]) -> None:
    proto = tensor_pb2.TensorProto()
    tensor_proto.encode_tensor(array, proto)
    theirs = tf_tensor_pb2.TensorProto.FromString(proto.SerializeToString())
    for back in (tensor_proto.decode_tensor(proto), tensor_util.MakeNdarray(theirs)):
        assert back.dtype == array.dtype
        assert back.shape == array.shape
        assert back.tobytes() == array.tobytes()
