"""Damaged messages: what TensorFlow reads is read, the rest is refused, whatever lengths say."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from hypothesis import given
from hypothesis import strategies as st

import dataflow as tf
from tests.ops.cases.parsing.messages import EXAMPLES, SEQUENCES
from tests.oracle import open_session
from tests.rounds import rounds

Run = Callable[[bytes], Any]


def _example(library: Any, serialized: Any, is_batch: bool) -> Any:
    io = library.io
    found = io.parse_example(
        [serialized] if is_batch else serialized,
        {
            "f": io.FixedLenFeature([3], library.float32),
            "i": io.FixedLenFeature([2], library.int64, [5, 6]),
            "s": io.FixedLenFeature([1], library.string, "d"),
            "v": io.VarLenFeature(library.int64),
            "w": io.FixedLenSequenceFeature([2], library.float32, allow_missing=True),
            "t": io.VarLenFeature(library.string),
        },
    )
    return [found[key] for key in sorted(found)]


def _sequence(library: Any, serialized: Any) -> Any:
    io = library.io
    context, steps, lengths = io.parse_sequence_example(
        [serialized],
        {"f": io.FixedLenFeature([2], library.float32), "t": io.VarLenFeature(library.string)},
        {
            "d": io.FixedLenSequenceFeature([2], library.int64),
            "s": io.VarLenFeature(library.string),
            "w": io.VarLenFeature(library.float32),
        },
    )
    return [context["f"], context["t"], steps["d"], steps["s"], steps["w"], lengths["d"]]


BUILDS = {
    "batch": lambda library, serialized: _example(library, serialized, True),
    "single": lambda library, serialized: _example(library, serialized, False),
    "sequence": _sequence,
}


def _runner(library: Any, build: Callable[[Any, Any], Any]) -> Iterator[Run]:
    with library.Graph().as_default() as graph:
        serialized = library.placeholder(library.string, [])
        fetches = build(library, serialized)
    with open_session(library, graph) as session:

        def run(message: bytes) -> Any:
            try:
                return session.run(fetches, {serialized: message})
            except library.errors.InvalidArgumentError:
                return None
            except UnicodeDecodeError:
                # TensorFlow cannot say in Python what it says of bytes that are no text.
                assert library is oracle
                return None

        yield run


@pytest.fixture(scope="module", params=BUILDS)
def runs(request: pytest.FixtureRequest) -> Iterator[tuple[str, Run, Run]]:
    both = [_runner(library, BUILDS[request.param]) for library in (tf, oracle)]
    yield request.param, next(both[0]), next(both[1])
    for each in both:
        next(each, None)


def mildly_damaged(message: bytes, seed: int) -> bytes:
    """The message with a byte changed, cut off, or with its end repeated."""
    rng = random.Random(seed)
    data = bytearray(message)
    place = rng.randrange(len(data))
    kind = rng.randrange(4)
    if kind == 0:
        data[place] ^= 1 << rng.randrange(7)
    elif kind == 1:
        data[place] = rng.choice((0, 1, 0x7F, 0x0A, 0x12, 0x1A))
    elif kind == 2:
        del data[place:]
    else:
        data += data[place:]
    return bytes(data)


def damaged(message: bytes, seed: int) -> bytes:
    """The message with several faults; lengths may be huge."""
    rng = random.Random(seed)
    data = bytearray(message)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(data) + 1)
        kind = rng.randrange(3)
        if kind == 0:
            data[place:place] = rng.randbytes(rng.randint(1, 12))
        elif kind == 1:
            data[place:place] = rng.choice((b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\x07"))
        else:
            data[:] = mildly_damaged(bytes(data) or b"\0", rng.randrange(1 << 30))
    return bytes(data)


def same(ours: Any, theirs: Any) -> bool:
    """Whether both refused, or both read the same."""
    if ours is None or theirs is None:
        return ours is theirs
    pairs = zip(_flat(ours), _flat(theirs), strict=True)
    return all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        if a.dtype != object
        else np.array_equal(a, b)
        for a, b in pairs
    )


def _flat(values: Any) -> list[np.ndarray]:
    return [
        np.asarray(part)
        for value in values
        for part in (value if isinstance(value, tuple) else (value,))
    ]


@pytest.mark.parametrize("number", range(4))
def test_cut_off_or_repeated_as_in_tensorflow(runs: tuple[str, Run, Run], number: int) -> None:
    """Other damage makes TensorFlow write where it must not, or take gigabytes."""
    kind, ours, theirs = runs
    whole = (SEQUENCES if kind == "sequence" else EXAMPLES)[number]
    messages = [whole[:end] for end in range(0, len(whole), 1 + len(whole) // 100)]
    messages += [whole + whole[start:] for start in range(0, len(whole), 1 + len(whole) // 40)]
    messages += [whole + other for other in (b"\x12\x03abc", b"\x2a\x00", b"\x20\x07")]
    for message in messages:
        assert same(ours(message), theirs(message)), message


@rounds(1500)
@given(st.integers(0, 2**32), st.integers(0, 3))
def test_nothing_but_a_refusal(runs: tuple[str, Run, Run], seed: int, number: int) -> None:
    kind, ours, _ = runs
    message = damaged((SEQUENCES if kind == "sequence" else EXAMPLES)[number], seed)
    found = ours(message)
    if found is not None:
        elements = sum(np.size(part) for part in _flat(found))
        assert elements <= 64 + 8 * len(message)


@rounds(300)
@given(st.binary(max_size=40))
def test_random_bytes(runs: tuple[str, Run, Run], message: bytes) -> None:
    runs[1](message)
