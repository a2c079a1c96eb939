"""Serialized `tf.train.Example` messages, one or a batch of them, to arrays."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.parsing import wire
from dataflow.kernels.parsing.alike import alike
from dataflow.kernels.parsing.columns import Column, WrongListError
from dataflow.kernels.parsing.features import AnyFeature, DenseFeature, Features, missing_text
from dataflow.kernels.parsing.lists import TYPES, WORDS, count_of, payload, values
from dataflow.kernels.parsing.wire import DELIMITED_1, DELIMITED_2, MalformedError
from dataflow.values import dtypes

Spans = dict[bytes, tuple[int, int]]


def scan(data: bytes, wanted: dict[bytes, bool]) -> Spans:
    """Where the features of an example begin and end, of those with these keys.

    Of several with one key the last one counts.

    Args:
      data: The message.
      wanted: Keys, and whether a feature without a list counts.

    Raises:
      MalformedError: This is no example.
    """
    found: Spans = {}
    pos, end = 0, len(data)
    while pos < end:
        if data[pos] != DELIMITED_1:
            pos = wire.skip(data, pos, end)
            continue
        pos, stop = wire.limited(data, pos + 1, end)
        while pos < stop:
            # The usual form is read in one go: a tag, a length, and key and value with theirs.
            try:
                after = pos + 2
                if (size := data[pos + 1]) >= 0x80:
                    size, after = wire.length(data, pos + 1, stop)
                key_end = after + 2 + data[after + 1]
                start = key_end + 2
                if (held := data[key_end + 1]) >= 0x80:
                    held, start = wire.length(data, key_end + 1, stop)
                finish = start + held
                if (
                    finish == after + size <= stop
                    and data[pos] == data[after] == DELIMITED_1
                    and data[key_end] == DELIMITED_2
                    and data[after + 1] < 0x80
                ):
                    pos, key = finish, data[after + 2 : key_end]
                else:
                    key, start, finish, pos = _entry(data, pos, stop)
            except (IndexError, MalformedError):
                key, start, finish, pos = _entry(data, pos, stop)
            if (counts := wanted.get(key)) is not None and (start < finish or counts):
                found[key] = start, finish
    return found


def counts(data: bytes, keys: Collection[bytes]) -> tuple[int, int]:
    """How many features an example has, and how many values those with these keys have.

    Args:
      data: A message that has been parsed.
      keys: The keys.
    """
    features = held = 0
    pos, end = 0, len(data)
    while pos < end:
        if data[pos] != DELIMITED_1:
            pos = wire.skip(data, pos, end)
            continue
        pos, stop = wire.limited(data, pos + 1, end)
        while pos < stop:
            key, start, finish, pos = _entry(data, pos, stop)
            features += 1
            kind = TYPES.get(data[start]) if start < finish else None
            if kind is not None and key in keys:
                held += count_of(payload(data, start + 1, finish, kind), kind)
    return features, held


def _entry(data: bytes, pos: int, end: int) -> tuple[bytes, int, int, int]:
    if data[pos] != DELIMITED_1:
        raise MalformedError
    return wire.entry(data, pos + 1, end)


def parse_batch(serialized: Sequence[bytes], names: Sequence[bytes], asked: Features) -> list[Any]:
    """The features of a batch: indices, values and shapes of sparse ones, dense, ragged ones.

    Args:
      serialized: The messages.
      names: A name for each, for errors; may be empty.
      asked: Which features.

    Raises:
      InvalidArgumentError: A message is none, lacks a feature or has one of another type or size.
    """
    wanted = {feature.key: False for feature in asked.dense}
    wanted.update((feature.key, True) for feature in asked.others)
    columns = [Column(feature) for feature in asked.all]
    text, forms, others = alike(serialized, columns, asked.forms, scan)
    for index in others:
        data = serialized[index]
        try:
            found = scan(data, wanted)
        except (MalformedError, IndexError):
            raise _no_example(data) from None
        missing: list[DenseFeature] = []
        try:
            for column in columns:
                if (span := found.get(column.key)) is not None:
                    column.take(data, *span)
                elif not column.skip():
                    missing.append(column.feature)  # type: ignore[arg-type]
        except (MalformedError, WrongListError):
            raise _batch_error(data, found, index, names, asked) from None
        if missing:
            raise invalid(f"Name: {_name(names, index)}, {missing_text(missing[0])}")
    for number, column in enumerate(columns):
        column.settle(
            len(serialized),
            others,
            text,
            [(form.rows, form.spans[number], form.values.get(number)) for form in forms],
        )
    count = len(asked.sparse)
    sparse, ragged = columns[:count], columns[count : len(asked.others)]
    return [
        *(_places(column.sizes()) for column in sparse),
        *(column.values() for column in sparse),
        *(np.array([len(serialized), column.sizes().max(initial=0)]) for column in sparse),
        *(column.stacked(len(serialized)) for column in columns[len(asked.others) :]),
        *(column.values() for column in ragged),
        *(column.splits() for column in ragged),
    ]


def _places(counts: Any) -> Any:
    """The coordinates of elements of which each row has so many."""
    total = int(counts.sum())
    places = np.empty((total, 2), np.int64)
    if total == counts.size and counts.min(initial=1) == 1:
        places[:, 0] = np.arange(total)
        places[:, 1] = 0
        return places
    places[:, 0] = np.repeat(np.arange(len(counts)), counts)
    places[:, 1] = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return places


def _batch_error(
    data: bytes,
    found: Spans,
    index: int,
    names: Sequence[bytes],
    asked: Features,
) -> InvalidArgumentError:
    """The error of the feature that is wrong and stands last in the message."""
    by_key: dict[bytes, AnyFeature] = {f.key: f for f in asked.all}
    for key, span in sorted(found.items(), key=lambda item: -item[1][0]):
        if span[0] == span[1]:
            continue
        if (kind := TYPES.get(data[span[0]])) is None:
            return invalid("Unsupported datatype.")
        if fault := _fault(data, span, kind, by_key[key]):
            shown = key.decode(errors="backslashreplace")
            return invalid(f"Name: {_name(names, index)}, Key: {shown}, Index: {index}.  {fault}")
    return _no_example(data)


def _fault(data: bytes, span: tuple[int, int], kind: dtypes.DType, feature: AnyFeature) -> str:
    """What is wrong with a feature, or nothing."""
    if kind is not feature.dtype:
        return _wrong_type(kind, feature)
    word = WORDS[kind]
    try:
        count = count_of(payload(data, span[0] + 1, span[1], kind), kind)
    except MalformedError:
        return "Can't parse serialized Example."
    if not isinstance(feature, DenseFeature):
        return ""
    stride = feature.stride
    if feature.is_variable:
        if count % stride if stride else count:
            return (
                f"Number of {word} values is not a multiple of stride length. Saw {count} values "
                f"but output shape is: {feature.text}"
            )
    elif kind is dtypes.string and count > stride:
        return "Can't parse serialized Example."
    elif count != stride:
        return (
            f"Number of {word} values != expected.  Values size: {count} but output shape: "
            f"{feature.text}"
        )
    return ""


def _wrong_type(kind: dtypes.DType, feature: AnyFeature) -> str:
    if isinstance(feature, DenseFeature):
        return (
            f"Data types don't match. Data type: {type_name(kind)} but expected type: "
            f"{type_name(feature.dtype)}"
        )
    return (
        f"Data types don't match. Expected type: {type_name(feature.dtype)}, Actual type: "
        f"{type_name(kind)}"
    )


def _name(names: Sequence[bytes], index: int) -> str:
    return names[index].decode(errors="backslashreplace") if len(names) else "<unknown>"


def _no_example(data: bytes) -> InvalidArgumentError:
    shown = data[:1000].decode(errors="backslashreplace")
    return invalid(f"Could not parse example input, value: '{shown}'")


def parse_one(data: bytes, asked: Features) -> list[Any]:
    """The features of one example: like `parse_batch`, without the dimension of the batch.

    Raises:
      InvalidArgumentError: It is no example, lacks a feature or has one of another type or size.
    """
    wanted = {feature.key: False for feature in asked.all}
    try:
        found = scan(data, wanted)
    except (MalformedError, IndexError):
        raise _no_example(data) from None
    others = [_one(data, found.get(feature.key), feature, 1) for feature in asked.others]
    dense = [_one_dense(data, found.get(feature.key), feature) for feature in asked.dense]
    sparse, ragged = others[: len(asked.sparse)], others[len(asked.sparse) :]
    for feature, held in zip(asked.dense, dense, strict=True):
        if held is None:
            raise invalid(missing_text(feature))
    return [
        *(np.arange(held.size).reshape(-1, 1) for held in sparse),
        *sparse,
        *(np.array([held.size], np.int64) for held in sparse),
        *dense,
        *ragged,
        *(np.empty(0, feature.splits) for feature in asked.ragged),
    ]


def _one_dense(data: bytes, span: tuple[int, int] | None, feature: DenseFeature) -> Any:
    if span is not None:
        sizes = (-1, *feature.shape[1:]) if feature.is_variable else feature.shape
        flat = _one(data, span, feature, feature.stride)
        if not feature.stride:
            sizes = (0, *feature.shape[1:]) if feature.is_variable else feature.shape
        return flat.reshape(sizes)
    if feature.is_variable:
        return np.empty((0, *feature.shape[1:]), feature.dtype.as_numpy_dtype)
    return feature.default if feature.default.size else None


def _one(data: bytes, span: tuple[int, int] | None, feature: AnyFeature, stride: int) -> Any:
    """The elements of a feature, whose number is a multiple of the stride, or equals it."""
    dtype = feature.dtype
    if span is None:
        return np.empty(0, dtype.as_numpy_dtype)
    kind = TYPES.get(data[span[0]])
    if kind is None:
        raise invalid("Unsupported datatype.")
    word = f"{WORDS[kind]}_list"
    if kind is not dtype:
        raise _one_error(feature, f".  {_wrong_type(kind, feature)}")
    is_dense = isinstance(feature, DenseFeature)
    is_fixed = isinstance(feature, DenseFeature) and not feature.is_variable
    try:
        held = payload(data, span[0] + 1, span[1], dtype)
        count = count_of(held, dtype)
        if is_fixed and dtype is dtypes.string and count > stride:
            raise MalformedError
    except MalformedError:
        failed = f"Parsing {word} failed."
        if dtype is dtypes.string and not is_fixed:
            failed = f"Could not get num elements in {word}."
        raise _one_error(feature, f".  Can't parse serialized Example: {failed}") from None
    if is_fixed and count != stride:
        raise _one_error(
            feature, f".  Can't parse serialized Example: Some {word} slice was not parsed."
        )
    if is_dense and not is_fixed and (count % stride if stride else count):
        # TensorFlow 1.15 says the first sentence, TensorFlow 2 the rest.
        raise _one_error(
            feature,
            ".  Can't parse serialized Example: number of elements should be divisible by "
            f"{stride}, found {count} instead",
        )
    return values(held, dtype)


def _one_error(feature: AnyFeature, text: str) -> InvalidArgumentError:
    return invalid(f"Key: {feature.key.decode(errors='backslashreplace')}{text}")
