"""TensorShape and Dimension against TensorFlow's, in the behaviour TF1 programs see."""

from __future__ import annotations

import itertools
import operator
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from hypothesis import given
from hypothesis import strategies as st
from tensorflow.core.framework import tensor_shape_pb2 as tf_tensor_shape_pb2

from dataflow.proto import tensor_shape_pb2
from dataflow.values import shapes


@pytest.fixture(autouse=True)
def dimension_objects() -> None:
    """TensorFlow 1's shapes, which every other test of this process compares with, too."""
    tf.disable_v2_tensorshape()


def plain(value: Any) -> Any:
    """Either library's value in terms that compare across libraries."""
    if isinstance(value, (shapes.Dimension, tf.Dimension)):
        return "Dimension", value.value
    if isinstance(value, (shapes.TensorShape, tf.TensorShape)):
        return "TensorShape", repr(value), str(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString(deterministic=True)
    return type(value).__name__, value


def outcome(function: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    try:
        return "value", plain(function(*args))
    except Exception as error:
        return type(error).__name__, str(error)


def theirs_of(function: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    """2.21's outcome; what is no whole number is a ValueError, as 1.15 has it."""
    kind, value = outcome(function, *args)
    pattern = r"Dimension value must be .* got value '(.*)' with type '<class '(.*)'>'"
    refused = re.fullmatch(pattern, value) if kind == "TypeError" else None
    if refused and refused[2] in ("str", "bytes"):
        return "ValueError", f"invalid literal for int() with base 10: {refused[1]}"
    if refused and "float" in refused[2]:
        number = re.sub(r"np\.float\d+\((.*)\)", r"\1", refused[1])
        return "ValueError", f"Ambiguous dimension: {number}"
    return kind, value


def same(function: Callable[[Any], Any]) -> Any:
    """Run `function` on both libraries and require one outcome."""
    ours, theirs = outcome(function, shapes), theirs_of(function, tf)
    assert ours == theirs
    return ours


SIZES = (0, 1, 2, 3, 7, None)
SHAPES: list[Any] = [
    None,
    [],
    [None],
    [3],
    [0],
    [2, 3],
    [2, None],
    [None, None],
    [None, 3, 4],
    [1, 2, 3, 4, None],
    [2**40, 5],
]

BINARY = (
    *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.truediv),
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
)


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
def test_dimension_arithmetic(op: Callable[[Any, Any], Any]) -> None:
    for a, b in itertools.product(SIZES, SIZES):
        same(lambda lib, a=a, b=b: op(lib.Dimension(a), lib.Dimension(b)))
        same(lambda lib, a=a, b=b: op(lib.Dimension(a), b))
        same(lambda lib, a=a, b=b: op(a, lib.Dimension(b)))
    for other in ("x", 2.5, np.int64(2), -1, [1]):
        for a in (2, None):
            left = outcome(lambda a=a, other=other: op(shapes.Dimension(a), other))
            right = theirs_of(lambda a=a, other=other: op(tf.Dimension(a), other))
            assert left == right
            left = outcome(lambda a=a, other=other: op(other, shapes.Dimension(a)))
            right = theirs_of(lambda a=a, other=other: op(other, tf.Dimension(a)))
            assert left[0] == right[0]


@pytest.mark.parametrize("value", [0, 5, -1, None, True, np.int64(4), np.int32(-4), []])
def test_dimension_constructor(value: Any) -> None:
    same(lambda lib: lib.Dimension(value))
    same(lambda lib: lib.Dimension(lib.Dimension(value)))


@pytest.mark.parametrize("value", [2.0, np.float32(2), np.float64(2)])
def test_a_whole_number_is_a_size_as_in_tensorflow_1(value: Any) -> None:
    assert shapes.Dimension(value).value == 2 and type(shapes.Dimension(value).value) is int
    assert shapes.TensorShape([None, value]).as_list() == [None, 2]
    for wrong, error in (
        (-value, ValueError),
        (value / 4, ValueError),
        (value * np.inf, ValueError),
    ):
        with pytest.raises(error):
            shapes.TensorShape([wrong])


@pytest.mark.parametrize("value", [2.5, np.float32(1.5), "a", b"x"])
def test_what_is_no_size_in_tensorflow_1(value: Any) -> None:
    text = "invalid literal for int" if isinstance(value, (str, bytes)) else "Ambiguous dimension: "
    with pytest.raises(ValueError, match=text):
        shapes.Dimension(value)
    with pytest.raises(ValueError, match=text):
        shapes.TensorShape([value])
    assert shapes.Dimension("3").value == 3


def test_dimension_conversions() -> None:
    for size in SIZES:
        for convert in (repr, str, bool, int, operator.index, range, hash):
            ours = outcome(convert, shapes.Dimension(size))
            theirs = outcome(convert, tf.Dimension(size))
            assert ours == theirs
        for other in SIZES:
            same(lambda lib, a=size, b=other: lib.Dimension(a).merge_with(b))
            same(lambda lib, a=size, b=other: lib.Dimension(a).is_compatible_with(b))
            same(lambda lib, a=size, b=other: lib.Dimension(a).assert_is_compatible_with(b))
        copy = pickle.loads(pickle.dumps(shapes.Dimension(size)))  # noqa: S301
        assert copy.value == size
    assert np.zeros(4)[shapes.Dimension(2) :].shape == (2,)


CONSTRUCTOR_ARGS = [
    *SHAPES,
    4,
    -3,
    [1, -2],
    (1, 2),
    np.array([2, 3]),
    np.int64(3),
    range(3),
    {2},
]


@pytest.mark.parametrize("value", CONSTRUCTOR_ARGS, ids=repr)
def test_constructor(value: Any) -> None:
    same(lambda lib: lib.TensorShape(value))
    same(lambda lib: lib.TensorShape(lib.TensorShape(value)))
    same(lambda lib: lib.TensorShape([2, None]) == value)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ("ab", TypeError, "A string has ambiguous TensorShape, please wrap in a list or convert"),
        (2.5, ValueError, "Ambiguous dimension: 2.5"),
        ([2.5], ValueError, "Ambiguous dimension: 2.5"),
        (np.array([1.5]), ValueError, "Ambiguous dimension: 1.5"),
        ([1, "a"], ValueError, "invalid literal for int() with base 10: 'a'"),
        ({"a": 1}, ValueError, "invalid literal for int() with base 10: 'a'"),
    ],
)
def test_what_is_no_shape_in_tensorflow_1(value: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as raised:
        shapes.TensorShape(value)
    assert str(raised.value).startswith(text)
    if kind is ValueError:
        with pytest.raises(ValueError) as compared:
            _ = shapes.TensorShape([1]) == value
        assert str(compared.value) == text


METHODS_WITHOUT_ARGUMENT = (
    *("as_list", "as_proto", "num_elements", "is_fully_defined", "assert_is_fully_defined"),
    *("__len__", "__bool__", "__str__", "__repr__"),
)


@pytest.mark.parametrize("dims", SHAPES, ids=repr)
def test_unary_methods(dims: Any) -> None:
    for name in METHODS_WITHOUT_ARGUMENT:
        same(lambda lib, name=name: getattr(lib.TensorShape(dims), name)())
    for name in ("rank", "ndims", "dims"):
        same(lambda lib, name=name: getattr(lib.TensorShape(dims), name))
    same(lambda lib: list(lib.TensorShape(dims)))
    for rank in (0, 1, 2, 3):
        for name in ("with_rank", "with_rank_at_least", "with_rank_at_most", "assert_has_rank"):
            same(lambda lib, name=name, rank=rank: getattr(lib.TensorShape(dims), name)(rank))
    for key in (0, 1, -1, 4, slice(1), slice(1, None), slice(1, 3), slice(-2, None), slice(0, -1)):
        same(lambda lib, key=key: lib.TensorShape(dims)[key])
    same(lambda lib: lib.TensorShape(dims)[::2])
    same(lambda lib: lib.dimension_at_index(lib.TensorShape(dims), 0))
    same(lambda lib: lib.TensorShape(dims).__reduce__()[1])
    shape = shapes.TensorShape(dims)
    assert pickle.loads(pickle.dumps(shape)) == shape  # noqa: S301


METHODS_WITH_SHAPE = (
    *("merge_with", "concatenate", "__add__", "__radd__", "is_compatible_with"),
    *("assert_is_compatible_with", "most_specific_compatible_shape", "assert_same_rank"),
    *("__eq__", "__ne__", "is_subtype_of"),
)


@pytest.mark.parametrize("name", METHODS_WITH_SHAPE)
def test_binary_methods(name: str) -> None:
    for a, b in itertools.product(SHAPES, SHAPES):
        same(lambda lib, a=a, b=b: getattr(lib.TensorShape(a), name)(lib.TensorShape(b)))
        same(lambda lib, a=a, b=b: getattr(lib.TensorShape(a), name)(b))


@given(
    st.none() | st.lists(st.none() | st.integers(0, 5), max_size=4),
    st.none() | st.lists(st.none() | st.integers(0, 5), max_size=4),
)
def test_merges_of_random_shapes(a: Any, b: Any) -> None:
    tf.disable_v2_tensorshape()
    for name in ("merge_with", "most_specific_compatible_shape", "is_compatible_with"):
        same(lambda lib, name=name: getattr(lib.TensorShape(a), name)(b))
    if shapes.TensorShape(a) == shapes.TensorShape(b):
        assert hash(shapes.TensorShape(a)) == hash(shapes.TensorShape(b))


def test_helpers() -> None:
    for size in (None, 3):
        assert shapes.dimension_value(shapes.Dimension(size)) == size
        assert shapes.dimension_value(size) == size
    assert shapes.unknown_shape() == shapes.TensorShape(None)
    assert shapes.unknown_shape(2).as_list() == [None, None]
    assert shapes.unknown_shape(ndims=3).as_list() == [None] * 3
    with pytest.raises(TypeError, match=r"Unknown argument: \{'size': 1\}"):
        shapes.unknown_shape(size=1)
    shape = shapes.TensorShape([1])
    assert shapes.as_shape(shape) is shape


def test_of_keeps_the_tuple() -> None:
    assert shapes.TensorShape.of((2, None)).dims_tuple == (2, None)
    assert shapes.TensorShape.of((2, None)) == shapes.TensorShape([2, None])
    assert shapes.TensorShape.of(None).dims_tuple is None


@pytest.mark.parametrize("dims", SHAPES, ids=repr)
def test_protos_round_trip_through_tensorflow(dims: Any) -> None:
    data = shapes.TensorShape(dims).as_proto().SerializeToString()
    assert tf.TensorShape(tf_tensor_shape_pb2.TensorShapeProto.FromString(data)) == dims
    back = shapes.TensorShape(tensor_shape_pb2.TensorShapeProto.FromString(data))
    assert back.dims_tuple == (None if dims is None else tuple(dims))


def test_proto_with_negative_size_is_refused() -> None:
    proto = tensor_shape_pb2.TensorShapeProto(
        dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=-7)],
    )
    with pytest.raises(ValueError, match="Dimension -7 must be >= 0"):
        shapes.TensorShape(proto)


def test_immutable() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        shapes.TensorShape([1])._dims = (2,)  # type: ignore[misc]


def test_behaviour_that_tests_ask_for() -> None:
    assert shapes.TensorShape([2])._v2_behavior is False
    assert isinstance(shapes.TensorShape([2])[0], shapes.Dimension)
