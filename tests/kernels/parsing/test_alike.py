"""Batches whose messages have few forms, some of them spoiled: as TensorFlow reads each alone."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.oracle import open_session, oracle


def _message(random: Random, number: int) -> bytes:
    """An example of one of few forms; values, and here and there their number, differ."""
    example = tf.train.Example()
    features = example.features.feature
    features["floats"].float_list.value.extend(random.random() for _ in range(3))
    features["label"].int64_list.value.append(random.choice((5, 130, -1, 2**40)))
    features["name"].bytes_list.value.append(b"name %03d" % number)
    features["unused"].bytes_list.value.append(random.randbytes(4))
    features["second"].int64_list.value.append(random.choice((7, 2**20, -3, 2**62)))
    if random.random() < 0.8:
        features["ratio"].float_list.value.append(number / 7)
    if random.random() < 0.3:
        features["some"].int64_list.value.extend(random.choice(((1, 300), (300, 1), (7, 7))))
    if random.random() < 0.1:
        features["default"].float_list.value.append(number)
    return example.SerializeToString(deterministic=True)


def _sized(random: Random, number: int) -> bytes:
    """An example whose features are small or large, and sometimes empty."""
    example = tf.train.Example()
    features = example.features.feature
    features["floats"].float_list.value.extend(random.random() for _ in range(3))
    features["label"].int64_list.value.append(random.choice((5, 130, -1, 2**40)))
    features["name"].bytes_list.value.append(b"n" * random.choice((0, 1, 9, 100, 113, 114, 200)))
    features["unused"].bytes_list.value.append(random.randbytes(random.randrange(140)))
    count = random.choice((1, 2, 12, 40, 130)) if number % 10 else 0
    features["some"].int64_list.value.extend(random.choices((0, 1, 300, -5), k=count))
    features["more"].int64_list.value.extend(range(number % 4))
    return example.SerializeToString(deterministic=True)


def _odd(random: Random, number: int) -> bytes:
    """An example with many floats, and strings with zeros in them, at their ends or alone."""
    example = tf.train.Example()
    features = example.features.feature
    features["floats"].float_list.value.extend(random.random() for _ in range(3))
    features["label"].int64_list.value.append(number)
    text = random.choice((b"", b"\0", b"ends\0\0", b"\0begins", b"has\0one", b"none"))
    features["name"].bytes_list.value.append(text if number < 60 else b"n%d" % number)
    features["some"].int64_list.value.extend([3] * 4)
    features["unused" + "d" * 120].int64_list.value.append(number % 5)
    features["wide"].float_list.value.extend(random.random() for _ in range(40))
    return example.SerializeToString(deterministic=True)


def _parsed(lib: Any, rows: list[bytes]) -> list[Any]:
    features = {
        "floats": lib.FixedLenFeature([3], lib.float32),
        "label": lib.FixedLenFeature([], lib.int64),
        "name": lib.FixedLenFeature([], lib.string),
        "some": lib.VarLenFeature(lib.int64),
        "default": lib.FixedLenFeature([], lib.float32, 0.5),
        "ratio": lib.FixedLenFeature([], lib.float32, 0.25),
        "second": lib.FixedLenFeature([], lib.int64, 3),
        "more": lib.FixedLenSequenceFeature([], lib.int64, allow_missing=True),
        "unused" + "d" * 120: lib.FixedLenFeature([], lib.int64, 9),
        "wide": lib.FixedLenFeature([40], lib.float32, [0.5] * 40),
    }
    with lib.Graph().as_default() as graph:
        serialized = lib.placeholder(lib.string, [None])
        found = lib.parse_example(serialized, features)
        flat = [found[key] for key in sorted(found)]
        with open_session(lib, graph) as session:
            values: list[Any] = session.run(flat, {serialized: rows})
    return [part for value in values for part in (value if isinstance(value, tuple) else (value,))]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("write", [_message, _sized, _odd])
def test_forms_are_read_as_messages_are(write: Any, seed: int) -> None:
    random = Random(seed)
    rows = [write(random, number) for number in range(90)]
    for ours, theirs in zip(_parsed(tf, rows), _parsed(oracle, rows), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def _refusal(lib: Any, rows: list[bytes]) -> str:
    with pytest.raises(lib.errors.InvalidArgumentError) as refused:
        _parsed(lib, rows)
    message: str = refused.value.message
    return message


def test_one_that_is_spoiled_is_found() -> None:
    """Bytes that say where features stand are looked at in each message, as are ends of numbers."""
    random = Random(7)
    example = tf.train.Example()
    example.features.feature["floats"].float_list.value.extend([1.0, 2.0, 3.0])
    example.features.feature["label"].int64_list.value.append(300)
    example.features.feature["name"].bytes_list.value.append(b"name")
    example.features.feature["ratio"].float_list.value.append(0.5)
    example.features.feature["second"].int64_list.value.append(2)
    whole = example.SerializeToString(deterministic=True)
    unended = whole.replace(b"\xac\x02", b"\x02\xac")
    assert unended != whole
    assert "Can't parse" in _refusal(tf, [*[whole] * 12, unended])
    refused = 0
    for place in range(len(whole)):
        spoiled = bytearray(whole)
        spoiled[place] ^= random.choice((1, 2, 8, 0x80))
        rows = [whole] * 12
        rows[9] = bytes(spoiled)
        try:
            theirs = _parsed(tf, [bytes(spoiled)])
        except tf.errors.InvalidArgumentError:
            refused += 1
            assert _refusal(tf, rows)
            continue
        ours = _parsed(tf, rows)
        alone = [value[0] for value in theirs if value.shape[:1] == (1,)]
        among = [value[9] for value in ours if value.shape[:1] == (12,)]
        for one, other in zip(among, alone, strict=False):
            np.testing.assert_array_equal(one, other)
    assert refused > 10


def _entry(key: bytes, kind: int, payload: bytes) -> bytes:
    """A feature whose lengths have a byte each, whether that is enough or not."""
    held = bytes([kind, len(payload) + 2, 10, len(payload)]) + payload
    named = bytes([10, len(key)]) + key + bytes([18, len(held)]) + held
    return bytes([10, len(named)]) + named


@pytest.mark.parametrize(("name", "behind"), [(b"n" * 120, b""), (b"n" * 60, b"\x07")])
def test_lengths_that_lead_elsewhere_are_found(name: bytes, behind: bytes) -> None:
    """Either a length is taken for a longer one, or something stands behind the last feature."""

    def message(name: bytes, behind: bytes = b"") -> bytes:
        rest = _entry(b"floats", 18, bytes(12)) + _entry(b"label", 26, b"\x05")
        rest += _entry(b"unused", 10, bytes(60)) + _entry(b"name", 10, name) + behind
        return bytes([10, len(rest) & 0x7F | 0x80, len(rest) >> 7]) + rest

    usual = [message(b"n" * 100)] * 12
    assert _parsed(tf, usual)[4].tolist() == [b"n" * 100] * 12
    rows = [*usual, message(name, behind)]
    assert "Could not parse" in _refusal(tf, rows)
    # TensorFlow refuses them with a text that Python cannot decode.
    with pytest.raises((oracle.errors.InvalidArgumentError, UnicodeDecodeError)):
        _parsed(oracle, rows)
