"""Rows for crosses of features."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values

STRING = ("string",)
PLACES = np.int64([[0, 0], [0, 1], [1, 0], [3, 0], [3, 1], [3, 2]])
OTHERS = np.int64([[0, 0], [1, 0], [1, 1], [3, 0]])
SHAPE = np.int64([4, 3])


def words(*texts: str) -> np.ndarray:
    made = np.empty(len(texts), object)
    made[:] = [text.encode() for text in texts]
    return made


WORDS = words("a", "bc", "", "d" * 40, "é", "f")
NUMBERS = np.int64([5, -3, 2**40, 0])
MATRIX = np.int64([[1, -2], [3, 2**50], [5, 6], [7, 8]])
TEXTS = words("p", "q", "r", "s", "t", "u", "v", "w").reshape(4, 2)
MIXED = ([PLACES, OTHERS], [WORDS, NUMBERS], [SHAPE, SHAPE], [MATRIX, TEXTS])
ALL_TEXT = ([PLACES], [WORDS], [SHAPE], [TEXTS])
LISTS: dict[str, Any] = {
    "mixed": MIXED,
    "text": ALL_TEXT,
    "dense": ([], [], [], [TEXTS, MATRIX]),
    "unordered": ([PLACES[::-1]], [WORDS], [SHAPE], [TEXTS]),
    "empty": ([PLACES[:0]], [WORDS[:0]], [SHAPE], [TEXTS]),
}
LIST_BAD: tuple[tuple[str, Any], ...] = (
    (r"indices should be a matrix but received shape \[2\]", ([PLACES[0]], [WORDS], [SHAPE], [])),
    ("Expected D2 of index to be 2 got 1 at", ([PLACES[:, :1]], [WORDS], [SHAPE], [])),
    (
        r"values should be a vector but received shape \[1,6\]",
        ([PLACES], [WORDS[None]], [SHAPE], []),
    ),
    ("Expected size of values to be 6 got 5", ([PLACES], [WORDS[:5]], [SHAPE], [])),
    (
        r"shapes should be a vector but received shape \[1,2\]",
        ([PLACES], [WORDS], [SHAPE[None]], []),
    ),
    ("shape should imply a 2D tensor", ([PLACES], [WORDS], [SHAPE[:1]], [])),
    (r"inputs should be a matrix but received shape \[8\]", ([], [], [], [TEXTS.ravel()])),
    (
        "Expected batch size 4 got 5 at position 1",
        ([PLACES, PLACES], [WORDS, WORDS], [SHAPE, SHAPE + 1], []),
    ),
    ("Expected batch size 4 got 3 at dense tensor 0", ([PLACES], [WORDS], [SHAPE], [TEXTS[:3]])),
)


def bad(*more: Any, attrs: Any = None) -> tuple[Bad, ...]:
    return tuple(
        Bad(lambda v, g=given: [*g, *more], text, attrs, when="run") for text, given in LIST_BAD
    )


def salted(v: Values, given: Any, buckets: int, is_strong: bool, salt: Any) -> list[Any]:
    return [*given, np.int64(buckets), np.array(is_strong), np.int64(salt)]


CASES = [
    *(
        Case(
            "SparseCrossV2",
            lambda v, g=given: [*g, np.array(b"-X", object)],
            STRING,
            label=label,
            bad=bad(np.array(b"-X", object)) if label == "text" else (),
        )
        for label, given in LISTS.items()
    ),
    *(
        Case(
            "SparseCross",
            lambda v, g=given: list(g),
            STRING,
            {
                "hashed_output": kind == "int64",
                "num_buckets": buckets,
                "hash_key": key,
                "out_type": kind,
                "internal_type": "string" if label == "text" else "int64",
            },
            label=f"{label}{kind}{buckets}",
            bad=bad(
                attrs={
                    "hashed_output": False,
                    "num_buckets": 0,
                    "hash_key": 1,
                    "out_type": "string",
                    "internal_type": "string",
                }
            )
            if label == "text" and buckets
            else (),
        )
        for label, given in LISTS.items()
        for kind, buckets, key in (("string", 0, 1), ("int64", 0, 0xDECAFCAFFE), ("int64", 100, -7))
    ),
    *(
        Case(
            "SparseCrossHashed",
            lambda v, g=given, n=buckets, s=is_strong: salted(v, g, n, s, [1, -2]),
            STRING,
            label=f"{label}{buckets}{is_strong}",
            bad=(
                *bad(np.int64(9), np.array(False), np.int64([1, 2])),
                Bad(
                    lambda v: salted(v, ALL_TEXT, 9, False, [1]),
                    'Input "salt" must have length 2 but has length 1',
                    when="run",
                ),
            )
            if label == "text"
            else (),
        )
        for label, given in LISTS.items()
        for buckets in (0, 100)
        for is_strong in (False, True)
        # Keyed hashes of dense integers make TensorFlow read what is not there.
        if label in ("text", "empty", "unordered") or not is_strong
    ),
]
