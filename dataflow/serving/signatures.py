"""What a signature asks of tensors: names, types and shapes, with TensorFlow's texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from dataflow.errors import FailedPreconditionError, InvalidArgumentError
from dataflow.proto.meta_graph_pb2 import MetaGraphDef, SignatureDef, TensorInfo
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.proto.types_pb2 import DataType
from dataflow.saving.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from dataflow.values.dtypes import as_dtype
from dataflow.values.tensor_proto import decode_tensor


def type_name(number: int) -> str:
    """The name of an element type in TensorFlow's messages: "float", "int64" ..."""
    try:
        return DataType.Name(number).removeprefix("DT_").lower()
    except ValueError:
        return f"type {number}"


def named(keys: Iterable[str]) -> str:
    """Names as TensorFlow Serving lists them."""
    return "{" + ",".join(sorted(keys)) + "}"


def predict_signature(meta_graph: MetaGraphDef, name: str) -> tuple[str, SignatureDef]:
    """The signature that is asked for, and its name.

    Raises:
      FailedPreconditionError: There is none of that name.
    """
    name = name or DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if name not in meta_graph.signature_def:
        raise FailedPreconditionError(None, None, f'Serving signature key "{name}" not found.')
    return name, meta_graph.signature_def[name]


def method_signature(meta_graph: MetaGraphDef, name: str, kind: str, method: str) -> SignatureDef:
    """The signature that is asked for, of a method.

    Args:
      meta_graph: The graph.
      name: The signature's; "" for the default.
      kind: What it is called in messages: "classification", "regression".
      method: The method's name.

    Raises:
      InvalidArgumentError: There is none of that name, or it is of another method.
    """
    name = name or DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if name not in meta_graph.signature_def:
        raise _invalid(f"No signature was found with the name: {name}")
    signature = meta_graph.signature_def[name]
    if signature.method_name != method:
        raise _invalid(
            f"Expected {kind} signature method_name to be {method}. Was: {signature.method_name}"
        )
    return signature


def input_values(
    signature: SignatureDef, inputs: Mapping[str, TensorProto], most_bytes: int
) -> dict[str, np.ndarray]:
    """The arrays to feed, by the names of tensors.

    Args:
      signature: What is asked.
      inputs: What was sent, by the names that inputs have in the signature.
      most_bytes: How large a tensor may become that is sent in a short form.

    Raises:
      InvalidArgumentError: An input is missing, unknown, malformed, or of another type or shape.
    """
    sent, wanted = set(inputs), set(signature.inputs)
    if len(sent) > len(wanted) or (len(sent) < len(wanted) and not signature.defaults):
        raise _invalid(
            f"input size does not match signature: {len(sent)}!={len(wanted)} len({named(sent)}) "
            f"!= len({named(wanted)}). Sent extra: {named(sent - wanted)}. Missing but required: "
            f"{named(wanted - sent)}."
        )
    found = {}
    for index, alias in enumerate(sorted(wanted)):
        if alias not in inputs and alias not in signature.defaults:
            raise _invalid(
                f"input tensor alias not found in signature: {','.join(sorted(sent - wanted))}. "
                f"Inputs expected to be in the set {named(wanted)}."
            )
        proto = inputs[alias] if alias in inputs else signature.defaults[alias]
        info = signature.inputs[alias]
        found[tensor_name(info, alias)] = _value(index, alias, info, proto, most_bytes)
    return found


def _value(
    index: int, alias: str, info: TensorInfo, proto: TensorProto, most_bytes: int
) -> np.ndarray:
    if proto.dtype != info.dtype:
        raise _invalid(
            f"Expects arg[{index}] to be {type_name(info.dtype)} but {type_name(proto.dtype)} is "
            "provided"
        )
    count = math.prod(max(dim.size, 1) for dim in proto.tensor_shape.dim)
    width = 1 if info.dtype == DataType.DT_STRING else max(as_dtype(info.dtype).size, 1)
    if count * width > most_bytes:
        raise _invalid(f"input '{alias}' has {count} elements: more than {most_bytes} bytes")
    array = decode_tensor(proto)
    check_shape(alias, info, array.shape)
    return array


def check_shape(alias: str, info: TensorInfo, shape: tuple[int, ...]) -> None:
    """Looks whether an input has a shape that its signature allows.

    Raises:
      InvalidArgumentError: It has not.
    """
    if info.tensor_shape.unknown_rank:
        return
    sizes = [dim.size for dim in info.tensor_shape.dim]
    if len(sizes) != len(shape) or any(
        wanted not in (-1, size) for wanted, size in zip(sizes, shape, strict=True)
    ):
        told = ",".join("?" if size < 0 else str(size) for size in sizes)
        raise _invalid(
            f"input '{alias}' has shape [{','.join(map(str, shape))}], but the signature expects "
            f"[{told}]"
        )


def tensor_name(info: TensorInfo, alias: str) -> str:
    """The name of the tensor that a signature describes.

    Raises:
      InvalidArgumentError: It is no single tensor.
    """
    if not info.name:
        raise _invalid(f"'{alias}' is no single tensor, and is neither fed nor fetched")
    return info.name


def output_aliases(signature: SignatureDef, wanted: Iterable[str]) -> list[str]:
    """The outputs to fetch: those that are asked for, or all.

    Raises:
      InvalidArgumentError: One is unknown, or asked for twice.
    """
    seen: list[str] = []
    for alias in wanted:
        if alias not in signature.outputs:
            raise _invalid(
                f"output tensor alias not found in signature: {alias} Outputs expected to be in "
                f"the set {named(signature.outputs)}."
            )
        if alias in seen:
            raise _invalid(f"duplicate output tensor alias: {alias}")
        seen.append(alias)
    return seen or sorted(signature.outputs)


def shape_text(array: Any) -> str:
    """A shape as TensorFlow prints it."""
    return f"[{','.join(map(str, array.shape))}]"


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)
