"""Attr values: encoding, decoding, and agreement with the NodeDefs TensorFlow writes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st
from tensorflow.core.framework import attr_value_pb2 as tf_attr_value_pb2

from dataflow import errors
from dataflow.proto import attr_value_pb2, graph_pb2
from dataflow.values import attrs, dtypes
from dataflow.values.shapes import TensorShape

FUNCTION = attrs.NameAttrList("f", (("T", dtypes.int32), ("n", 3), ("s", (b"a",))))
CASES: list[tuple[str, Any, str]] = [
    ("int", 3, "i: 3"),
    ("int", -(2**63), "i: -9223372036854775808"),
    ("int", 0, "i: 0"),
    ("bool", True, "b: true"),
    ("bool", False, "b: false"),
    ("float", 0.5, "f: 0.5"),
    ("string", b"\xff", 's: "\\377"'),
    ("string", b"", 's: ""'),
    ("type", dtypes.float32, "type: DT_FLOAT"),
    ("type", dtypes.float32._as_ref, "type: DT_FLOAT_REF"),
    ("shape", TensorShape([2, None]), "shape { dim { size: 2 } dim { size: -1 } }"),
    ("shape", TensorShape([]), "shape { }"),
    ("shape", TensorShape(None), "shape { unknown_rank: true }"),
    ("list(int)", (1, 2), "list { i: 1 i: 2 }"),
    ("list(int)", (), "list { }"),
    ("list(bool)", (True, False), "list { b: true b: false }"),
    ("list(float)", (0.5,), "list { f: 0.5 }"),
    ("list(string)", (b"loc:@a", b"loc:@b"), 'list { s: "loc:@a" s: "loc:@b" }'),
    ("list(type)", (dtypes.int32, dtypes.string), "list { type: DT_INT32 type: DT_STRING }"),
    (
        "list(shape)",
        (TensorShape([]), TensorShape(None)),
        "list { shape { } shape { unknown_rank: true } }",
    ),
    ("func", attrs.NameAttrList("g"), 'func { name: "g" }'),
    ("list(func)", (attrs.NameAttrList("g"),), 'list { func { name: "g" } }'),
    (
        "func",
        FUNCTION,
        'func { name: "f" attr { key: "T" value { type: DT_INT32 } } '
        'attr { key: "n" value { i: 3 } } attr { key: "s" value { list { s: "a" } } } }',
    ),
    ("int", attrs.AttrPlaceholder("N"), 'placeholder: "N"'),
]


@pytest.mark.parametrize(("kind", "value", "text"), CASES, ids=repr)
def test_encode_and_decode(kind: str, value: Any, text: str) -> None:
    proto = attr_value_pb2.AttrValue()
    attrs.encode(value, kind, proto)
    # Parsed by TensorFlow's library, so that its field numbers decide.
    theirs = tf_attr_value_pb2.AttrValue.FromString(proto.SerializeToString())
    assert theirs == text_format.Parse(text, tf_attr_value_pb2.AttrValue())
    decoded = attrs.decode(proto)
    assert decoded == value
    assert type(decoded) is type(value)
    inferred = attr_value_pb2.AttrValue()
    attrs.encode_inferred(value, inferred)
    assert inferred == proto


@pytest.mark.parametrize(
    "array",
    [
        np.array(3, np.int32),
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.array([b"a", b"\xff"], object),
        np.zeros((0, 2), np.float64),
        np.array([True, False]),
        np.array([(1,), (-2,)], dtypes.qint8.as_numpy_dtype),
    ],
    ids=repr,
)
def test_tensors(array: np.ndarray[Any, Any]) -> None:
    for value, kind in ((array, "tensor"), ((array, array), "list(tensor)")):
        proto = attr_value_pb2.AttrValue()
        attrs.encode(value, kind, proto)
        decoded = attrs.decode(proto)
        for back in decoded if isinstance(decoded, tuple) else (decoded,):
            assert back.dtype == array.dtype
            assert back.tolist() == array.tolist()
            assert not back.flags.writeable


def test_floats_are_rounded_as_the_message_rounds() -> None:
    proto = attr_value_pb2.AttrValue()
    attrs.encode(0.1, "float", proto)
    assert attrs.decode(proto) == float(np.float32(0.1))
    attrs.encode(2, "float", proto)
    assert attrs.decode(proto) == 2.0


def test_numpy_scalars_and_text_are_accepted() -> None:
    proto = attr_value_pb2.AttrValue()
    for kind, value, expected in (
        ("int", np.int64(3), 3),
        ("bool", np.True_, True),
        ("float", np.float32(0.5), 0.5),
        ("string", "é", "é".encode()),
    ):
        attrs.encode(value, kind, proto)
        assert attrs.decode(proto) == expected


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("int", True),
        ("int", 1.5),
        ("int", b"1"),
        ("float", True),
        ("float", "1"),
        ("bool", 1),
        ("string", 1),
        ("type", 1),
        ("shape", [1]),
        ("tensor", [1]),
        ("func", "f"),
        ("list(int)", 1),
        ("list(int)", (1, True)),
        ("list(type)", (1,)),
    ],
)
def test_values_of_another_kind_are_refused(kind: str, value: Any) -> None:
    with pytest.raises(TypeError, match="Attr of kind"):
        attrs.encode(value, kind, attr_value_pb2.AttrValue())


def test_unknown_kind_and_uninferable_values_are_refused() -> None:
    proto = attr_value_pb2.AttrValue()
    with pytest.raises(TypeError, match="Attr kind 'complex' is unknown; known are bool, int"):
        attrs.encode(1, "complex", proto)
    with pytest.raises(TypeError, match=r"No attr kind has values like 1j of type complex\."):
        attrs.encode_inferred(1j, proto)
    with pytest.raises(TypeError, match="Attr mixes int and string in one list"):
        attrs.encode_inferred((1, b"a"), proto)


def list_value(**fields: Any) -> attr_value_pb2.AttrValue:
    return attr_value_pb2.AttrValue(list=attr_value_pb2.AttrValue.ListValue(**fields))


def test_malformed_messages() -> None:
    proto = attr_value_pb2.AttrValue()
    with pytest.raises(errors.InvalidArgumentError, match="Attr value is not set"):
        attrs.decode(proto)
    proto.type = 999  # type: ignore[assignment]
    with pytest.raises(errors.InvalidArgumentError, match="999 does not correspond to a valid"):
        attrs.decode(proto)
    proto.shape.dim.add(size=-5)
    with pytest.raises(errors.InvalidArgumentError, match="Malformed shape: Dimension -5"):
        attrs.decode(proto)
    proto.tensor.dtype = 1
    proto.tensor.tensor_shape.dim.add(size=-5)
    with pytest.raises(errors.InvalidArgumentError, match="a size is negative"):
        attrs.decode(proto)
    with pytest.raises(errors.InvalidArgumentError, match="several kinds: s and i"):
        attrs.decode(list_value(i=[1], s=[b"a"]))
    node = {"good": attr_value_pb2.AttrValue(i=1), "bad": attr_value_pb2.AttrValue()}
    with pytest.raises(errors.InvalidArgumentError, match="Attr 'bad': Attr value is not set"):
        attrs.decode_map(node)


@given(st.binary(max_size=80))
def test_random_bytes_never_crash(data: bytes) -> None:
    proto = attr_value_pb2.AttrValue()
    try:
        proto.ParseFromString(data)
    except Exception as error:
        assert type(error).__name__ == "DecodeError"
        return
    try:
        attrs.decode(proto)
    except errors.InvalidArgumentError as error:
        assert error.message


def test_function_attrs_are_frozen_and_sorted() -> None:
    proto = attr_value_pb2.NameAttrList(name="f")
    proto.attr["z"].i = 1
    proto.attr["a"].b = True
    function = attrs.NameAttrList.from_proto(proto)
    assert function == attrs.NameAttrList("f", (("a", True), ("z", 1)))
    assert function.to_proto() == proto
    assert hash(function) == hash(attrs.NameAttrList("f", (("a", True), ("z", 1))))
    with pytest.raises(AttributeError):
        function.name = "g"  # type: ignore[misc]


def tensorflow_graph() -> bytes:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 28, 28, 1])
        kernel = tf.compat.v1.get_variable("w", [3, 3, 1, 4], use_resource=False)
        y = tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME")
        y = tf.nn.leaky_relu(y, 0.1)
        tf.constant([["a", "b"]])
        tf.constant(np.arange(10))
        tf.zeros([100, 100])
        with tf.compat.v1.colocate_with(y.op):
            tf.identity(y)
        tf.cond(tf.reduce_sum(y) > 0, lambda: y, lambda: -y)
        tf.queue.FIFOQueue(3, [tf.int32, tf.string], shapes=[[], [2]])
        data: bytes = graph.as_graph_def(add_shapes=True).SerializeToString()
    return data


def test_every_attr_of_a_tensorflow_graph_round_trips() -> None:
    graph = graph_pb2.GraphDef.FromString(tensorflow_graph())
    count = 0
    for node in [*graph.node, *(n for f in graph.library.function for n in f.node_def)]:
        for name, value in attrs.decode_map(node.attr).items():
            again = attr_value_pb2.AttrValue()
            attrs.encode_inferred(value, again)
            assert again == node.attr[name], (node.name, name)
            count += 1
    assert count > 100
