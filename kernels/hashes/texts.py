"""Hashes of texts of any lengths: by machine code once there are many."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np

from dataflow.kernels.hashes.formulas import Hash
from dataflow.kernels.hashes.loops import SLACK, hash_texts, is_there
from dataflow.kernels.hashes.rows import Rows, Words, hash_rows

_PARTS: Final = 1 << 22
"""How many bytes are copied together at most, but for longer texts."""
_OFTEN: Final = 40
"""Lengths of texts, some 0.2 ms each for numpy, after which machine code is made, in some 10 ms."""
_seen: Final[dict[object, int]] = {}
"""How many lengths numpy has hashed, by what steps do."""


def hashed(texts: Sequence[bytes], what: Hash) -> Words:
    """The hashes of texts."""
    result = np.empty(len(texts), np.uint64)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    if _is_worth(lengths, what):
        _in_turn(texts, lengths, what, result)
    else:
        _by_length(texts, lengths, what, result)
    return result


def _is_worth(lengths: np.ndarray, what: Hash) -> bool:
    before = _seen.get(what.step, 0)
    if before < _OFTEN and lengths.size:
        _seen[what.step] = before = before + np.unique(lengths).size
    return before >= _OFTEN and is_there()


def _in_turn(texts: Sequence[bytes], lengths: np.ndarray, what: Hash, result: Words) -> None:
    ends = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    begin = 0
    while begin < lengths.size:
        after = int(np.searchsorted(ends, ends[begin] + _PARTS, side="right")) - 1
        after = max(after, begin + 1)
        part = ends[begin : after + 1] - ends[begin]
        together = b"".join([*itertools.islice(texts, begin, after), bytes(SLACK)])
        hash_texts(what, together, part, result[begin:after])
        begin = after


def _by_length(texts: Sequence[bytes], lengths: np.ndarray, what: Hash, result: Words) -> None:
    order = np.argsort(lengths, kind="stable")
    ends = np.flatnonzero(np.diff(lengths[order])) + 1
    for group in np.split(order, ends):
        length = int(lengths[group[0]]) if group.size else 0
        step = max(1, _PARTS // max(length, 1))
        for begin in range(0, group.size, step):
            part = group[begin : begin + step]
            together = b"".join([texts[i] for i in part.tolist()])
            rows = np.frombuffer(together, np.uint8).reshape(part.size, length)
            result[part] = hash_rows(what, Rows(rows, what.keys))
