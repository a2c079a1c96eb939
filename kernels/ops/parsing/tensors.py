"""Kernels of tensors as serialized messages, and of examples as JSON."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from google.protobuf import json_format
from google.protobuf.message import DecodeError

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.ops.parsing.variants import read_variants, write_variants
from dataflow.kernels.ops.text.each import each
from dataflow.kernels.parsing.tensors import read_tensor, write_tensor
from dataflow.kernels.parsing.wire import MalformedError
from dataflow.proto.example_pb2 import Example
from dataflow.values.dtypes import variant

_SHOWN: Final = 300


@kernel("SerializeTensor", host_inputs=("tensor",), host_outputs=("serialized",))
def serialize_tensor(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")

    def run(value: Any) -> Any:
        made = np.empty((), object)
        array = np.asarray(value)
        made[()] = write_variants(array) if dtype is variant else write_tensor(array, dtype)
        return made

    return run


@kernel("ParseTensor", host_inputs=("serialized",), host_outputs=("output",))
def parse_tensor(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("out_type")

    def run(serialized: Any) -> Any:
        array = np.asarray(serialized, object)
        if array.ndim:
            raise invalid(
                f"Expected `serialized` to be a scalar, got shape: {shape_text(array.shape)}"
            )
        try:
            if dtype is variant:
                return read_variants(array.item())
            kind, value = read_tensor(array.item())
        except (MalformedError, DecodeError):
            shown = base64.urlsafe_b64encode(array.item()[:_SHOWN]).decode()
            raise invalid(f"Could not parse `serialized` as TensorProto, base64: {shown}") from None
        if kind != dtype:
            raise invalid(
                f"Type mismatch between parsed tensor ({type_name(kind)}) and dtype "
                f"({type_name(dtype)})"
            )
        return value

    return run


@kernel("DecodeJSONExample", host_inputs=("json_examples",), host_outputs=("binary_examples",))
def decode_json_example(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda value: each(_binary, value)


def _binary(text: bytes) -> bytes:
    example = Example()
    # The parser takes an empty list for a message without fields.
    if not text.lstrip().startswith(b"{"):
        raise invalid(f"Error while parsing JSON: an object is needed, got {text[:_SHOWN]!r}")
    try:
        json_format.Parse(text.decode(), example)
    except (json_format.ParseError, ValueError, RecursionError) as error:
        raise invalid(f"Error while parsing JSON: {str(error)[:_SHOWN]}") from None
    return example.SerializeToString()
