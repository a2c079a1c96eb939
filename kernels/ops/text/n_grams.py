"""Kernel of n-grams of the strings in each row."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import ResourceExhaustedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel

_MOST: Final = 1 << 27


@kernel(
    "StringNGrams", host_inputs=("data", "data_splits"), host_outputs=("ngrams", "ngrams_splits")
)
def string_n_grams(node: KernelNode, xp: Any) -> Callable[..., Any]:
    separator, widths = node.attr("separator"), node.attr("ngram_widths")
    left, right = node.attr("left_pad"), node.attr("right_pad")
    most_padding, keeps_short = node.attr("pad_width"), node.attr("preserve_short_sequences")
    if any(width < 1 for width in widths):
        raise invalid("ngram_widths must contain positive values")

    def padding(width: int) -> int:
        return width - 1 if most_padding < 0 else min(most_padding, width - 1)

    def grams(row: list[bytes], width: int) -> list[bytes]:
        pad = padding(width)
        padded = [left] * pad + row + [right] * pad if pad else row
        return [separator.join(padded[i : i + width]) for i in range(len(padded) - width + 1)]

    def row_grams(row: list[bytes]) -> list[bytes]:
        found = [gram for width in widths for gram in grams(row, width)]
        if keeps_short and not found and row:
            pad = max(most_padding, 0)
            if pad > _MOST:
                raise ResourceExhaustedError(None, None, f"Padding of {pad} strings is too much")
            found.append(separator.join([left] * pad + row + [right] * pad))
        return found

    def run(data: Any, splits: Any) -> Any:
        strings = np.asarray(data, object).ravel().tolist()
        ends = np.ravel(splits).tolist()
        _check_splits(ends, len(strings))
        shape, kind = np.shape(splits), np.asarray(splits).dtype
        if not strings or not ends:
            made = np.empty(len(strings), object)
            made[:] = [b""] * len(strings)
            return made, np.zeros(shape, kind)
        pads = sum((2 * padding(width) + 1) * width for width in widths)
        if pads * len(ends) + len(strings) * sum(widths) > _MOST:
            raise ResourceExhaustedError(None, None, f"There would be more than {_MOST} n-grams")
        rows = [row_grams(strings[start:end]) for start, end in itertools.pairwise(ends)]
        found = [gram for row in rows for gram in row]
        made = np.empty(len(found), object)
        made[:] = found
        counts = np.cumsum([0, *(len(row) for row in rows)])
        return made, counts.astype(kind).reshape(shape)

    return run


def _check_splits(splits: list[int], count: int) -> None:
    if count and splits:
        if splits[0]:
            raise invalid(f"First split value must be 0, got {splits[0]}")
        for before, split in itertools.pairwise(splits):
            if not before <= split <= count:
                raise invalid(f"Invalid split value {split}, must be in [{before}, {count}]")
        if splits[-1] != count:
            raise invalid(f"Last split value must be data size. Expected {count}, got {splits[-1]}")
    elif any(splits):
        raise invalid(f"Invalid split value {max(splits, key=abs)}, must be in [0, 0]")
