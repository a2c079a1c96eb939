"""Serialized `tf.train.SequenceExample` messages, one or a batch of them, to arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.parsing import wire
from dataflow.kernels.parsing.features import (
    AnyFeature,
    DenseFeature,
    Feature,
    Features,
    missing_text,
)
from dataflow.kernels.parsing.lists import TYPES, count_of, joined, read_list
from dataflow.kernels.parsing.wire import DELIMITED_1, DELIMITED_2, MalformedError
from dataflow.values import dtypes

Found = dict[bytes, bytes]
_EMPTY_LIST = 2
"""A feature of so many bytes has a list without elements."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A feature list of one example: the payload of each step, and how many elements it has."""

    payloads: list[Any]
    counts: list[int]


def parse_sequences(
    serialized: Sequence[bytes],
    names: Sequence[bytes],
    context: Features,
    lists: Features,
    is_batch: bool,
) -> list[list[Any]]:
    """The features of sequence examples, one entry for each of the op's output lists.

    Args:
      serialized: The messages.
      names: A name for each, for errors; may be empty.
      context: The features that each has once.
      lists: The features that each has for every step; a dense one that may be missing has a
        payload that stands in for it.
      is_batch: Whether results have a dimension for the batch.

    Raises:
      InvalidArgumentError: A message is none, lacks a feature or has one of another type or size.
    """
    named = [
        names[i].decode(errors="backslashreplace") if len(names) else "<unknown>"
        for i in range(len(serialized))
    ]
    keys = [{feature.key for feature in asked.all} for asked in (context, lists)]
    found = [
        _scan(data, keys[0], keys[1], name) for data, name in zip(serialized, named, strict=True)
    ]
    contexts, sequences = [each[0] for each in found], [each[1] for each in found]
    flat = {feature: _context_payloads(feature, contexts, named) for feature in context.all}
    rows = {
        feature: [
            _rows(feature, held.get(feature.key), name)
            for held, name in zip(sequences, named, strict=True)
        ]
        for feature in lists.all
    }
    dense = [_context_dense(f, flat[f], contexts, named, is_batch) for f in context.dense]
    return [
        *_columns([_context_sparse(flat[f], f.dtype, is_batch) for f in context.sparse], 3),
        dense,
        *_columns([_context_ragged(flat[f], f, is_batch) for f in context.ragged], 2),
        *_columns([_list_sparse(rows[f], f.dtype, is_batch) for f in lists.sparse], 3),
        *_columns([_list_dense(f, rows[f], sequences, named, is_batch) for f in lists.dense], 2),
        *_columns([_list_ragged(rows[f], f, is_batch) for f in lists.ragged], 3),
    ]


