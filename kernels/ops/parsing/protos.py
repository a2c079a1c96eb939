"""Kernels that read and write serialized messages of any type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from google.protobuf import message_factory, text_format
from google.protobuf.message import DecodeError

from dataflow.errors import DataLossError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.parsing.descriptors import fields_of, message_of
from dataflow.kernels.parsing.messages import serialized, values_of
from dataflow.kernels.parsing.wire import MalformedError
from dataflow.values import dtypes


def _lost(text: str) -> DataLossError:
    return DataLossError(None, None, text)


@kernel("DecodeProtoV2", host_inputs=("bytes",), host_outputs=("sizes", "values"))
def decode(node: KernelNode, xp: Any) -> Callable[[Any], Any]:
    names, types = node.attr("field_names"), node.attr("output_types")
    form = node.attr("message_format")
    if len(names) != len(types):
        raise invalid("field_names and output_types attributes must have the same length")
    if form not in (b"binary", b"text"):
        raise invalid("format must be one of binary or text")
    message = message_of(node.attr("descriptor_source"), node.attr("message_type"))
    fields = fields_of(
        message, names, types, "Unexpected output type for {field}: {kind} to {type}"
    )
    kinds = {field.number: field.kind for field in fields}
    rewrites = form == b"text" or node.attr("sanitize")
    as_bytes = _rewriter(message, form) if rewrites else bytes

    def run(messages: Any) -> Any:
        messages = np.asarray(messages, object)
        if not messages.size:
            raise invalid("Bufs argument must contain at least one value")
        found = []
        for data in messages.ravel().tolist():
            try:
                found.append(values_of(as_bytes(data), kinds))
            except MalformedError:
                raise _lost("CountFields: Failed to consume entire buffer") from None
        sizes = np.array(
            [[len(each[field.number]) for field in fields] for each in found], np.int32
        )
        sizes = sizes.reshape((*messages.shape, len(fields)))
        return sizes, *(
            _column([each[field.number] for each in found], field, messages.shape)
            for field in fields
        )

    return run


def _column(rows: list[list[Any]], field: Any, shape: tuple[int, ...]) -> Any:
    """The values of a field of all messages, filled up with those that stand for missing ones."""
    width = max(1, *map(len, rows))
    dtype = object if field.dtype is dtypes.string else field.dtype.as_numpy_dtype
    default = field.default
    if default is None:
        default = b"" if field.dtype is dtypes.string else 0
    made = np.full((len(rows), width), default, dtype)
    for place, row in enumerate(rows):
        made[place, : len(row)] = row
    return made.reshape((*shape, width))


def _rewriter(message: Any, form: bytes) -> Callable[[bytes], bytes]:
    """Makes a message anew, of text or of what a message of the type may hold."""
    kind = message_factory.GetMessageClass(message)

    def rewritten(data: bytes) -> bytes:
        made = kind()
        if form == b"text":
            try:
                text_format.Parse(data, made)
            except (text_format.ParseError, UnicodeDecodeError):
                raise _lost("Unable to parse text protobuf") from None
        else:
            try:
                made.ParseFromString(data)
            except DecodeError:
                raise _lost("Unable to parse binary protobuf") from None
        text: bytes = made.SerializeToString()
        return text

    return rewritten


@kernel("EncodeProto", host_inputs=("sizes", "values"), host_outputs=("bytes",))
def encode(node: KernelNode, xp: Any) -> Callable[..., Any]:
    names, types = node.attr("field_names"), node.attr("Tinput_types")
    if len(names) != len(types):
        raise invalid("Length of inputs list must match field_names")
    message = message_of(node.attr("descriptor_source"), node.attr("message_type"))
    fields = fields_of(
        message,
        names,
        types,
        "Incompatible type for field {name}.  Saw dtype: {dtype} but field type is: {kind}",
    )

    def run(sizes: Any, *values: Any) -> Any:
        batch = np.shape(values[0])[:-1]
        for place, value in enumerate(values):
            if not np.ndim(value) or np.shape(value)[:-1] != batch:
                raise invalid(
                    f"Values must match up to the last dimension: {shape_text(np.shape(value))} "
                    f"of input {place}"
                )
        wanted = (*batch, len(fields))
        if np.shape(sizes) != wanted:
            raise invalid(
                "sizes should be batch_size + [len(field_names)].  Saw: "
                f"{shape_text(np.shape(sizes))} but expected: {shape_text(wanted)}"
            )
        made = np.empty(int(np.prod(batch, dtype=np.int64)), object)
        counts = np.reshape(sizes, (made.size, len(fields))).tolist()
        rows = [np.reshape(value, (made.size, np.shape(value)[-1])) for value in values]
        for number, row in enumerate(counts):
            for place, (count, value) in enumerate(zip(row, rows, strict=True)):
                if not 0 <= count <= value.shape[1]:
                    raise invalid(
                        f"Size to write must not be larger than value tensor; but saw: {count} > "
                        f"{value.shape[1]} at message {number} field {place}"
                    )
            parts = [value[number, :count].tolist() for value, count in zip(rows, row, strict=True)]
            made[number] = serialized(list(zip(fields, parts, strict=True)))
        return made.reshape(batch)

    return run
