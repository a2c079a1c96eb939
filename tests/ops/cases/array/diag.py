"""Rows for ops on the diagonals of matrices."""

from __future__ import annotations

import numpy as np

from tests.ops.case import COMPLEX, NUMBERS, Bad, Case
from tests.ops.knowledge import LEVELS, PARTIAL, STATIC

PLAIN = (*NUMBERS, "bool")
DIAGONAL = ("float32", "float64", "float16", "int32", "int64", *COMPLEX)
ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _scalar(value: int) -> np.ndarray:
    return np.array(value, np.int32)


def _long(value: int) -> np.ndarray:
    return np.array(value, np.int64)


_BANDS = ((1, 0), (0, 2), (-1, 0), (0, -1), (-1, -1), (2, 3), (0, 0))


def _aligned(op: str) -> list[tuple[str, dict[str, str]]]:
    """The op's versions that know several diagonals, with every alignment."""
    return [(f"{op}V2", {}), *((f"{op}V3", {"align": align}) for align in ALIGNMENTS)]


def _part_rows() -> list[Case]:
    rows = []
    for op, attrs in _aligned("MatrixDiagPart"):
        for k in ((0,), (1,), (-2,), (-1, 1), (-3, 4), (1, 3), (-2, -1)):
            rows.append(
                Case(
                    op,
                    lambda v, k=k: [v.any(2, 4, 5), _ints(*k), v.any()],
                    attrs=attrs,
                    static=(1,),
                    gradients=(0,) if attrs or len(k) == 1 else (),
                    label=f"{k}{attrs.get('align', '')}",
                )
            )
    return rows


def _diag_rows() -> list[Case]:
    rows = []
    for op, attrs in _aligned("MatrixDiag"):
        for k, lines, sizes in (
            ((0,), (3,), (-1, -1)),
            ((1,), (3,), (-1, -1)),
            ((-2,), (3,), (5, -1)),
            ((-1, 1), (3, 3), (-1, -1)),
            ((-1, 2), (4, 3), (3, -1)),
            ((1, 2), (2, 3), (-1, 5)),
            ((0,), (3,), (3, 6)),
        ):
            rows.append(
                Case(
                    op,
                    lambda v, k=k, lines=lines, sizes=sizes: [
                        v.any(2, *lines),
                        _ints(*k),
                        _scalar(sizes[0]),
                        _scalar(sizes[1]),
                        v.any(),
                    ],
                    attrs=attrs,
                    static=(1, 2, 3),
                    gradients=(0,) if attrs or len(k) == 1 else (),
                    # TensorFlow computes with -1 for an unknown length.
                    shapes=(STATIC,),
                    label=f"{k}{sizes}{attrs.get('align', '')}",
                )
            )
    return rows


def _set_rows() -> list[Case]:
    rows = []
    for op, attrs in _aligned("MatrixSetDiag"):
        for k, lines in (((0,), (4,)), ((2,), (3,)), ((-1, 1), (3, 4)), ((-3, -1), (3, 3))):
            rows.append(
                Case(
                    op,
                    lambda v, k=k, lines=lines: [v.any(2, 4, 5), v.any(2, *lines), _ints(*k)],
                    attrs=attrs,
                    static=(2,),
                    gradients=(0, 1) if attrs or len(k) == 1 else (),
                    # TensorFlow refuses several diagonals for matrices of unknown size.
                    shapes=LEVELS if len(k) == 1 else (STATIC,),
                    label=f"{k}{attrs.get('align', '')}",
                )
            )
    return rows


