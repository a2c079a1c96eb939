"""The OpDef messages of our ops are TensorFlow's, texts aside."""

from __future__ import annotations

from functools import partial

import tensorflow as oracle
from tensorflow.python.framework import op_def_registry

import dataflow as tf
from dataflow.schema import op_def_proto, opdef
from tests.checks import make_all

assert oracle.raw_ops

_OURS = [name for name in sorted(dir(tf.raw_ops)) if op_def_registry.get(name) is not None]


def _plain(data: bytes) -> str:
    """A message as text, without what has no meaning for a graph."""
    proto = op_def_registry.op_def_pb2.OpDef.FromString(data)
    for field in ("summary", "description", "deprecation", "control_output"):
        proto.ClearField(field)
    proto.ClearField("is_distributed_communication")
    for arg in (*proto.input_arg, *proto.output_arg):
        for field in ("description", "handle_data", "experimental_full_type"):
            arg.ClearField(field)
    for attr in proto.attr:
        attr.ClearField("description")
    return str(proto)


def test_schemas() -> None:
    make_all((name, partial(_assert_same_schema, name)) for name in _OURS)


def _assert_same_schema(name: str) -> None:
    ours = op_def_proto.to_proto(opdef.find(name))
    theirs = op_def_registry.get(name)
    assert _plain(ours.SerializeToString()) == _plain(theirs.SerializeToString())


def test_programs_look_into_schemas() -> None:
    with tf.Graph().as_default():
        op = tf.matmul([[1.0]], [[2.0]]).op
    assert [arg.name for arg in op.op_def.input_arg] == ["a", "b"]
    assert [arg.type_attr for arg in op.op_def.output_arg] == ["T"]
    assert [attr.name for attr in op.op_def.attr][:2] == ["transpose_a", "transpose_b"]
