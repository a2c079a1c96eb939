"""Rows for the matrix products."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.ops.case import COMPLEX, FLOATS, Bad, Case, Values

TYPES = (*FLOATS, "int32", "int64", *COMPLEX)
FLAGS = tuple(product((False, True), repeat=2))


def _turned(v: Values, shape: tuple[int, ...], turn: bool) -> np.ndarray:
    """An array that has this shape once its last two axes are exchanged if `turn`."""
    return v.any(*shape[:-2], shape[-1], shape[-2]) if turn else v.any(*shape)


def _fed(v: Values, a: tuple[int, ...], b: tuple[int, ...], ta: bool, tb: bool) -> list[np.ndarray]:
    return [_turned(v, a, ta), _turned(v, b, tb)]


MATRIX_BAD = (
    Bad(
        lambda v: [v.any(2, 3), v.any(4, 5)],
        "Dimensions must be equal, but are 3 and 4",
        when="build",
    ),
    Bad(
        lambda v: [v.any(2, 3), v.any(4, 5)],
        r"Matrix size-incompatible: In\[0\]: \[2,3\], In\[1\]: \[4,5\]",
        when="run",
    ),
    Bad(lambda v: [v.any(2), v.any(4, 5)], "Shape must be rank 2 but is rank 1", when="build"),
    Bad(lambda v: [v.any(2), v.any(4, 5)], r"In\[0\] ndims must be >= 2", when="run"),
)
STACK_BAD = (
    Bad(
        lambda v: [v.any(2, 2, 3), v.any(2, 4, 5)],
        "Dimensions must be equal, but are 3 and 4",
        when="build",
    ),
    Bad(lambda v: [v.any(2, 2, 3), v.any(2, 4, 5)], "Matrix size-incompatible", when="run"),
    Bad(lambda v: [v.any(2), v.any(4, 5)], "Shape must be at least rank 2", when="build"),
)
BATCHES = (
    ((2, 3, 4), (2, 4, 2)),
    ((2, 3, 4), (4, 2)),
    ((3, 1, 2, 4), (2, 4, 1)),
    ((2, 3), (3, 2)),
    ((2, 3, 0), (2, 0, 2)),
    ((0, 3, 2), (0, 2, 2)),
)

CASES = [
    *(
        Case(
            "MatMul",
            lambda v, s=shapes, a=ta, b=tb: _fed(v, s[0], s[1], a, b),
            (*TYPES,) if shapes[0] == (2, 3) else ("float32",),
            attrs={"transpose_a": ta, "transpose_b": tb},
            gradients=(0, 1),
            label=f"{shapes}{ta}{tb}",
            bad=MATRIX_BAD if shapes[0] == (2, 3) and not (ta or tb) else (),
        )
        for shapes in (((2, 3), (3, 4)), ((0, 3), (3, 2)), ((2, 0), (0, 2)), ((1, 64), (64, 3)))
        for ta, tb in FLAGS
    ),
    *(
        Case(
            "BatchMatMulV2",
            lambda v, s=shapes, a=ax, b=ay: _fed(v, s[0], s[1], a, b),
            (*TYPES, "int16") if shapes[0] == (2, 3, 4) else ("float32",),
            attrs={"adj_x": ax, "adj_y": ay},
            gradients=(0, 1),
            label=f"{shapes}{ax}{ay}",
            bad=(
                *STACK_BAD,
                Bad(
                    lambda v: [v.any(2, 2, 3), v.any(3, 3, 5)],
                    "must have compatible batch dimensions",
                    when="run",
                ),
                Bad(
                    lambda v: [v.any(2, 2, 3), v.any(3, 3, 5)],
                    "Dimensions must be equal, but are 2 and 3",
                    when="build",
                ),
                Bad(lambda v: [v.any(2), v.any(4, 5)], "ndims must be >= 2: 1", when="run"),
            )
            if shapes[0] == (2, 3, 4) and not (ax or ay)
            else (),
        )
        for shapes in BATCHES
        for ax, ay in FLAGS
    ),
    *(
        Case(
            "BatchMatMul",
            lambda v, s=shapes, a=ax, b=ay: _fed(v, s[0], s[1], a, b),
            TYPES if shapes[0] == (2, 3, 4) else ("float32",),
            attrs={"adj_x": ax, "adj_y": ay},
            gradients=(0, 1),
            label=f"{shapes}{ax}{ay}",
            bad=(
                *STACK_BAD,
                Bad(
                    lambda v: [v.any(2, 2, 3), v.any(3, 3, 5)],
                    "Dimension 0 in both shapes must be equal",
                    when="build",
                ),
                Bad(lambda v: [v.any(2, 2, 3), v.any(3, 3, 5)], r"In\[0\]", when="run"),
            )
            if not (ax or ay)
            else (),
        )
        for shapes in (((2, 3, 4), (2, 4, 2)), ((2, 3), (3, 2)))
        for ax, ay in FLAGS
    ),
    *(
        Case(
            "BatchMatMulV3",
            lambda v, s=shapes, a=ax, b=ay: _fed(v, s[0], s[1], a, b),
            ("float32", "float64", "bfloat16") if shapes[0] == (2, 3, 4) else ("float64",),
            attrs={"adj_x": ax, "adj_y": ay},
            type_attr="Tout",
            gradients=(0, 1),
            label=f"{shapes}{ax}{ay}",
        )
        for shapes in BATCHES
        for ax, ay in FLAGS
    ),
    *(
        Case(
            "BatchMatMulV3",
            lambda v, s=second: [v.any(2, 2, 3), Values(s).any(3, 2)],
            (first,),
            attrs={"Tout": result},
            label=f"{first}{second}{result}",
        )
        for first, second, result in (
            ("int8", "int8", "int32"),
            ("uint8", "int8", "int32"),
            ("bfloat16", "int8", "bfloat16"),
            ("uint8", "bfloat16", "bfloat16"),
        )
    ),
    *(
        Case(
            "SparseMatMul",
            lambda v, a=ta, b=tb, s=second: [
                _turned(v, (2, 3), a),
                _turned(Values(s), (3, 4), b),
            ],
            ("float32", "bfloat16"),
            attrs={"transpose_a": ta, "transpose_b": tb, "b_is_sparse": True},
            gradients=(0, 1),
            numeric=False,
            label=f"{second}{ta}{tb}",
        )
        for second in ("float32", "bfloat16")
        for ta, tb in FLAGS
    ),
]
