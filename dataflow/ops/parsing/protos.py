"""Messages of any type whose descriptors the program has: read into tensors, and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.ops.parsing.shapes import joined
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import merge, with_rank_at_least
from dataflow.values.shapes import TensorShape


def _decoded(c: InferenceContext) -> list[TensorShape]:
    fields = c.num_outputs - 1
    column = joined(c.input(0), TensorShape([None]))
    return [joined(c.input(0), TensorShape([fields])), *[column] * fields]


def _encoded(c: InferenceContext) -> TensorShape:
    made = TensorShape(None)
    for place in range(1, 1 + len(c.attr("Tinput_types"))):
        dims = with_rank_at_least(c.input(place), 1).dims_tuple
        made = merge(made, TensorShape(None) if dims is None else TensorShape.of(dims[:-1]))
    return made


define_op(
    "DecodeProtoV2",
    inputs="bytes: string",
    outputs="sizes: int32, values: output_types",
    attrs=[
        "message_type: string",
        "field_names: list(string)",
        "output_types: list(type) >= 0",
        "descriptor_source: string = 'local://'",
        "message_format: string = 'binary'",
        "sanitize: bool = false",
    ],
    shape=_decoded,
    gradient=MISSING_GRADIENT,
    doc="The values of fields of serialized messages, and how many there are.",
)
define_op(
    "EncodeProto",
    inputs="sizes: int32, values: Tinput_types",
    outputs="bytes: string",
    attrs=[
        "field_names: list(string)",
        "message_type: string",
        "descriptor_source: string = 'local://'",
        "Tinput_types: list(type) >= 1",
    ],
    shape=_encoded,
    gradient=MISSING_GRADIENT,
    doc="Serialized messages with these values of their fields.",
)


def decode_proto(
    bytes: Any,
    message_type: str,
    field_names: Sequence[str],
    output_types: Sequence[Any],
    descriptor_source: Any = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> Any:
    """The values of fields of serialized messages.

    Args:
      bytes: The messages: strings of any shape.
      message_type: The full name of their type.
      field_names: Names of fields, full ones of extensions.
      output_types: Element types of their values; strings for messages in messages.
      descriptor_source: "local://" for the types that this program knows, "bytes://" and a
        serialized FileDescriptorSet, or the name of a file of one.
      message_format: "binary" or "text".
      sanitize: Whether what the type does not have is left out of messages in messages.
      name: Name of the operation.

    Returns:
      `sizes`, how many values there are, of shape [..., fields], and the values of each field, of
      shape [..., most].

    Raises:
      InvalidArgumentError: At run time: there is no such type or field, or it has another type.
      DataLossError: At run time: a string is no message.
    """
    return apply_op(
        "DecodeProtoV2",
        bytes,
        message_type=message_type,
        field_names=field_names,
        output_types=output_types,
        descriptor_source=descriptor_source,
        message_format=message_format,
        sanitize=sanitize,
        name=name,
    )


def encode_proto(
    sizes: Any,
    values: Sequence[Any],
    field_names: Sequence[str],
    message_type: str,
    descriptor_source: Any = "local://",
    name: str | None = None,
) -> Tensor:
    """Serialized messages with these values of their fields.

    Args:
      sizes: How many values there are, of shape [..., fields].
      values: The values of each field, of shape [..., most].
      field_names: Names of fields, full ones of extensions.
      message_type: The full name of the messages' type.
      descriptor_source: As for `decode_proto`.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: At run time: there is no such type or field, it has another type, or
        shapes do not fit.
    """
    made: Tensor = apply_op(
        "EncodeProto",
        sizes,
        values,
        field_names=field_names,
        message_type=message_type,
        descriptor_source=descriptor_source,
        name=name,
    )
    return made
