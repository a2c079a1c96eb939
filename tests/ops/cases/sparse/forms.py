"""Rows for sparse tensors in other forms: dense, in order, reshaped, filled, joined."""

from __future__ import annotations

import numpy as np

from tests.ops.case import FLOAT32_64, Bad, Case, Values

TYPES = ("float32", "float64", "int32", "string", "bool", "bfloat16", "complex64")
INDICES = np.int64([[0, 1], [0, 2], [1, 0], [2, 2]])
MIXED = np.int64([[2, 2], [0, 1], [2, 0], [0, 1]])
SHAPE = np.int64([4, 3])


def dense(
    v: Values, indices: object = INDICES, shape: object = SHAPE, count: int = 4
) -> list[np.ndarray]:
    return [np.int64(indices), np.int64(shape), v.any(count), v.any()]


def filled(
    v: Values, indices: object = INDICES, shape: object = SHAPE, count: int = 4
) -> list[np.ndarray]:
    return [np.int64(indices), v.any(count), np.int64(shape), v.any()]


def joined(v: Values, shapes: object = ((4, 3), (4, 3)), count: int = 4) -> list[list[np.ndarray]]:
    return [
        [INDICES, MIXED],
        [v.any(4), v.any(count)],
        [np.int64(shape) for shape in shapes],  # type: ignore[attr-defined]
    ]


DENSE_BAD = (
    Bad(lambda v: dense(v, count=3), r"incorrect shape \[3\], should be \[\] or \[4\]", when="run"),
    Bad(
        lambda v: dense(v, shape=[4]),
        "output_shape has incorrect number of elements: 1 should be: 2",
        when="run",
    ),
    Bad(lambda v: dense(v, [INDICES]), r"matrix, got shape \[1,4,2\]", when="run"),
    Bad(lambda v: dense(v, shape=[SHAPE]), r"must be rank 1, got shape \[1,2\]", when="run"),
    Bad(lambda v: [*dense(v)[:3], v.any(1)], "default_value should be a scalar", when="run"),
    Bad(lambda v: dense(v, MIXED), r"indices\[1\] = \[0,1\] is out of order", when="run"),
    Bad(lambda v: dense(v, INDICES[[0, 0, 1, 2]]), "is repeated", when="run"),
    Bad(
        lambda v: dense(v, shape=[4, 2]),
        r"indices\[1\] = \[0,2\] is out of bounds: need 0 <= index < \[4,2\]",
        when="run",
    ),
    Bad(
        lambda v: dense(v, shape=[4, 2]),
        r"Indices are not valid \(out of bounds\).  Shape: \[4,2\]",
        attrs={"validate_indices": False},
        when="run",
    ),
    Bad(lambda v: dense(v, shape=[4, -2]), "Dimension -2 must be >= 0", when="run"),
)
RESHAPE_BAD = (
    *(
        Bad(lambda v, n=new: [INDICES, SHAPE, np.int64(n)], text, when="run")
        for new, text in (
            ((5, -1), r"a multiple of 5. input_shape=\[4,3\] output_shape=\[5,1\]"),
            ((5, 2), r"requested shape has 10. input_shape=\[4,3\] output_shape=\[5,2\]"),
            ((-1, -1), "only one output dimension may be -1, not both 0 and 1"),
            ((-2, 3), "size 0 must be non-negative, not -2"),
            (([2, 6],), r"Target shape should be a vector but received shape \[1,2\]"),
        )
    ),
    Bad(
        lambda v: [INDICES[:0], SHAPE * 0, np.int64([0, -1])],
        "reshape cannot infer the missing input size for an empty tensor",
        when="run",
    ),
    Bad(lambda v: [INDICES[0], SHAPE, SHAPE], "Input must be a matrix", when="run"),
    Bad(lambda v: [INDICES, SHAPE[:1], SHAPE], "must match input shape length", when="run"),
    Bad(lambda v: [INDICES, SHAPE[None], SHAPE], "Input shape must be a vector", when="run"),
    Bad(lambda v: [INDICES, -SHAPE, SHAPE], "to be non-negative, got -4", when="run"),
)
REORDER_BAD = (
    Bad(lambda v: [MIXED, v.any(3), SHAPE], r"indices \(4\) and values \(3\) do not", when="run"),
    Bad(lambda v: [MIXED, v.any(4), SHAPE[:1]], r"rank \(2\) and shape rank \(1\)", when="run"),
    Bad(lambda v: [MIXED, v.any(4, 1), SHAPE], "values must be rank 1 but is rank 2", when="run"),
    Bad(lambda v: [MIXED[0], v.any(2), SHAPE], "indices must be rank 2", when="run"),
    Bad(lambda v: [MIXED, v.any(4), SHAPE[None]], "shape must be rank 1", when="run"),
    Bad(lambda v: [MIXED[0], v.any(2), SHAPE], "Shape must be rank 2 but is rank 1", when="build"),
)
FILL_BAD = (
    Bad(lambda v: filled(v, INDICES + 9), r"indices\(0, 0\) is invalid: 9 >= 4", when="run"),
    Bad(lambda v: filled(v, -INDICES), r"indices\(2, 0\) is invalid: -1 >= 4", when="run"),
    Bad(lambda v: filled(v, shape=[0, 3]), r"dense_shape\[0\] = 0 but indices.shape\[0\] = 4"),
    Bad(lambda v: filled(v, count=3), r"`values` \(3\) must match", when="run"),
    Bad(lambda v: filled(v, shape=[4]), r"`dense_shape` \(1\) must match", when="run"),
    Bad(lambda v: filled(v, shape=[[4, 3]]), r"must be a vector, saw: \[1,2\]", when="run"),
    Bad(lambda v: filled(v, INDICES[0]), r"must be a matrix, saw: \[2\]", when="run"),
    Bad(lambda v: [*filled(v)[:3], v.any(1)], r"must be a scalar, saw: \[1\]", when="run"),
    Bad(lambda v: filled(v, shape=[-4, 3]), "to be non-negative, got -4", when="run"),
    Bad(lambda v: filled(v, count=3), "Dimensions must be equal, but are 4 and 3", when="build"),
)
CONCAT_BAD = (
    Bad(
        lambda v: joined(v, ((4, 3), (4, 2))),
        "expected 3 for dimension 1 but got 2 at position 1",
        attrs={"concat_dim": 0},
        when="run",
    ),
    Bad(joined, r"must be in range \[-2, 2\), got 2", attrs={"concat_dim": 2}, when="run"),
    Bad(lambda v: joined(v, ((4, 3), (4, 3, 1))), "expected 2 but got 3 at position 1", when="run"),
    Bad(lambda v: joined(v, count=3), r"\(indices = 4, values = 3\)", when="run"),
    Bad(lambda v: joined(v, ((4, 3), ((4, 3),))), r"vector but received shape \[1,2\]", when="run"),
    Bad(lambda v: joined(v, count=3), "Dimensions must be equal, but are 4 and 3", when="build"),
)

