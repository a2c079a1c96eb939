"""Rows for counts of integers as sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values
from tests.ops.cases.sparse.forms import INDICES, SHAPE

NUMBERS = [1, 1, 9, 0]
WEIGHTS = [0.5, 2, 3, 4]


def sparse(
    v: Values,
    indices: Any = INDICES,
    values: Any = NUMBERS,
    shape: Any = SHAPE,
    weights: Any = WEIGHTS,
) -> list[Any]:
    return [
        np.int64(indices),
        np.array(values, v.dtype),
        np.int64(shape),
        np.array(weights, np.float32),
    ]


SPARSE_BAD = tuple(
    Bad(lambda v, o=options: sparse(v, **o), text, when="run")
    for text, options in (
        ("Number of values must match first dimension of indices", {"values": [1, 1, 9]}),
        ("Input values must all be non-negative", {"values": [1, -1, 9, 0]}),
        (r"Input indices must be a 2-dimensional tensor. Got: \[2\]", {"indices": INDICES[0]}),
        (r"Input values must be a vector. Got: \[1,4\]", {"values": [NUMBERS]}),
        (r"Input shape must be a vector. Got: \[1,2\]", {"shape": [SHAPE]}),
        (r"Weight shape: \[3\]; values shape: \[4\]", {"weights": WEIGHTS[:3]}),
        ("Invalid index value at 0: dimension 0 has value 5", {"indices": INDICES + 5}),
        ("Number of dimensions must match second dimension of", {"shape": [4]}),
        (
            "The shape argument requires at least one element",
            {"indices": np.zeros((4, 0)), "shape": []},
        ),
        (
            "Cannot allocate 0 batches, is the dense shape too wide",
            {"indices": np.zeros((0, 2)), "values": [], "weights": [], "shape": [0, 3]},
        ),
    )
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"minlength": 12},
    {"maxlength": 5},
    {"maxlength": 20},
    {"minlength": 7, "maxlength": 5},
    {"maxlength": 0},
)

CASES = [
    *(
        Case(
            "SparseCountSparseOutput",
            lambda v, o=given: sparse(v, **o),
            ("int32", "int64"),
            {"binary_output": False, **attrs},
            label=f"{label}{attrs}",
            bad=SPARSE_BAD if label == "matrix" and not attrs else (),
        )
        for label, given, choices in (
            ("matrix", {}, OPTIONS),
            ("alone", {"weights": []}, ({}, {"binary_output": True})),
            ("vector", {"indices": [[0], [1], [2], [3]], "shape": [4]}, ({},)),
            ("unordered", {"indices": INDICES[::-1]}, ({},)),
            ("empty", {"indices": np.zeros((0, 2)), "values": [], "weights": []}, ({},)),
        )
        for attrs in choices
    ),
    *(
        Case(
            "DenseCountSparseOutput",
            lambda v, x=values, w=weights: [np.array(x, v.dtype), np.array(w, np.float32)],
            ("int32", "int64"),
            {"binary_output": False, **attrs},
            label=f"{label}{attrs}",
            bad=tuple(
                Bad(
                    lambda v, x=wrong, w=other: [np.array(x, v.dtype), np.array(w, np.float32)],
                    text,
                    when="run",
                )
                for wrong, other, text in (
                    ([[-1, 2]], [], "Input values must all be non-negative"),
                    ([[[0]]], [], r"1 or 2-dimensional tensor. Got: \[1,1,1\]"),
                    (3, [], r"Input must be a 1 or 2-dimensional tensor. Got: \[\]"),
                    ([[1, 2]], [1, 2], r"Weight shape: \[2\]; data shape: \[1,2\]"),
                )
            )
            if label == "matrix" and not attrs
            else (),
        )
        for label, values, weights, choices in (
            ("matrix", [[1, 1, 3], [0, 0, 5]], [], (*OPTIONS, {"binary_output": True})),
            ("weights", [[1, 1, 3], [0, 0, 5]], [[1, 2, 3], [4, 5, 6]], ({},)),
            ("vector", [3, 1, 1], [], ({},)),
            ("empty", np.zeros((2, 0)), [], ({},)),
        )
        for attrs in choices
    ),
]
