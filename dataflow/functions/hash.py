"""The hash that ends the name of a function which was given none.

It is TensorFlow's, so that a function has the same name in both: MurmurHash64A over the serialised
parts of the FunctionDef (tensorflow/core/framework/function.cc, util/equal_graph_def.cc).
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Final

import numpy as np

from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.tensor_pb2 import TensorProto
from dataflow.values import tensor_proto

_MASK: Final = (1 << 64) - 1
_FACTOR: Final = 0xC6A4A7935BD1E995
_SHIFT: Final = 47
_SEED: Final = 0xDECAFCAFFE


def function_hash(function: FunctionDef) -> str:
    """The hash of a function that has no name yet, as letters and digits."""
    result = _hash64(function.signature.SerializeToString(deterministic=True))
    for name in sorted(function.attr):
        result = _hash64(name.encode(), result)
        result = _combined(_attr_hash(function.attr[name]), result)
    result = _combined(_nodes_hash(function.node_def), result)
    for mapping in (function.ret, function.control_ret):
        for name in sorted(mapping):
            result = _hash64(name.encode(), result)
            result = _hash64(mapping[name].encode(), result)
    encoded = base64.urlsafe_b64encode(result.to_bytes(8, "little")).rstrip(b"=").decode()
    return encoded.replace("-", "a").replace("_", "A")


def _hash64(data: bytes, seed: int = _SEED) -> int:
    """MurmurHash64A, by Austin Appleby."""
    result = seed ^ ((len(data) * _FACTOR) & _MASK)
    whole = len(data) // 8 * 8
    for start in range(0, whole, 8):
        word = int.from_bytes(data[start : start + 8], "little")
        word = (word * _FACTOR) & _MASK
        word ^= word >> _SHIFT
        word = (word * _FACTOR) & _MASK
        result = ((result ^ word) * _FACTOR) & _MASK
    if whole < len(data):
        result = ((result ^ int.from_bytes(data[whole:], "little")) * _FACTOR) & _MASK
    result ^= result >> _SHIFT
    result = (result * _FACTOR) & _MASK
    return result ^ (result >> _SHIFT)


def _combined(first: int, second: int) -> int:
    return first ^ ((second + 0x9E3779B97F4A7800 + (first << 10) + (first >> 4)) & _MASK)


def _nodes_hash(nodes: Iterable[NodeDef]) -> int:
    result = _SEED
    for node in sorted(nodes, key=lambda each: each.name):
        result = _hash64(node.name.encode(), result)
        result = _combined(_node_hash(node), result)
    return result


def _node_hash(node: NodeDef) -> int:
    result = _hash64(node.name.encode())
    result = _hash64(node.op.encode(), result)
    result = _hash64(node.device.encode(), result)
    control = [name for name in node.input if name.startswith("^")]
    for name in node.input[: len(node.input) - len(control)]:
        result = _hash64(name.encode(), result)
    for name in sorted(set(control)):
        result = _hash64(name.encode(), result)
    for name in sorted(node.attr):
        if not name.startswith("_"):
            result = _hash64(name.encode(), result)
            result = _combined(_attr_hash(node.attr[name]), result)
    return result


def _attr_hash(attr: AttrValue) -> int:
    if attr.HasField("tensor"):
        return _hash64(_content_only(attr.tensor).SerializeToString(deterministic=True))
    if attr.HasField("func"):
        result = _hash64(attr.func.name.encode())
        for name in sorted(attr.func.attr):
            result = _hash64(name.encode(), result)
            result = _combined(_attr_hash(attr.func.attr[name]), result)
        return result
    return _hash64(attr.SerializeToString(deterministic=True))


def _content_only(proto: TensorProto) -> TensorProto:
    """The tensor with its elements as bytes, however they were written."""
    array = tensor_proto.decode_tensor(proto)
    result = TensorProto(dtype=proto.dtype)
    result.tensor_shape.CopyFrom(proto.tensor_shape)
    if array.dtype == object:
        elements = [bytes(element) for element in array.reshape(-1)]
        lengths = b"".join(_varint(len(element)) for element in elements)
        result.tensor_content = lengths + b"".join(elements)
    else:
        result.tensor_content = np.ascontiguousarray(array).tobytes()
    return result


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
