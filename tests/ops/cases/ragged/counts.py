"""Rows for counts and crosses in rows of different lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values

SPLITS = [0, 2, 2, 4]
NUMBERS = [1, 1, 5, 0]


def counted(
    v: Values,
    splits: Any = SPLITS,
    values: Any = NUMBERS,
    size: Any = 4,
    weights: Any = (),
) -> list[Any]:
    return [
        np.int64(splits),
        np.int32(values),
        np.int32(size),
        np.array(weights, v.dtype),
    ]


def found(v: Values, splits: Any = SPLITS, values: Any = NUMBERS, weights: Any = ()) -> list[Any]:
    return [np.int64(splits), np.array(values, v.dtype), np.array(weights, np.float32)]


_SPLITS_BAD: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Splits must end with the number of values, got 5 instead of 4", {"splits": [0, 2, 5]}),
    ("Splits must start with 0, not with 1", {"splits": [1, 2, 4]}),
)

CASES = [
    *(
        Case(
            "RaggedBincount",
            lambda v, o=given: counted(v, **o),
            ("float32", "float64", "int32", "int64") if label == "alone" else ("float32",),
            attrs,
            label=label,
            bad=tuple(
                Bad(lambda v, o=options: counted(v, **o), text, when="run")
                for text, options in (
                    *_SPLITS_BAD,
                    ("Splits must be non-empty", {"splits": []}),
                    ("Input must be non-negative", {"values": [1, -1, 5, 0]}),
                    (r"size \(-4\) must be non-negative", {"size": -4}),
                    ("Shape must be rank 0 but is rank 1", {"size": [4]}),
                )
            )
            if label == "alone"
            else (),
        )
        for label, given, attrs in (
            ("alone", {}, {}),
            ("weights", {"weights": [1, 2, 3, 4]}, {}),
            ("binary", {}, {"binary_output": True}),
            ("back", {"splits": [0, 3, 2, 4]}, {}),
            ("no values", {"splits": [0, 0], "values": []}, {}),
        )
    ),
    *(
        Case(
            "RaggedCountSparseOutput",
            lambda v, o=given: found(v, **o),
            ("int32", "int64"),
            {"binary_output": False, **attrs},
            label=f"{label}{attrs}",
            bad=tuple(
                Bad(lambda v, o=options: found(v, **o), text, when="run")
                for text, options in (
                    *_SPLITS_BAD,
                    ("Must provide at least 2 elements for the splits", {"splits": [0]}),
                    ("Input values must all be non-negative", {"values": [1, -1, 5, 0]}),
                    (r"Weight shape: \[2\]; values shape: \[4\]", {"weights": [1, 2]}),
                )
            )
            if label == "alone" and not attrs
            else (),
        )
        for label, given, choices in (
            (
                "alone",
                {},
                (
                    {},
                    {"minlength": 9},
                    {"maxlength": 4},
                    {"minlength": 2, "maxlength": 9, "binary_output": True},
                ),
            ),
            ("weights", {"weights": [1, 2, 3, 4]}, ({},)),
            ("back", {"splits": [0, 3, 2, 4]}, ({},)),
        )
        for attrs in choices
    ),
]


def crossed(v: Values, values: Any = b"abcd", splits: Any = SPLITS, rows: int = 3) -> list[Any]:
    words = np.array([bytes([letter]) for letter in values], object)
    pieces = np.array([b"x", b"y"], object)
    return [
        [words, np.int64([5, 6, 7])],
        [np.int64(splits), np.int64([0, 1, 2, 3])],
        [np.int64([[0, 0], [2, 0]])],
        [pieces],
        [np.int64([3, 1])],
        [np.int64(np.arange(2 * rows).reshape(rows, 2))],
    ]


def _cross(is_hashed: bool, buckets: int = 0, order: str = "RRSD") -> dict[str, Any]:
    return {
        "input_order": order,
        "hashed_output": is_hashed,
        "num_buckets": buckets,
        "hash_key": 956888297470,
        "out_values_type": np.dtype("int64") if is_hashed else "string",
        "out_row_splits_type": np.dtype("int64"),
    }


CASES += [
    Case(
        "RaggedCross",
        crossed,
        ("string",),
        attrs,
        label=label,
        bad=tuple(
            Bad(lambda v, o=options: crossed(v, **o), text, when="run")
            for text, options in (
                ("inputs must all have the same batch dimension size", {"rows": 2}),
            )
        )
        if label == "text"
        else (),
    )
    for label, attrs in (
        ("text", _cross(False)),
        ("other order", _cross(False, order="DRSR")),
        ("hashes", _cross(True)),
        ("buckets", _cross(True, 100)),
    )
]
