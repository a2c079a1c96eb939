"""Kernels of strings from one encoding to another, and as code points."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.ops.text.decoding import MARK, MARKED_CONTROLS, Decoder, replacement
from dataflow.kernels.ops.text.each import each

_LAST: Final = 0x10FFFF
_DECODED: Final = ("row_splits", "char_values")


@kernel("UnicodeTranscode", host_inputs=("input",), host_outputs=("output",))
def unicode_transcode(node: KernelNode, xp: Any) -> Callable[..., Any]:
    decoder, marked = _decoder(node), _marker(node)
    target = node.attr("output_encoding").decode().lower()
    instead = "" if node.attr("errors") == b"ignore" else replacement(_code(node))

    def convert(data: bytes) -> bytes:
        return marked(decoder.text(data)).replace(MARK, instead).encode(target)

    return lambda value: each(convert, value)


@kernel("UnicodeDecode", host_inputs=("input",), host_outputs=_DECODED)
def unicode_decode(node: KernelNode, xp: Any) -> Callable[..., Any]:
    decoder, marked = _decoder(node), _marker(node)
    instead = "" if node.attr("errors") == b"ignore" else replacement(_code(node))

    def run(value: Any) -> Any:
        strings = np.asarray(value, object).ravel().tolist()
        texts = [marked(decoder.text(data)).replace(MARK, instead) for data in strings]
        return _splits(node, [len(text) for text in texts]), _points("".join(texts))

    return run


@kernel(
    "UnicodeDecodeWithOffsets",
    host_inputs=("input",),
    host_outputs=(*_DECODED, "char_to_byte_starts"),
)
def unicode_decode_with_offsets(node: KernelNode, xp: Any) -> Callable[..., Any]:
    decoder, marked = _decoder(node), _marker(node)
    ignores, instead = node.attr("errors") == b"ignore", replacement(_code(node))

    def run(value: Any) -> Any:
        texts: list[str] = []
        starts: list[int] = []
        for data in np.asarray(value, object).ravel().tolist():
            text, places = decoder.measured(data)
            text = marked(text)
            if ignores:
                places = [at for at, sign in zip(places, text, strict=True) if sign != MARK]
            texts.append(text.replace(MARK, "" if ignores else instead))
            starts += places
        splits = _splits(node, [len(text) for text in texts])
        return splits, _points("".join(texts)), np.array(starts, np.int64)

    return run


def _decoder(node: KernelNode) -> Decoder:
    return Decoder(node.attr("input_encoding").decode(errors="backslashreplace"))


def _code(node: KernelNode) -> int:
    code: int = node.attr("replacement_char")
    replacement(code)
    return code


def _marker(node: KernelNode) -> Callable[[str], str]:
    """Refuses marks if that is asked for, and marks control characters if that is."""
    is_strict = node.attr("errors") == b"strict"
    marks_controls = node.attr("replace_control_characters")
    _code(node)

    def marked(text: str) -> str:
        if is_strict and MARK in text:
            raise invalid("Invalid formatting on input string")
        return text.translate(MARKED_CONTROLS) if marks_controls else text

    return marked


def _splits(node: KernelNode, counts: list[int]) -> Any:
    kind = node.attr("Tsplits").as_numpy_dtype
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(kind)


def _points(text: str) -> Any:
    return np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.int32)


@kernel("UnicodeEncode", host_inputs=("input_values", "input_splits"), host_outputs=("output",))
def unicode_encode(node: KernelNode, xp: Any) -> Callable[..., Any]:
    target, errors = node.attr("output_encoding").decode().lower(), node.attr("errors")
    instead = ord(replacement(_code(node)))

    def run(values: Any, splits: Any) -> Any:
        if np.ndim(values) != 1 or np.ndim(splits) != 1:
            raise invalid("Both the input_tensor and input_splits should be of rank 1. ")
        _check_splits(splits, len(values))
        points = np.asarray(values).astype(np.int64)
        is_none = (points < 0) | (points > _LAST) | ((points >= 0xD800) & (points < 0xE000))
        if errors == b"strict" and is_none.any():
            raise invalid("Code point is out of range for Unicode, or is a surrogate.")
        signs = np.where(is_none, instead, points).tolist()
        if errors == b"ignore":
            signs = [-1 if none else sign for none, sign in zip(is_none, signs, strict=True)]
        made = np.empty(len(splits) - 1, object)
        ends = np.asarray(splits).tolist()
        for place, (start, end) in enumerate(itertools.pairwise(ends)):
            text = "".join([chr(sign) for sign in signs[start:end] if sign >= 0])
            made[place] = text.encode(target)
        return made

    return run


def _check_splits(splits: Any, count: int) -> None:
    if not splits.size:
        raise invalid("Input_splits should contain elements, but given input_values has 0 elements")
    if splits[0] != 0:
        raise invalid("First value in input_splits must be zero.")
    if splits[-1] != count:
        raise invalid("Last value in input_splits must be equal to length of input_tensor.")
    if (np.diff(splits) < 0).any():
        raise invalid("Values in input_splits must be equal or in ascending order.")