def _columns(results: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    return [[result[place] for result in results] for place in range(width)]


def _scan(data: bytes, context: set[bytes], lists: set[bytes], name: str) -> tuple[Found, Found]:
    """The bytes of the features, and of the feature lists, with these keys."""
    found: tuple[Found, Found] = {}, {}
    pos, end = 0, len(data)
    try:
        while pos < end:
            if data[pos] not in (DELIMITED_1, DELIMITED_2):
                pos = wire.skip(data, pos, end)
                continue
            place = 0 if data[pos] == DELIMITED_1 else 1
            wanted, into = (context, lists)[place], found[place]
            pos, stop = wire.limited(data, pos + 1, end)
            while pos < stop:
                if data[pos] != DELIMITED_1:
                    raise MalformedError
                key, value, pos = _entry(data, pos + 1, stop)
                if key in wanted:
                    into[key] = value
    except MalformedError:
        raise invalid(f"Invalid protocol message input, example id: {name}") from None
    return found


def _entry(data: bytes, pos: int, end: int) -> tuple[bytes, bytes, int]:
    """An entry of a map behind its tag; here the key must come before the value."""
    pos, stop = wire.limited(data, pos, end)
    if pos >= stop or data[pos] != DELIMITED_1:
        raise MalformedError
    start, pos = wire.text(data, pos + 1, stop)
    key = data[start:pos]
    if pos >= stop or data[pos] != DELIMITED_2:
        raise MalformedError
    start, pos = wire.text(data, pos + 1, stop)
    if pos != stop:
        raise MalformedError
    return key, data[start:pos], stop


def _list(data: bytes, pos: int, end: int, dtype: dtypes.DType) -> tuple[Any, int, int]:
    """The payload of a feature's list of this type, its number of elements, and where it ends."""
    if pos >= end or TYPES.get(data[pos]) is not dtype:
        raise MalformedError
    held, pos = read_list(data, pos + 1, end, dtype, clips=True)
    return held, count_of(held, dtype), pos


def _context_payloads(feature: AnyFeature, contexts: Sequence[Found], names: Sequence[str]) -> Rows:
    made = Rows([], [])
    none = [] if feature.dtype is dtypes.string else b""
    for found, name in zip(contexts, names, strict=True):
        data = found.get(feature.key)
        held, count = none, 0
        if data:
            try:
                held, count, _ = _list(data, 0, len(data), feature.dtype)
            except MalformedError:
                raise invalid(
                    f"Name: {name}, Context feature: {_shown(feature)}.  Data types don't match. "
                    f"Expected type: {type_name(feature.dtype)}"
                ) from None
        made.payloads.append(held)
        made.counts.append(count)
    return made


def _rows(feature: AnyFeature, data: bytes | None, name: str) -> Rows:
    made = Rows([], [])
    none = [] if feature.dtype is dtypes.string else b""
    pos, end = 0, len(data or b"")
    fault = invalid(f"Error in sequence feature {_shown(feature)} in example {name}")
    while data and pos < end:
        if data[pos] != DELIMITED_1:
            raise fault
        try:
            size, pos = wire.length(data, pos + 1, end)
        except MalformedError:
            raise fault from None
        if size == 1:
            raise fault
        stop = min(end, pos + size)
        held, count = none, 0
        if size:
            try:
                if size == _EMPTY_LIST and data[pos + 1 : pos + 2] != b"\0":
                    raise MalformedError
                # What is behind the list counts as the next step.
                held, count, pos = _list(data, pos, stop, feature.dtype)
            except MalformedError:
                raise invalid(
                    f"Name: {name}, Feature list: {_shown(feature)}, Index: {len(made.counts)}.  "
                    f"Data types don't match. Expected type: {type_name(feature.dtype)}"
                ) from None
        made.payloads.append(held)
        made.counts.append(count)
    return made


def _context_dense(
    feature: DenseFeature,
    rows: Rows,
    contexts: Sequence[Found],
    names: Sequence[str],
    is_batch: bool,
) -> Any:
    size = feature.stride
    longest = max((feature.default.size, *rows.counts))
    if longest != size:
        raise invalid(
            f"Inconsistent max number of elements for feature {_shown(feature)}: expected {size}, "
            f"but found {longest}"
        )
    payloads = list(rows.payloads)
    for place, (found, count) in enumerate(zip(contexts, rows.counts, strict=True)):
        if feature.key not in found:
            if feature.absent is None:
                raise invalid(missing_text(feature))
            payloads[place] = feature.absent
        elif count != size:
            raise invalid(f"Unexpected number of elements in example {names[place]}")
    batch = (len(names),) if is_batch else ()
    return joined(payloads, feature.dtype).reshape((*batch, *feature.shape))


def _context_sparse(rows: Rows, dtype: dtypes.DType, is_batch: bool) -> tuple[Any, Any, Any]:
    counts = np.array(rows.counts, np.int64)
    columns = [np.repeat(np.arange(len(counts)), counts), _steps(counts)]
    sizes = [len(counts), counts.max(initial=0)]
    return _sparse(columns, rows.payloads, dtype, sizes, is_batch)


def _context_ragged(rows: Rows, feature: Feature, is_batch: bool) -> tuple[Any, Any]:
    counts = rows.counts if is_batch else ()
    return joined(rows.payloads, feature.dtype), _splits(counts, feature, is_batch)


def _list_sparse(
    examples: Sequence[Rows], dtype: dtypes.DType, is_batch: bool
) -> tuple[Any, Any, Any]:
    steps = np.array([len(rows.counts) for rows in examples], np.int64)
    counts = np.array([count for rows in examples for count in rows.counts], np.int64)
    columns = [
        np.repeat(np.repeat(np.arange(len(steps)), steps), counts),
        np.repeat(_steps(steps), counts),
        _steps(counts),
    ]
    payloads = [held for rows in examples for held in rows.payloads]
    sizes = [len(steps), steps.max(initial=0), counts.max(initial=0)]
    return _sparse(columns, payloads, dtype, sizes, is_batch)


def _sparse(
    columns: Sequence[Any], payloads: Sequence[Any], dtype: dtypes.DType, sizes: Any, is_batch: bool
) -> tuple[Any, Any, Any]:
    first = 0 if is_batch else 1
    return (
        np.stack(columns[first:], axis=1).astype(np.int64),
        joined(payloads, dtype),
        np.array(sizes[first:], np.int64),
    )


def _list_dense(
    feature: DenseFeature,
    examples: Sequence[Rows],
    sequences: Sequence[Found],
    names: Sequence[str],
    is_batch: bool,
) -> tuple[Any, Any]:
    size = math.prod(feature.shape)  # type: ignore[arg-type]
    totals = [sum(rows.counts) for rows in examples]
    longest = max(totals, default=0)
    if not size or longest % size:
        raise invalid(
            f"Feature list '{_shown(feature)}' has an unexpected number of values.  Total values "
            f"size: {longest} is not consistent with output shape: "
            f"{shape_text(('?', *feature.shape))}"  # type: ignore[arg-type]
        )
    for rows, found, name in zip(examples, sequences, names, strict=True):
        if feature.key not in found and feature.absent is None:
            raise invalid(
                f"Name: {name}, Feature list '{_shown(feature)}' is required but could not be "
                "found.  Did you mean to include it in feature_list_dense_missing_assumed_empty "
                "or feature_list_dense_defaults?"
            )
        for place, count in enumerate(rows.counts):
            if count != size:
                raise invalid(
                    f"Name: {name}, Key: {_shown(feature)}, Index: {place}.  Number of values != "
                    f"expected.  values size: {count} but output shape: {feature.text}"
                )
    flat = joined([held for rows in examples for held in rows.payloads], feature.dtype)
    shape = (len(examples), longest // size, *feature.shape)
    if flat.size == len(examples) * longest:
        padded = flat
    else:
        padded = np.zeros((len(examples), longest), feature.dtype.as_numpy_dtype)
        if feature.dtype is dtypes.string:
            padded[...] = b""
        padded[np.arange(longest) < np.array(totals)[:, None]] = flat
    lengths = np.array([len(rows.counts) for rows in examples], np.int64)
    if is_batch:
        return padded.reshape(shape), lengths
    return padded.reshape(shape[1:]), lengths[0]


def _list_ragged(
    examples: Sequence[Rows], feature: Feature, is_batch: bool
) -> tuple[Any, Any, Any]:
    payloads = [held for rows in examples for held in rows.payloads]
    counts = [count for rows in examples for count in rows.counts]
    steps = [len(rows.counts) for rows in examples] if is_batch else ()
    return (
        joined(payloads, feature.dtype),
        _splits(steps, feature, is_batch),
        _splits(counts, feature, True),
    )


def _splits(counts: Sequence[int], feature: Feature, has_rows: bool) -> Any:
    """Where rows of so many elements begin and end; a scalar that says nothing without rows."""
    if not has_rows:
        return np.zeros((), feature.splits)
    return np.concatenate([[0], np.cumsum(np.array(counts, np.int64))]).astype(feature.splits)


def _steps(counts: Any) -> Any:
    """0, 1, ... for each of rows of so many elements."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _shown(feature: AnyFeature) -> str:
    return feature.key.decode(errors="backslashreplace")
