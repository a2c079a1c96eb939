"""Rows for ranges, gathered rows and filled rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values

SPLITS = [0, 2, 2, 5]
NUMBERS = ("int32", "int64", "float32", "float64")


def ranges(v: Values, starts: Any, limits: Any, deltas: Any) -> list[Any]:
    return [np.array(part, v.dtype) for part in (starts, limits, deltas)]


def gathered(v: Values, indices: Any, splits: Any = (SPLITS,), values: Any = None) -> list[Any]:
    given = v.any(5) if values is None else np.array(values, v.dtype)
    return [[np.int64(part) for part in splits], given, np.int64(indices)]


def filled(
    v: Values, rows: Any = (0, 0, 3), values: Any = (1, 2, 3), count: Any = 5, default: Any = -1
) -> list[Any]:
    return [
        np.int64(rows),
        np.array(values, v.dtype),
        np.int64(count),
        np.array(default, v.dtype),
    ]


CASES = [
    *(
        Case(
            "RaggedRange",
            lambda v, g=given: ranges(v, *g),
            types,
            label=label,
            bad=tuple(
                Bad(lambda v, g=wrong: ranges(v, *g), text, when="run")
                for wrong, text in (
                    (([0, 5], [3], [1, 2]), "starts, limits, and deltas must have the same shape"),
                    (([[0]], 3, 1), "starts must be a scalar or vector"),
                    ((0, [[3]], 1), "limits must be a scalar or vector"),
                    ((0, 3, [[1]]), "deltas must be a scalar or vector"),
                    ((0, 3, 0), "Requires delta != 0"),
                )
            )
            if label == "vectors"
            else (),
        )
        for label, given, types in (
            ("vectors", ([0, 5, 8], [3, 9, 2], [1, 2, -3]), NUMBERS),
            ("broadcast", (0, [3, -9, 0], 1), ("int32",)),
            ("scalars", (2, 9, 3), ("int64",)),
            ("fractions", ([0, 1], 2.5, [0.3, -0.1]), ("float32", "float64")),
            ("empty", ([], 0, 1), ("int32",)),
        )
    ),
    *(
        Case(
            "RaggedGather",
            lambda v, g=given: gathered(v, **g),
            types,
            {"OUTPUT_RAGGED_RANK": rank},
            gradients=(len(given.get("splits", [0])),) if types[0] == "float32" else (),
            label=label,
            bad=tuple(
                Bad(lambda v, g=wrong: gathered(v, **g), text, when="run")
                for wrong, text in (
                    ({"indices": [3]}, r"indices\[0\] = 3 is not in \[0, 3\)"),
                    ({"indices": [0, -1]}, r"indices\[1\] = -1 is not in \[0, 3\)"),
                    ({"indices": [0], "splits": ([0, 2, 6],)}, "Ragged splits must not point past"),
                    ({"indices": [0], "splits": ([0, 3, 2],)}, "Ragged splits must be sorted"),
                )
            )
            if label == "rows"
            else (),
        )
        for label, given, rank, types in (
            ("rows", {"indices": [2, 1, 0, 2]}, 1, ("float32", "string")),
            ("matrix", {"indices": [[2, 1], [0, 2]]}, 2, ("int32",)),
            ("cube", {"indices": [[[2, 1, 0]], [[0, 2, 2]]]}, 3, ("int32",)),
            ("none", {"indices": []}, 1, ("int32",)),
            ("one", {"indices": 2}, 0, ("float32",)),
            (
                "deep",
                {"indices": [1, 0, 1], "splits": ([0, 1, 3], [0, 2, 2, 5])},
                2,
                ("float32",),
            ),
            ("vectors", {"indices": [2, 0], "values": np.arange(10).reshape(5, 2)}, 1, ("int64",)),
            ("no zero", {"indices": [1, 0], "splits": ([1, 3, 4],)}, 1, ("int32",)),
        )
    ),
    *(
        Case(
            "RaggedFillEmptyRows",
            lambda v, g=given: filled(v, **g),
            types,
            gradients=(1, 3) if types[0] == "float32" else (),
            label=label,
            bad=tuple(
                Bad(lambda v, g=wrong: filled(v, **g), text, when="run")
                for wrong, text in (
                    ({"rows": [0, 0, 5]}, r"indices\(2, 0\) is invalid: 5 >= 5"),
                    ({"rows": [0, -1, 5]}, r"indices\(1, 0\) is invalid: -1 >= 5"),
                    ({"rows": [0, 0]}, r"values` \(3\) must match the first dimension of"),
                    ({"rows": [[0, 0]]}, r"value_rowids must be a vector, saw: \[1,2\]"),
                    ({"values": [[1, 2, 3]]}, r"values must be a vector, saw: \[1,3\]"),
                    ({"count": [5]}, r"nrows must be a scalar, saw: \[1\]"),
                    ({"default": [5]}, r"default_value must be a scalar, saw: \[1\]"),
                    ({"count": 0}, r"dense_shape\[0\] = 0 but indices.shape\[0\] = 3"),
                    ({"rows": [], "values": [], "count": -1}, "to be non-negative, got -1"),
                )
            )
            if label == "ordered"
            else (),
        )
        for label, given, types in (
            ("ordered", {}, ("float32", "int64")),
            ("unordered", {"rows": (3, 0, 0)}, ("int32",)),
            ("full", {"rows": (0, 1, 1), "count": 2}, ("int32",)),
        )
    ),
    Case(
        "RaggedFillEmptyRowsGrad",
        lambda v: [np.int64([0, 2]), v.any(4)],
        ("float32", "int32"),
        bad=(
            Bad(
                lambda v: [np.int64([0, 3]), v.any(3)],
                r"must be in \[0, 3\) but got 3",
                when="run",
            ),
            Bad(
                lambda v: [np.int64([[0]]), v.any(3)],
                r"reverse_index_map must be a vector, saw: \[1,1\]",
                when="run",
            ),
            Bad(
                lambda v: [np.int64([0]), v.any(3, 1)],
                r"grad_values must be a vector, saw: \[3,1\]",
                when="run",
            ),
        ),
    ),
]
