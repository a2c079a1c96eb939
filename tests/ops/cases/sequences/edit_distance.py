"""Rows for distances between sequences."""

from __future__ import annotations

import numpy as np

from tests.ops.case import Bad, Case, Values


def coordinates(counts: object) -> np.ndarray:
    """Those of as many elements in each sequence, which may stand in several axes."""
    table = np.asarray(counts)
    rows = [[*place, number] for place in np.ndindex(table.shape) for number in range(table[place])]
    return np.int64(rows).reshape(-1, table.ndim + 1)


def compared(v: Values, said: object, true: object) -> list[np.ndarray]:
    args = []
    for counts in (said, true):
        indices = coordinates(counts)
        shape = np.int64([*np.shape(counts), max(np.max(counts), 1)])
        args += [indices, v.any(len(indices)), shape]
    return args


SAID, TRUE = [4, 0, 6, 5], [5, 3, 0, 5]


def _with(position: int, value: object) -> object:
    def args(v: Values) -> list[np.ndarray]:
        usual = compared(v, SAID, TRUE)
        usual[position] = np.asarray(value, usual[position].dtype)
        return usual

    return args


BAD = (
    Bad(_with(1, [1, 2]), r"#rows\(hypothesis_indices\), their shapes are: \[2\] and \[15,2\]"),  # type: ignore[arg-type]
    Bad(_with(0, [1, 2]), r"hypothesis_indices should be a matrix, but got shape: \[2\]"),  # type: ignore[arg-type]
    Bad(_with(4, [[1, 2]]), r"truth_values should be a vector, but got shape: \[1,2\]"),  # type: ignore[arg-type]
    Bad(_with(5, [[4, 6]]), r"truth_shape should be a vector, but got shape: \[1,2\]"),  # type: ignore[arg-type]
    Bad(_with(5, [4, 6, 1]), r"#cols\(truth_indices\), their shapes are: \[3\] and \[13,2\]"),  # type: ignore[arg-type]
)

CASES = [
    *(
        Case(
            "EditDistance",
            lambda v, s=said, t=true: compared(v, s, t),
            ("int64", "float32", "string", "uint8") if said is SAID else ("int32",),
            attrs={"normalize": normalizes},
            static=static,
            label=f"{normalizes}{said}{static}",
            bad=tuple(Bad(bad.args, bad.text, when="run") for bad in BAD) if said is SAID else (),
        )
        for normalizes in (True, False)
        for said, true, static in (
            (SAID, TRUE, ()),
            ([9, 3], [7, 3, 2], (2, 5)),
            ([[1, 2], [3, 4]], [[2, 2], [0, 4]], ()),
            ([0, 0], [0, 1], ()),
        )
    ),
    Case(
        "EditDistance",
        lambda v: compared(v, [70, 3, 90], [80, 60, 90]),
        ("int64",),
        attrs={"normalize": False},
        label="long",
    ),
]
