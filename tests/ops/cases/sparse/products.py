"""Rows for products of sparse matrices, and for sums of rows that are picked by index."""

from __future__ import annotations

import numpy as np

from tests.ops.case import FLOAT32_64, FLOATS, REAL, Bad, Case, Values

INDICES = np.int64([[0, 1], [2, 0], [1, 2], [2, 0], [0, 0]])
DOWN, SIDEWAYS = np.int64([[2, 0], [0, 2]])
LARGE = np.random.default_rng(3).integers(0, [40, 30], [200, 2])
PICKS, IDS = [2, 0, 3, 3, 1], [0, 0, 1, 3, 3]
TYPES = ("float32", "float64", "bfloat16", "int32", "complex64", "complex128")


def product(
    v: Values,
    indices: object = INDICES,
    sizes: object = (3, 3),
    b: tuple[int, ...] = (3, 4),
    count: int = 5,
) -> list[np.ndarray]:
    return [np.int64(indices), v.any(count), np.int64(sizes), v.any(*b)]


PRODUCT_BAD = (
    Bad(
        lambda v: product(v, b=(4, 3)),
        r"inner dimension does not match: 3 vs. 4.  Did you forget a transpose\?  Dimensions of "
        r"A: \[3, 3\).  Dimensions of B: \[4,3\]",
        when="run",
    ),
    Bad(
        lambda v: product(v, INDICES + SIDEWAYS),
        r"k \(3\) from index\[0,1\] out of",
        when="run",
    ),
    Bad(
        lambda v: product(v, INDICES + DOWN),
        r"m \(4\) from index\[1,0\] out of",
        when="run",
    ),
    Bad(lambda v: product(v, INDICES - [1, 0]), r"m \(-1\) from index\[0,0\] out of", when="run"),
    Bad(lambda v: product(v, count=4), "does not match number of entries in a_values", when="run"),
    Bad(lambda v: product(v, sizes=[3]), "'a_shape' must have 2 elements", when="run"),
    Bad(lambda v: product(v, INDICES[:, :1]), "number of entries in a_shape", when="run"),
    Bad(lambda v: product(v, INDICES[0]), "Tensor 'a_indices' is not a matrix", when="run"),
    Bad(lambda v: product(v, sizes=[[3, 3]]), "Tensor 'a_shape' is not a vector", when="run"),
    Bad(lambda v: product(v, b=(3,)), "Tensor 'b' is not a matrix", when="run"),
    Bad(lambda v: product(v, b=(3,)), "Shape must be rank 2 but is rank 1", when="build"),
)
ROWS = (4, 3)


def sums(v: Values, picks: object = PICKS, ids: object = IDS, *count: object) -> list[np.ndarray]:
    return [v.any(*ROWS), np.int32(picks), np.int32(ids), *(np.int32(each) for each in count)]


SUM_BAD = (
    Bad(lambda v: sums(v, [2, 4, 1, 1, 1]), r"indices\[1\] == 4 out of range \[0, 4\)", when="run"),
    Bad(lambda v: sums(v, [2, 0, -1, 1, 1]), r"indices\[2\] == -1 out of range", when="run"),
    Bad(lambda v: sums(v, ids=[0, 1, 0, 1, 1]), "segment ids are not increasing", when="run"),
    Bad(lambda v: sums(v, ids=[-1, 0, 0, 1, 1]), r"Segment id -1 out of range \[0, 2\)"),
    Bad(lambda v: sums(v, ids=[0, 1]), "segment_ids and indices should have same", when="run"),
    Bad(lambda v: sums(v, [PICKS]), "indices should be a vector", when="run"),
    Bad(lambda v: sums(v, ids=[IDS]), "segment_ids should be a vector", when="run"),
    Bad(lambda v: sums(v, ids=[0, 1]), "Dimension 0 in both shapes must be equal", when="build"),
)
COUNTED_BAD = (
    Bad(lambda v: sums(v, PICKS, IDS, 3), "segment ids must be < num_segments", when="run"),
    Bad(lambda v: sums(v, PICKS, IDS, -1), "segment ids must be >= 0", when="run"),
    Bad(lambda v: sums(v, PICKS, IDS, [4]), r"a scalar, not shape \[1\]", when="run"),
)
GRADIENT_BAD = (
    Bad(lambda v: sums(v, PICKS, IDS, 3), r"Index 3 out of range \[0, 3\)", when="run"),
    Bad(lambda v: sums(v, [-2, 0, 0, 0, 0], IDS, 3), "Index -2 out of range", when="run"),
    Bad(lambda v: sums(v, PICKS, [0, -1, 2, 3, 3], 4), "Segment id -1 out of range", when="run"),
    Bad(lambda v: sums(v, PICKS, [0, 0, 2, 3], 4), "should have same size", when="run"),
    Bad(lambda v: sums(v, PICKS, IDS, [4]), "dim0 should be a scalar", when="run"),
)

CASES = [
    *(
        Case(
            "SparseTensorDenseMatMul",
            lambda v, a=a, b=b: product(v, b=(4, 3) if b else (3, 4)),
            TYPES if not (a or b) else (*FLOAT32_64, "complex64"),
            attrs={"adjoint_a": a, "adjoint_b": b},
            static=(2,) if a else (),
            gradients=(1, 3),
            label=f"{a}{b}",
            bad=PRODUCT_BAD if not (a or b) else (),
        )
        for a in (False, True)
        for b in (False, True)
    ),
    Case(
        "SparseTensorDenseMatMul",
        lambda v: product(v, LARGE, (40, 30), (30, 7), 200),
        # TensorFlow rounds each product to bfloat16.
        tuple(each for each in TYPES if each != "bfloat16"),
        label="large",
    ),
    Case("SparseTensorDenseMatMul", lambda v: product(v, INDICES[:0], count=0), label="empty"),
    *(
        Case(
            f"SparseSegment{kind}",
            lambda v, p=picks, i=ids: sums(v, p, i),
            (REAL if kind == "Sum" else FLOATS) if picks else FLOAT32_64,
            # Of no rows, TensorFlow's gradient is whatever the memory held.
            gradients=(0,) if picks else (),
            label=f"{len(picks)}",
            bad=SUM_BAD if picks else (),
        )
        for kind in ("Sum", "Mean", "SqrtN")
        for picks, ids in ((PICKS, IDS), ([], []))
    ),
    *(
        Case(
            f"SparseSegment{kind}",
            lambda v: [v.any(50, 8), np.int64(LARGE[:, 0]), np.int64(np.sort(LARGE[:, 1]))],
            FLOATS,
            label="large",
        )
        for kind in ("Sum", "Mean", "SqrtN")
    ),
    *(
        Case(
            f"SparseSegment{kind}WithNumSegments",
            lambda v, c=count: sums(v, PICKS, IDS, c),
            FLOATS,
            static=(3,) if count == 6 else (),
            gradients=(0,),
            label=str(count),
            bad=COUNTED_BAD,
        )
        for kind in ("Sum", "Mean", "SqrtN")
        for count in (4, 6)
    ),
    *(
        Case(
            f"SparseSegment{kind}Grad{version}",
            lambda v, c=count: sums(v, PICKS, IDS, c),
            FLOATS,
            static=(3,) if count == 6 else (),
            label=str(count),
            bad=GRADIENT_BAD,
        )
        for kind in ("Sum", "Mean", "SqrtN")
        for version in ("", "V2")
        for count in (4, 6)
    ),
]