CASES = [
    *(
        Case(
            "MatrixBandPart",
            lambda v, low=low, high=high: [v.any(2, 3, 4), _long(low), _long(high)],
            PLAIN if (low, high) == (1, 0) else ("float32", "float64"),
            gradients=(0,),
            label=f"{low},{high}",
        )
        for low, high in _BANDS
    ),
    Case(
        "MatrixBandPart",
        lambda v: [v.any(0, 4), _scalar(0), _scalar(0)],
        label="empty int32",
        bad=(
            Bad(lambda v: [v.any(2), _long(0), _long(0)], r"at least 2-dim, received shape: \[2\]"),
            Bad(lambda v: [v.any(2, 3), _long(3), _long(0)], r"number of rows \(2\) got: 3"),
            Bad(lambda v: [v.any(2, 3), _long(0), _long(4)], r"number of columns \(3\) got: 4"),
            Bad(
                lambda v: [v.any(2, 3), _long(0).reshape(1), _long(0)],
                r"num_lower must be scalar, got shape \[1\]",
            ),
        ),
    ),
    Case(
        "Diag",
        lambda v: [v.any(2, 3)],
        DIAGONAL,
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any()], "must be at least rank 1 but is rank 0"),
            Bad(lambda v: [v.any()], "Input must be at least rank 1, got 0", when="run"),
        ),
    ),
    Case("Diag", lambda v: [v.any(0)], label="empty"),
    Case(
        "DiagPart",
        lambda v: [v.any(2, 3, 2, 3)],
        DIAGONAL,
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(2, 3)], "Dimensions must be equal, but are 2 and 3"),
            Bad(
                lambda v: [v.any(2, 3)],
                r"Invalid shape \[2,3\]: dimensions 0 and 1 do not match",
                when="run",
            ),
            Bad(lambda v: [v.any(2)], "even and non-zero rank, input rank is 1"),
            Bad(lambda v: [v.any(2)], r"even and positive, got shape \[2\]", when="run"),
        ),
    ),
    Case("DiagPart", lambda v: [v.any(4, 4)], gradients=(0,), label="matrix"),
    Case(
        "MatrixDiag",
        lambda v: [v.any(2, 3)],
        PLAIN,
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any()], "must be at least rank 1 but is rank 0"),
            Bad(lambda v: [v.any()], r"at least 1-dim, received shape: \[\]", when="run"),
        ),
    ),
    Case("MatrixDiag", lambda v: [v.any(2, 0)], label="empty"),
    Case(
        "MatrixDiagPart",
        lambda v: [v.any(2, 3, 4)],
        PLAIN,
        gradients=(0,),
        bad=(
            Bad(lambda v: [v.any(2)], "must be at least rank 2 but is rank 1"),
            Bad(lambda v: [v.any(2)], r"at least 2-dim, received shape: \[2\]", when="run"),
        ),
    ),
    Case("MatrixDiagPart", lambda v: [v.any(3, 3)], gradients=(0,), label="square"),
    Case(
        "MatrixSetDiag",
        lambda v: [v.any(2, 3, 4), v.any(2, 3)],
        PLAIN,
        gradients=(0, 1),
        bad=(
            Bad(lambda v: [v.any(2, 3), v.any(3)], "Dimensions must be equal, but are 2 and 3"),
            Bad(
                lambda v: [v.any(2, 3), v.any(3)],
                r"Diagonal shape: \[3\]\nExpected diagonal shape: \[2\]",
                when="run",
            ),
            Bad(lambda v: [v.any(2), v.any(2)], "must be at least rank 2 but is rank 1"),
        ),
    ),
    *_part_rows(),
    *_diag_rows(),
    *_set_rows(),
    Case(
        "MatrixDiagPartV3",
        lambda v: [v.any(3, 4), _scalar(1), v.any()],
        PLAIN,
        gradients=(0,),
        label="fed",
        bad=(
            Bad(
                lambda v: [v.any(2, 3), _scalar(3), v.any()],
                r"lower_diag_index is out of bound: 3. It must be between -2 and 3",
            ),
            Bad(
                lambda v: [v.any(2, 3), _ints(1, 0), v.any()],
                "must not be larger than upper_diag_index: 1 > 0",
            ),
            Bad(
                lambda v: [v.any(2, 3), _ints(0, 1, 2), v.any()],
                "only one or two elements, received 3 elements",
            ),
            Bad(lambda v: [v.any(2, 3), _scalar(0), v.any(2)], "must be rank 0 but is rank 1"),
            Bad(
                lambda v: [v.any(2, 3), _scalar(0), v.any(2)], "Padding must be scalar", when="run"
            ),
        ),
    ),
    Case(
        "MatrixDiagPartV3",
        lambda v: [v.any(3, 4), _scalar(1), v.any()],
        static=(1,),
        label="known",
        bad=(
            Bad(lambda v: [v.any(2, 3), _scalar(3), v.any()], "lower_diag_index is out of bound"),
            Bad(
                lambda v: [v.any(2, 3), _ints(1, 0), v.any()],
                "lower_diag_index is greater than upper_diag_index",
            ),
        ),
    ),
    Case(
        "MatrixDiagV3",
        lambda v: [v.any(3, 4), _scalar(1), _scalar(-1), _scalar(-1), v.any()],
        PLAIN,
        gradients=(0,),
        label="fed",
        bad=(
            Bad(
                lambda v: [v.any(2), _ints(1, 0), _scalar(-1), _scalar(-1), v.any()],
                "must not be larger than upper_diag_index: 1 > 0",
            ),
            Bad(
                lambda v: [v.any(2), _scalar(0), _scalar(1), _scalar(-1), v.any()],
                "The number of rows is too small",
            ),
            Bad(
                lambda v: [v.any(2), _scalar(0), _scalar(-1), _scalar(1), v.any()],
                "The number of columns is too small",
            ),
            Bad(
                lambda v: [v.any(2, 2), _ints(0, 2), _scalar(-1), _scalar(-1), v.any()],
                "The number of diagonals provided in the input does not match",
            ),
            Bad(
                lambda v: [v.any(2), _scalar(0), _scalar(3), _scalar(4), v.any()],
                "The number of rows or columns is not consistent",
            ),
            Bad(
                lambda v: [v.any(2), _scalar(0), _ints(1, 1), _scalar(-1), v.any()],
                "must be rank 0 but is rank 1",
            ),
            Bad(
                lambda v: [v.any(2), _scalar(0), _ints(1, 1), _scalar(-1), v.any()],
                "num_rows must be a scalar",
                when="run",
            ),
        ),
    ),
    Case(
        "MatrixDiagV3",
        lambda v: [v.any(3, 4), _scalar(1), _scalar(-1), _scalar(-1), v.any()],
        static=(1,),
        label="known k",
        shapes=(),
    ),
    Case(
        "MatrixDiagV3",
        lambda v: [v.any(3, 4), _scalar(1), _scalar(-1), _scalar(-1), v.any()],
        static=(1, 2, 3),
        label="known",
        shapes=(STATIC,),
        bad=(
            Bad(
                lambda v: [v.any(2), _ints(0, 1, 2), _scalar(-1), _scalar(-1), v.any()],
                "with one or two elements. It has 3 elements",
            ),
            Bad(
                lambda v: [v.any(2), _scalar(0), _scalar(1), _scalar(-1), v.any()],
                "num_rows is too small",
            ),
            Bad(
                lambda v: [v.any(2), _scalar(0), _scalar(-1), _scalar(1), v.any()],
                "num_cols is too small",
            ),
            Bad(
                lambda v: [v.any(2, 2), _ints(0, 2), _scalar(-1), _scalar(-1), v.any()],
                "num_diags = 2, d_lower = 0, d_upper = 2",
            ),
            Bad(
                lambda v: [v.any(2), _scalar(0), _scalar(3), _scalar(4), v.any()],
                "num_rows = 3 != min_num_rows = 2, num_cols = 4",
            ),
        ),
    ),
    Case(
        "MatrixSetDiagV3",
        lambda v: [v.any(2, 3), v.any(2), _scalar(1)],
        PLAIN,
        gradients=(0, 1),
        # TensorFlow takes an unknown k for that of a single diagonal.
        shapes=(STATIC, PARTIAL),
        label="fed",
        bad=(
            Bad(lambda v: [v.any(2, 3), v.any(3), _scalar(0)], r"Expected diagonal shape: \[2\]"),
            Bad(
                lambda v: [v.any(2, 3), v.any(2, 2), _ints(0, 2)],
                "number of diagonals provided in `diag` is not consistent",
            ),
            Bad(
                lambda v: [v.any(2, 3), v.any(2), _scalar(3)], "lower_diag_index is out of bound: 3"
            ),
            Bad(
                lambda v: [v.any(2, 2, 3), v.any(3, 2), _scalar(0)],
                r"Expected diagonal shape: \[2,2\]",
            ),
            Bad(
                lambda v: [v.any(2, 3), v.any(), _scalar(0)],
                "must be at least rank 1 but is rank 0",
            ),
        ),
    ),
]
