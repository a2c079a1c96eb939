"""Rows for sets in the last dimension."""

from __future__ import annotations

import numpy as np

from tests.ops.case import Bad, Case, Values

TYPES = ("int32", "int8", "int16", "int64", "uint8", "uint16", "string")
KINDS = ("a-b", "b-a", "intersection", "Union")
INDICES = np.int64([[0, 0, 1], [0, 2, 0], [1, 0, 0], [1, 0, 2]])
SHAPE = np.int64([2, 3, 4])


def _sparse(v: Values, indices: np.ndarray = INDICES, size: int = 4) -> list[np.ndarray]:
    return [indices, v.any(size), SHAPE]


_BAD_INDICES = (
    np.int64([[0, 0, 1], [1, 2, 0], [1, 0, 0], [1, 0, 2]]),
    np.int64([[0, 0, 1], [1, 0, 0], [1, 0, 0], [1, 0, 2]]),
    np.int64([[0, 0, 1], [1, 0, 0], [1, 0, 1], [1, 3, 2]]),
    np.int64([[-1, 0, 1], [1, 0, 0], [1, 0, 1], [1, 2, 2]]),
)
_BAD_TEXTS = (
    r"indices\[2\] = \[1,0,0\] is out of order. Many sparse ops require sorted indices",
    r"indices\[2\] = \[1,0,0\] is repeated",
    r"indices\[3\] = \[1,3,2\] is out of bounds: need 0 <= index < \[2,3,4\]",
    r"indices\[0\] = \[-1,0,1\] is out of bounds: need 0 <= index < \[2,3,4\]",
)

CASES = [
    *(
        Case(
            "DenseToDenseSetOperation",
            lambda v, s=shapes: [v.any(*s[0]), v.any(*s[1])],
            TYPES if kind == "Union" else TYPES[:1],
            attrs={"set_operation": kind},
            label=f"{kind}{shapes}",
            bad=(
                Bad(
                    lambda v: [v.any(2, 3), v.any(1, 3)],
                    r"Mismatched shapes \[2\] vs \[1\]",
                    when="run",
                ),
                Bad(
                    lambda v: [v.any(2, 3), v.any(1, 3)],
                    "Dimension 0 in both shapes must be equal, but are 2 and 1",
                    when="build",
                ),
                Bad(lambda v: [v.any(3), v.any(1, 3)], "rank", when="any"),
                Bad(
                    lambda v: [v.any(2, 3), v.any(2, 3)],
                    "Invalid set_operation sum.",
                    attrs={"set_operation": "sum"},
                    when="run",
                ),
            ),
        )
        for kind in KINDS
        for shapes in (((2, 5), (2, 4)), ((2, 2, 3), (2, 2, 0)), ((0, 3), (0, 2)), ((3, 0), (3, 0)))
    ),
    *(
        Case(
            "DenseToSparseSetOperation",
            lambda v: [v.any(2, 3, 2), *_sparse(v)],
            TYPES if kind == "Union" else TYPES[:1],
            attrs={"set_operation": kind, "validate_indices": validates},
            label=f"{kind}{validates}",
            bad=(
                *(
                    Bad(
                        lambda v, i=indices: [v.any(2, 3, 2), *_sparse(v, i)],
                        text,
                        attrs={"set_operation": kind},
                        when="run",
                    )
                    for indices, text in zip(_BAD_INDICES, _BAD_TEXTS, strict=True)
                ),
                Bad(
                    lambda v: [v.any(2, 3, 2), *_sparse(v, size=3)],
                    r"rows \(indexing dimension\) must match. \(indices = 4, values = 3\)",
                    when="run",
                ),
                Bad(
                    lambda v: [v.any(2, 3, 2), INDICES[:, :2], v.any(4), SHAPE],
                    "Order length must be SparseTensor rank.",
                    when="run",
                ),
                Bad(
                    lambda v: [v.any(2, 3, 2), INDICES[:, :1], v.any(4), SHAPE[:1]],
                    "Invalid rank 1.",
                    when="run",
                ),
            ),
        )
        for kind in KINDS
        for validates in (True, False)
    ),
    *(
        Case(
            "SparseToSparseSetOperation",
            lambda v, n=size: [*_sparse(v), INDICES[:n], v.any(n), SHAPE + np.int64([0, 0, 1])],
            TYPES if kind == "Union" else TYPES[:1],
            attrs={"set_operation": kind},
            label=f"{kind}{size}",
            bad=(
                Bad(
                    lambda v: [*_sparse(v), INDICES, v.any(4), SHAPE + np.int64([1, 0, 0])],
                    r"Mismatched shapes \[2,3\] vs \[3,3\]",
                    when="run",
                ),
            ),
        )
        for kind in KINDS
        for size in (3, 0)
    ),
    *(
        Case(
            "SetSize",
            lambda v, n=size: _sparse(v, INDICES[:n], n),
            TYPES,
            label=str(size),
            bad=(Bad(lambda v: _sparse(v, _BAD_INDICES[0]), _BAD_TEXTS[0], when="run"),),
        )
        for size in (4, 0)
    ),
]