CASES = [
    *(
        Case(
            "SparseToDense",
            lambda v, i=indices, s=shape, c=count: [
                np.asarray(i),
                np.asarray(s, np.asarray(i).dtype),
                v.any(*c),
                v.any(),
            ],
            TYPES if label == "matrix" else FLOAT32_64,
            attrs={"validate_indices": label != "last one counts"},
            static=(1,) if label in ("matrix", "empty") else (),
            gradients=(2, 3) if label == "matrix" else (),
            label=label,
            bad=DENSE_BAD if label == "matrix" else (),
        )
        for label, indices, shape, count in (
            ("matrix", INDICES, SHAPE, (4,)),
            ("vector", np.int32([0, 3]), (5,), (2,)),
            ("one value", np.int32([0, 3]), (5,), ()),
            ("scalar", np.int64(1), (3,), ()),
            ("no dimensions", np.zeros((1, 0), np.int64), (), ()),
            ("empty", INDICES[:0], SHAPE, (0,)),
            ("last one counts", MIXED, SHAPE, (4,)),
        )
    ),
    *(
        Case(
            "SparseReshape",
            lambda v, s=shape, n=new: [
                INDICES[:, : len(s)] if s[0] else INDICES[:0],
                np.int64(s),
                np.int64(n),
            ],
            ("float32",),
            label=f"{shape}{new}",
            bad=RESHAPE_BAD if new == (3, -1) else (),
        )
        for shape, new in (
            ((4, 3), (3, -1)),
            ((4, 3), (4, 3)),
            ((4, 3), (12,)),
            ((4, 3), (2, 2, 3, 1)),
            ((4,), (2, 2)),
            ((0, 3), (-1, 3)),
        )
    ),
    *(
        Case(
            "SparseReorder",
            lambda v, i=indices: [i, v.any(len(i)), SHAPE],
            TYPES if label == "mixed" else FLOAT32_64,
            gradients=(1,) if label == "in order" else (),
            label=label,
            bad=REORDER_BAD if label == "mixed" else (),
        )
        for label, indices in (("mixed", MIXED), ("in order", INDICES), ("empty", MIXED[:0]))
    ),
    *(
        Case(
            "SparseFillEmptyRows",
            lambda v, i=indices, s=shape: filled(v, i, s, len(i)),
            TYPES if label == "in order" else FLOAT32_64,
            static=(2,) if label == "mixed" else (),
            gradients=(1, 3) if label in ("in order", "full") else (),
            label=label,
            bad=FILL_BAD if label == "in order" else (),
        )
        for label, indices, shape in (
            ("in order", INDICES, SHAPE),
            ("mixed", MIXED, SHAPE),
            ("full", INDICES[[3, 2, 1, 0]], (3, 3)),
            ("vector", INDICES[2:, :1], (4,)),
            ("empty", INDICES[:0], SHAPE),
            ("nothing", INDICES[:0], (0, 3)),
        )
    ),
    Case(
        "SparseFillEmptyRowsGrad",
        lambda v: [np.int64([0, 3, 1]), v.any(5)],
        ("float32", "float64", "int32", "complex64"),
        bad=(
            Bad(lambda v: [np.int64([0, 5]), v.any(5)], r"in \[0, 5\) but got 5", when="run"),
            Bad(lambda v: [np.int64([0, -1]), v.any(5)], r"in \[0, 5\) but got -1", when="run"),
            Bad(lambda v: [np.int64([[0, 1]]), v.any(5)], r"vector, saw: \[1,2\]", when="run"),
            Bad(lambda v: [np.int64([0, 1]), v.any(5, 1)], r"vector, saw: \[5,1\]", when="run"),
        ),
    ),
    *(
        Case(
            "SparseConcat",
            lambda v, s=shapes: joined(v, s),
            TYPES if axis == 1 else FLOAT32_64,
            attrs={"concat_dim": axis},
            label=f"{axis}{shapes}",
            bad=CONCAT_BAD if axis == 1 else (),
        )
        for axis, shapes in ((1, ((4, 3), (4, 5))), (0, ((3, 3), (4, 3))), (-2, ((5, 3), (3, 3))))
    ),
]
