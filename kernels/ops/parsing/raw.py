"""Kernels that read the bytes of numbers, and compressed bytes."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import DataLossError, ResourceExhaustedError, UnimplementedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.ops.text.each import each
from dataflow.kernels.threads.stopping import look

_WINDOWS: Final = {b"ZLIB": zlib.MAX_WBITS, b"GZIP": 16 + zlib.MAX_WBITS}
"""How zlib is told what the bytes are packed in."""
_MOST_BYTES: Final = 1 << 30
_PIECE: Final = 1 << 24


@kernel("DecodeRaw", host_inputs=("bytes",), host_outputs=("output",), grows=True)
def decode_raw(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("out_type")
    numbers = _numbers(node)
    size = np.dtype(dtype.as_numpy_dtype).itemsize

    def run(value: Any) -> Any:
        array = np.asarray(value, object)
        items = array.ravel().tolist()
        if not items:
            return np.empty((*array.shape, 0), dtype.as_numpy_dtype)
        length = len(items[0])
        for place, item in enumerate(items):
            if len(item) != length:
                raise invalid(
                    "DecodeRaw requires input strings to all be the same size, but element "
                    f"{place} has size {length} != {len(item)}"
                )
        if length % size:
            raise invalid(
                f"Input to DecodeRaw has length {length} that is not a multiple of {size}, the "
                f"size of {type_name(dtype)}"
            )
        data = items[0] if len(items) == 1 else b"".join(items)
        return numbers(data).reshape(*array.shape, length // size)

    return run


@kernel(
    "DecodePaddedRaw",
    host_inputs=("input_bytes", "fixed_length"),
    host_outputs=("output",),
)
def decode_padded_raw(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("out_type")
    numbers = _numbers(node)
    size = np.dtype(dtype.as_numpy_dtype).itemsize

    def run(value: Any, fixed_length: Any) -> Any:
        if np.ndim(fixed_length):
            raise invalid(f"k must be scalar, got shape {shape_text(np.shape(fixed_length))}")
        length = int(fixed_length)
        if length <= 0:
            raise invalid(f"fixed_length ({length}) must be greater than zero.")
        if length % size:
            raise invalid(
                f"fixed_length ({length}) must be a multiple of the size of out_type ({size})"
            )
        array = np.asarray(value, object)
        if array.size * length > _MOST_BYTES:
            raise ResourceExhaustedError(
                None, None, f"{array.size} strings of {length} bytes would take too much memory."
            )
        data = b"".join(item[:length].ljust(length, b"\0") for item in array.ravel().tolist())
        return numbers(data).reshape(*array.shape, length // size)

    return run


def _numbers(node: KernelNode) -> Callable[[bytes], Any]:
    """Reads the bytes of an attr's type, in an attr's order."""
    dtype = np.dtype(node.attr("out_type").as_numpy_dtype)
    if dtype == np.bool_:
        return lambda data: np.frombuffer(data, np.uint8) != 0
    if node.attr("little_endian") or dtype.itemsize == 1:
        return lambda data: np.frombuffer(data, dtype).copy()
    width = dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize

    def swapped(data: bytes) -> Any:
        words = np.frombuffer(data, np.uint8).reshape(-1, width)[:, ::-1]
        return np.ascontiguousarray(words).reshape(-1).view(dtype)

    return swapped


@kernel("DecodeCompressed", host_inputs=("bytes",), host_outputs=("output",))
def decode_compressed(node: KernelNode, xp: Any) -> Callable[..., Any]:
    kind = node.attr("compression_type")
    if kind == b"ZSTD":
        raise UnimplementedError(None, None, "ZSTD is not among the compressions this reads.")
    if kind and kind not in _WINDOWS:
        raise invalid("Only ZLIB, ZSTD, GZIP or NONE are supported compressions")
    if not kind:
        return lambda value: np.asarray(value, object).copy()

    def run(value: Any) -> Any:
        return each(lambda item: _inflated(item, _WINDOWS[kind]), value)

    return run


def _inflated(data: bytes, window: int) -> bytes:
    """The bytes that were compressed, as far as they are there.

    Raises:
      DataLossError: The bytes are not compressed so.
      ResourceExhaustedError: They stand for more than a string may hold.
    """
    pieces: list[bytes] = []
    size = 0
    while data:
        machine = zlib.decompressobj(window)
        while data and not machine.eof:
            look()
            try:
                piece = machine.decompress(data, _PIECE)
            except zlib.error as error:
                code, _, reason = str(error).removeprefix("Error ").partition(" while ")
                text = f"inflate() failed with error {code}: {reason.partition(': ')[2]}"
                raise DataLossError(None, None, text) from None
            pieces.append(piece)
            size += len(piece)
            if size > _MOST_BYTES:
                raise ResourceExhaustedError(
                    None, None, f"{len(data)} compressed bytes stand for more than {_MOST_BYTES}."
                )
            data = machine.unconsumed_tail
            if not data and not piece:
                break
        # Only gzip files may follow each other.
        data = machine.unused_data if window > zlib.MAX_WBITS else b""
    return b"".join(pieces)
