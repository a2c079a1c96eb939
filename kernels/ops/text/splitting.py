"""Kernels that cut strings into pieces."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


@kernel("StringSplit", host_inputs=("input", "delimiter"), host_outputs=("indices", "shape"))
def string_split(node: KernelNode, xp: Any) -> Callable[..., Any]:
    skips_empty = node.attr("skip_empty")

    def run(value: Any, delimiter: Any) -> Any:
        cut = _at_any_of(_separator("delimiter", delimiter))
        rows = [cut(item) if item else [] for item in _vector(value)]
        if skips_empty:
            rows = [[piece for piece in row if piece] if b"" in row else row for row in rows]
        return _sparse(rows)

    return run


@kernel("StringSplitV2", host_inputs=("input", "sep"), host_outputs=("indices", "shape"))
def string_split_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    limit = node.attr("maxsplit")

    def run(value: Any, sep: Any) -> Any:
        if separator := _separator("sep", sep):
            return _sparse([item.split(separator, limit) for item in _vector(value)])
        return _sparse([_at_space(item, limit) for item in _vector(value)])

    return run


def _at_space(item: bytes, limit: int) -> list[bytes]:
    if limit == 0:
        return [item]
    pieces = item.split(None, limit)
    # What is left behind the last cut counts as a piece even if it is empty.
    return [*pieces, b""] if len(pieces) == limit else pieces


def _at_any_of(delimiters: bytes) -> Callable[[bytes], list[bytes]]:
    if not delimiters:
        return lambda item: [item[i : i + 1] for i in range(len(item))]
    if len(delimiters) == 1:
        return lambda item: item.split(delimiters)
    return re.compile(b"[" + re.escape(delimiters) + b"]").split


def _separator(name: str, value: Any) -> bytes:
    if np.ndim(value):
        raise invalid(f"{name} must be a scalar, got shape: {shape_text(np.shape(value))}")
    return bytes(np.asarray(value, object).item())


def _vector(value: Any) -> list[bytes]:
    if np.ndim(value) != 1:
        raise invalid(f"input must be a vector, got shape: {shape_text(np.shape(value))}")
    items: list[bytes] = np.asarray(value, object).tolist()
    return items


def _sparse(rows: Sequence[Sequence[bytes]]) -> tuple[Any, Any, Any]:
    counts = np.array([len(row) for row in rows], np.int64)
    total = int(counts.sum())
    indices = np.empty((total, 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(rows)), counts)
    indices[:, 1] = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    values = np.fromiter(chain.from_iterable(rows), object, total)
    return indices, values, np.array([len(rows), counts.max(initial=0)], np.int64)
