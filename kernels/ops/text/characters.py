"""Kernels of strings one by one: parts, white space, lengths, case, base64."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.text.each import each

_CONTINUATION: Final = bytes(range(0x80, 0xC0))
_BASE64: Final = re.compile(rb"[A-Za-z0-9_-]*={0,2}")


@kernel("Substr", host_inputs=("input", "pos", "len"), host_outputs=("output",), grows=True)
def substr(node: KernelNode, xp: Any) -> Callable[..., Any]:
    part = _bytes_part if node.attr("unit") == b"BYTE" else _characters_part

    def run(value: Any, pos: Any, length: Any) -> Any:
        if np.shape(pos) != np.shape(length):
            raise invalid(
                "pos and len should have the same shape, got: "
                f"{shape_text(np.shape(pos))} vs. {shape_text(np.shape(length))}"
            )
        strings = np.asarray(value, object)
        try:
            shape = np.broadcast_shapes(strings.shape, np.shape(pos))
        except ValueError:
            raise invalid(
                f"Incompatible shapes: {shape_text(strings.shape)} vs. {shape_text(np.shape(pos))}"
            ) from None
        each_of = [np.broadcast_to(array, shape).ravel() for array in (strings, pos, length)]
        made = np.empty(each_of[0].size, object)
        # Rows that share positions are counted by dimension.
        shares = np.ndim(pos) and strings.ndim and strings.shape != np.shape(pos)
        places = np.ndindex(shape) if shares and len(shape) > 1 else range(made.size)
        rows = zip(*(array.tolist() for array in each_of), places, strict=True)
        made[:] = [part(*row) for row in rows]
        return made.reshape(shape)

    return run


def _start(pos: int, size: int, item: bytes | None, place: Any) -> int:
    if not -size <= pos <= size:
        shown = "" if item is None else f" b'{item.decode(errors='replace')}'"
        raise invalid(f"pos {pos} out of range for string{shown} at index {place}")
    return pos + size if pos < 0 else pos


def _bytes_part(item: bytes, pos: int, length: int, place: Any) -> bytes:
    start = _start(pos, len(item), item, place)
    # TensorFlow takes the length as an unsigned one here: with a negative one, all that is left.
    return item[start : start + length if length >= 0 else None]


def _characters_part(item: bytes, pos: int, length: int, place: Any) -> bytes:
    starts = [i for i, byte in enumerate(item) if byte & 0xC0 != 0x80]
    # TensorFlow names only the row here.
    start = _start(pos, len(starts), None, place[0] if isinstance(place, tuple) else place)
    starts.append(len(item))
    return item[starts[start] : starts[min(start + max(length, 0), len(starts) - 1)]]


@kernel("StringLength", host_inputs=("input",), host_outputs=("output",))
def string_length(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if node.attr("unit") == b"BYTE":
        return lambda value: each(len, value, np.int32)
    return lambda value: each(
        lambda item: len(item.translate(None, _CONTINUATION)), value, np.int32
    )


@kernel("StringStrip", host_inputs=("input",), host_outputs=("output",))
def string_strip(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda value: each(bytes.strip, value)


@kernel("StringLower", "StringUpper", host_inputs=("input",), host_outputs=("output",))
def string_case(node: KernelNode, xp: Any) -> Callable[..., Any]:
    encoding, is_lower = node.attr("encoding"), node.op == "StringLower"
    if encoding not in (b"", b"utf-8"):
        raise invalid(
            "only utf-8 or '' (no encoding) is supported, received "
            f"{encoding.decode(errors='replace')}"
        )
    if not encoding:
        return lambda value: each(bytes.lower if is_lower else bytes.upper, value)
    change = str.lower if is_lower else str.upper
    return lambda value: each(lambda item: change(item.decode(errors="replace")).encode(), value)


@kernel("EncodeBase64", host_inputs=("input",), host_outputs=("output",))
def encode_base64(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if node.attr("pad"):
        return lambda value: each(base64.urlsafe_b64encode, value)
    return lambda value: each(lambda item: base64.urlsafe_b64encode(item).rstrip(b"="), value)


@kernel("DecodeBase64", host_inputs=("input",), host_outputs=("output",))
def decode_base64(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda value: each(_decoded, value)


def _decoded(item: bytes) -> bytes:
    if len(item) % 4 == 1:
        raise invalid("Base64 string length cannot be 1 modulo 4.")
    if not _BASE64.fullmatch(item):
        raise invalid("Invalid character found in base64.")
    digits = item.rstrip(b"=")
    if len(digits) < len(item) and len(item) % 4:
        raise invalid("Invalid character found in base64.")
    return base64.urlsafe_b64decode(digits + b"=" * (-len(digits) % 4))
