"""Schemas read from OpDef messages: the functions of a graph's library are ops too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from dataflow.errors import InvalidArgumentError
from dataflow.proto import op_def_pb2
from dataflow.schema import arguments as op_schema
from dataflow.schema.arguments import NO_DEFAULT, ArgDef, AttrDef
from dataflow.schema.opdef import InferenceContext, OpDef
from dataflow.values import attrs as attr_codec
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_PLAIN_KIND: Final = "(int|float|bool|string|type|shape|tensor|func)"
_KIND: Final = re.compile(rf"{_PLAIN_KIND}|list\({_PLAIN_KIND}\)")


def op_def_from_proto(proto: op_def_pb2.OpDef) -> OpDef:
    """The schema in an OpDef message; its shape function knows no shape.

    Raises:
        InvalidArgumentError: An argument or attr in it is malformed.
    """
    attrs = tuple(_attr_def(attr, proto.name) for attr in proto.attr)
    kinds = {attr.name: attr.kind for attr in attrs}
    inputs = tuple(_arg_def(arg, kinds, proto.name) for arg in proto.input_arg)
    return OpDef(
        name=proto.name,
        inputs=inputs,
        outputs=tuple(_arg_def(arg, kinds, proto.name) for arg in proto.output_arg),
        attrs=attrs,
        shape_function=_unknown_shapes,
        is_stateful=proto.is_stateful,
        is_commutative=proto.is_commutative,
        is_aggregate=proto.is_aggregate,
        allows_uninitialized_input=proto.allows_uninitialized_input,
        doc=proto.summary,
        attr_by_name={attr.name: attr for attr in attrs},
        inferred_attrs=op_schema.inferred_attrs(inputs),
    )


def _unknown_shapes(c: InferenceContext) -> list[TensorShape]:
    return [TensorShape.of(None)] * c.num_outputs


def _attr_def(proto: op_def_pb2.OpDef.AttrDef, op: str) -> AttrDef:
    if not _KIND.fullmatch(proto.type):
        raise InvalidArgumentError(
            None, None, f"Attr '{proto.name}' of op '{op}' has the unknown kind '{proto.type}'."
        )
    default: Any = NO_DEFAULT
    if proto.HasField("default_value"):
        default = attr_codec.decode(proto.default_value)
    allowed: tuple[Any, ...] = ()
    if proto.HasField("allowed_values"):
        allowed = _listed(attr_codec.decode(proto.allowed_values))
    minimum = proto.minimum if proto.has_minimum else None
    return AttrDef(proto.name, proto.type, default, frozenset(allowed) or None, minimum, allowed)


def _listed(value: Any) -> tuple[Any, ...]:
    values = value if isinstance(value, tuple) else (value,)
    return tuple(v for v in values if isinstance(v, bytes | DType))


def _arg_def(proto: op_def_pb2.OpDef.ArgDef, kinds: Mapping[str, str], op: str) -> ArgDef:
    for name, kind in (
        (proto.type_attr, "type"),
        (proto.number_attr, "int"),
        (proto.type_list_attr, "list(type)"),
    ):
        if name and kinds.get(name) != kind:
            raise InvalidArgumentError(
                None,
                None,
                f"Argument '{proto.name}' of op '{op}' names '{name}', which is no attr of kind "
                f"{kind}.",
            )
    dtype: DType | None = None
    if not proto.type_attr and not proto.type_list_attr:
        try:
            dtype = dtypes.DType(proto.type)
        except TypeError:
            raise InvalidArgumentError(
                None, None, f"Argument '{proto.name}' of op '{op}' has no element type."
            ) from None
    return ArgDef(
        name=proto.name,
        dtype=dtype,
        type_attr=proto.type_attr,
        number_attr=proto.number_attr,
        type_list_attr=proto.type_list_attr,
        is_ref=proto.is_ref,
    )
