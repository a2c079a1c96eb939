"""Rows for rows of different lengths as dense and sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values

SPLITS = np.int64([0, 2, 2, 5])
ROWS = ("ROW_SPLITS",)
IDS = ("FIRST_DIM_SIZE", "VALUE_ROWIDS")


def dense(
    v: Values,
    partitions: Any = (SPLITS,),
    values: Any = None,
    default: Any = None,
    shape: Any = (-1, -1),
) -> list[Any]:
    given = v.any(5) if values is None else np.array(values, v.dtype)
    if default is None:
        default = b"x" if v.name == "string" else 7
    return [np.int64(shape), given, np.array(default, v.dtype), [np.int64(p) for p in partitions]]


BAD = tuple(
    Bad(lambda v, o=options: dense(v, **o), text, {"row_partition_types": list(kinds)}, when="run")
    for text, kinds, options in (
        ("Invalid row split size", ROWS, {"partitions": [[1, 2, 2, 5]]}),
        ("Invalid row split size", ROWS, {"partitions": [[0, 3, 2, 5]]}),
        ("Tensor requires at least one element", ROWS, {"partitions": [[]]}),
        ("next_value_rowid=3 which is not less than 3", IDS, {"partitions": [3, [0, 0, 1, 2, 3]]}),
        ("Dimension -3 must be >= 0", IDS, {"partitions": [-3, [0, 0, 1, 2, 3]]}),
        (
            r"shape=\[5\] are incompatible: rt_input.rank = 2 but shape.rank = 1",
            ROWS,
            {"shape": [5]},
        ),
        ("The only valid scalar shape tensor is", ROWS, {"shape": 4}),
        ("Dimension -2 must be >= -1", ROWS, {"shape": [-2, 3]}),
        (r"default_value.rank = 1  must be less than", ROWS, {"default": [1, 2]}),
        (
            r"default_value.shape\[-1\] = 3 but rt_input.flat_values.shape\[-1\] = 2",
            ROWS,
            {"default": [1, 2, 3], "values": np.zeros((5, 2)), "shape": (-1, -1, -1)},
        ),
        (
            r"rt_input.shape\[2\] = 2 but shape\[2\] = 3",
            ROWS,
            {"values": np.zeros((5, 2)), "shape": (-1, -1, 3)},
        ),
    )
)
DEEP = {"partitions": ([0, 2, 2, 3], [0, 1, 4, 5]), "shape": (-1, -1, -1)}

CASES = [
    *(
        Case(
            "RaggedTensorToTensor",
            lambda v, o=options: dense(v, **o),
            types,
            {"row_partition_types": list(kinds)},
            static=(0,),
            gradients=(1, 2) if types[0] == "float32" else (),
            label=label,
            bad=BAD if label == "splits" else (),
        )
        for label, kinds, options, types in (
            ("splits", ROWS, {}, ("float32", "int32", "string")),
            ("cut", ROWS, {"shape": (2, 1)}, ("float32",)),
            ("filled", ROWS, {"shape": (4, 4)}, ("float32",)),
            ("ids", IDS, {"partitions": (3, [0, 0, 1, 2, 2])}, ("float32",)),
            ("unknown", IDS, {"partitions": (4, [0, 0, 1, 3, 3]), "shape": -1}, ("int64",)),
            ("deep", ("ROW_SPLITS", "ROW_SPLITS"), DEEP, ("float32",)),
            (
                "deep ids",
                ("FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS"),
                {**DEEP, "partitions": (3, [0, 0, 2], [0, 1, 4, 5])},
                ("int32",),
            ),
            (
                "vectors",
                ROWS,
                {"values": np.arange(10).reshape(5, 2), "default": [1, 2], "shape": (-1, -1, 2)},
                ("float32",),
            ),
            ("no rows", ROWS, {"partitions": ([0],), "values": []}, ("int32",)),
        )
    ),
    *(
        Case(
            "RaggedTensorToSparse",
            lambda v, s=splits, x=values: [
                [np.int64(part) for part in s],
                v.any(5) if x is None else np.array(x, v.dtype),
            ],
            types,
            gradients=(len(splits),) if types[0] == "float32" else (),
            label=label,
            bad=tuple(
                Bad(lambda v, s=wrong: [[np.int64(s)], v.any(5)], text, when="run")
                for wrong, text in (
                    ([0, 2, 6], "Final value of ragged splits must match the length"),
                    ([1, 2, 5], "First value of ragged splits must be 0"),
                    ([], "ragged splits may not be empty"),
                    ([0, 3, 2, 5], "we got 3 followed by 2"),
                )
            )
            if label == "matrix"
            else (),
        )
        for label, splits, values, types in (
            ("matrix", [SPLITS], None, ("float32", "string")),
            ("deep", [[0, 2, 2, 3], [0, 1, 4, 5]], None, ("int64",)),
            ("vectors", [SPLITS], np.arange(10).reshape(5, 2), ("float32",)),
            ("no rows", [[0]], [], ("int32",)),
        )
    ),
]
