"""Hashes of texts by numpy and by machine code, beside TensorFlow's; the threshold between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

from dataflow.kernels.hashes import texts
from dataflow.kernels.hashes.formulas import FARMHASH, MURMUR, Hash, siphash
from dataflow.kernels.hashes.loops import is_there
from dataflow.kernels.hashes.texts import hashed

BUCKETS = 2**62 - 57
KEY = (2**64 - 3, 12345)
LENGTHS = [*range(140), 191, 192, 193, 255, 256, 257, 1000]
HASHES: dict[str, tuple[Hash, Callable[[list[bytes]], object]]] = {
    "farmhash": (
        FARMHASH,
        lambda given: oracle.strings.to_hash_bucket_fast(given, BUCKETS),
    ),
    "siphash": (
        siphash(KEY),
        lambda given: oracle.strings.to_hash_bucket_strong(given, BUCKETS, [-3, 12345]),
    ),
    "murmur": (MURMUR, lambda given: oracle.string_to_hash_bucket(given, BUCKETS)),
}
WAYS = {"by length": texts._by_length, "in turn": texts._in_turn}


def _texts(lengths: list[int]) -> list[bytes]:
    random = np.random.default_rng(3)
    return [random.bytes(length) for length in lengths]


def _lengths(given: list[bytes]) -> np.ndarray:
    return np.array([len(one) for one in given], np.int64)


def test_there_is_machine_code() -> None:
    assert is_there()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", HASHES)
def test_lengths_of_all_kinds(name: str, way: str) -> None:
    what, wanted = HASHES[name]
    given = _texts([*LENGTHS, *LENGTHS[::-1]])
    found = np.empty(len(given), np.uint64)
    WAYS[way](given, _lengths(given), what, found)
    with oracle.Graph().as_default(), oracle.Session() as session:
        np.testing.assert_array_equal(found % np.uint64(BUCKETS), session.run(wanted(given)))


@pytest.mark.parametrize("most", [1, 100, 5000])
def test_texts_are_copied_in_parts(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    given = _texts(LENGTHS)
    wanted = np.empty(len(given), np.uint64)
    texts._by_length(given, _lengths(given), FARMHASH, wanted)
    monkeypatch.setattr(texts, "_PARTS", most)
    found = np.empty(len(given), np.uint64)
    texts._in_turn(given, _lengths(given), FARMHASH, found)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", HASHES)
def test_nothing_and_empty_texts(name: str) -> None:
    what = HASHES[name][0]
    for before in (0, texts._OFTEN):
        texts._seen[what.step] = before
        assert hashed([], what).shape == (0,)
        first, second = hashed([b"", b""], what).tolist()
        assert first == second == hashed([b""], what)[0]


def test_machine_code_is_made_once_there_were_many_lengths() -> None:
    step = FARMHASH.step
    texts._seen[step] = 0
    for length in range(texts._OFTEN - 1):
        assert not texts._is_worth(np.full(3, length), FARMHASH)
    assert texts._is_worth(np.full(3, 1), FARMHASH)


def test_keys_differ_and_share_code() -> None:
    given = _texts(LENGTHS)
    for key in ((1, 2), (2, 1)):
        ways = [np.empty(len(given), np.uint64) for _ in WAYS]
        for way, found in zip(WAYS.values(), ways, strict=True):
            way(given, _lengths(given), siphash(key), found)
        np.testing.assert_array_equal(*ways)
