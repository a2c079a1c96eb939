"""Schemas of ops as OpDef messages: for programs that look into `op.op_def`, and for exports."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from dataflow.proto import op_def_pb2
from dataflow.values import attrs
from dataflow.values.tensor_proto import listed_tensor_proto

if TYPE_CHECKING:
    from dataflow.schema.arguments import ArgDef, AttrDef
    from dataflow.schema.opdef import OpDef


@functools.lru_cache(maxsize=512)
def to_proto(op_def: OpDef) -> op_def_pb2.OpDef:
    """The OpDef message of a schema, without texts; it is shared, so do not change it."""
    proto = op_def_pb2.OpDef(
        name=op_def.name,
        is_stateful=op_def.is_stateful,
        is_commutative=op_def.is_commutative,
        is_aggregate=op_def.is_aggregate,
        allows_uninitialized_input=op_def.allows_uninitialized_input,
    )
    proto.input_arg.extend(map(_arg, op_def.inputs))
    proto.output_arg.extend(map(_arg, op_def.outputs))
    proto.attr.extend(map(_attr, op_def.attrs))
    return proto


def _arg(arg: ArgDef) -> op_def_pb2.OpDef.ArgDef:
    proto = op_def_pb2.OpDef.ArgDef(
        name=arg.name,
        type_attr=arg.type_attr,
        number_attr=arg.number_attr,
        type_list_attr=arg.type_list_attr,
        is_ref=arg.is_ref,
    )
    if arg.dtype is not None:
        proto.type = arg.dtype.as_datatype_enum  # type: ignore[assignment]
    return proto


def _attr(attr: AttrDef) -> op_def_pb2.OpDef.AttrDef:
    proto = op_def_pb2.OpDef.AttrDef(name=attr.name, type=attr.kind)
    if attr.kind == "tensor" and attr.has_default:
        proto.default_value.tensor.CopyFrom(listed_tensor_proto(attr.default))
    elif attr.has_default:
        attrs.encode(attr.default, attr.kind, proto.default_value)
    if attr.minimum is not None:
        proto.has_minimum = True
        proto.minimum = attr.minimum
    if attr.allowed_in_order:
        kind = attr.kind.removeprefix("list(").removesuffix(")")
        attrs.encode(attr.allowed_in_order, f"list({kind})", proto.allowed_values)
    return proto
