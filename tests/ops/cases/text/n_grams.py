"""Rows for n-grams."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values
from tests.ops.cases.text.encodings import STRING, words

DATA = words(b"a", b"b", b"c", b"d")


def rows(v: Values, data: Any = DATA, splits: Any = (0, 3, 4, 4)) -> list[Any]:
    return [data, np.int64(splits)]


def attrs(**changes: Any) -> dict[str, Any]:
    return {
        "separator": "|",
        "ngram_widths": [2],
        "left_pad": "L",
        "right_pad": "R",
        "pad_width": -1,
        "preserve_short_sequences": False,
        **changes,
    }


CASES = [
    *(
        Case(
            "StringNGrams",
            rows,
            STRING,
            attrs(**changes),
            label=str(changes),
            bad=(
                *(
                    Bad(lambda v, s=splits: rows(v, splits=s), text, when="run")
                    for splits, text in (
                        ([0, 3, 5], r"Invalid split value 5, must be in \[3, 4\]"),
                        ([1, 3, 4], "First split value must be 0, got 1"),
                        ([0, 3, 2, 4], r"Invalid split value 2, must be in \[3, 4\]"),
                        ([0], "Last split value must be data size. Expected 4, got 0"),
                    )
                ),
                Bad(rows, "ngram_widths must contain positive values", attrs(ngram_widths=[0])),
            )
            if not changes
            else (),
        )
        for changes in (
            {},
            {"pad_width": 0},
            {"pad_width": 0, "preserve_short_sequences": True},
            {"ngram_widths": [1, 3]},
            {"ngram_widths": [3], "pad_width": 1, "preserve_short_sequences": True},
            {"ngram_widths": [4, 6], "pad_width": 1, "preserve_short_sequences": True},
            {"ngram_widths": [5], "pad_width": 0, "preserve_short_sequences": True},
            {"ngram_widths": []},
        )
    ),
    *(
        Case(
            "StringNGrams",
            lambda v, d=data, s=splits: rows(v, d, s),
            STRING,
            attrs(),
            label=label,
        )
        for label, data, splits in (
            ("no rows", words(), [0]),
            ("nothing", words(), []),
            ("empty row", words(), [0, 0]),
        )
    ),
]
