"""Rows for sequences, counting, clipping, checks, cross products and Einstein sums."""

from __future__ import annotations

import numpy as np

from tests.ops.case import COMPLEX, FLOAT32_64, FLOATS, REAL, Bad, Case, Values

EINSUM_TYPES = (*FLOATS, "int32", "int64", *COMPLEX)
NOT_A_NUMBER = {"message": "here"}


def _cast(v: Values, *values: float) -> list[np.ndarray]:
    return [np.asarray(x).astype(v.dtype) for x in values]


def _range(*values: float, static: bool, dtypes: tuple[str, ...]) -> Case:
    return Case(
        "Range",
        lambda v: _cast(v, *values),
        dtypes,
        static=(0, 1, 2) if static else (),
        label=f"{values}{static}",
    )


def _bad_range(text: str, when: str, *values: float) -> Bad:
    return Bad(lambda v: _cast(v, *values), text, when=when)


def _einsum(equation: str, *shapes: tuple[int, ...], bad: tuple[Bad, ...] = ()) -> Case:
    return Case(
        "Einsum",
        lambda v: [[v.any(*s) for s in shapes]],
        EINSUM_TYPES if equation in ("ij,jk->ik", "iij->j") else ("float32",),
        attrs={"equation": equation},
        gradients=tuple(range(len(shapes))),
        label=f"{equation} {shapes}",
        bad=bad,
    )


def _einsum_bad(text: str, when: str, *shapes: tuple[int, ...], equation: str = "") -> Bad:
    return Bad(
        lambda v: [[v.any(*s) for s in shapes]],
        text,
        when=when,
        attrs={"equation": equation} if equation else None,
    )


def _counted(v: Values, *integers: int) -> list[np.ndarray]:
    return [np.asarray(integers, v.dtype), np.asarray(4, v.dtype)]


CASES = [
    *(
        # TensorFlow does not infer the length of a range of 16-bit floats: it refuses to build it.
        _range(
            *values, static=static, dtypes=("int32", "int64", *(FLOAT32_64 if static else FLOATS))
        )
        for values in ((0, 5, 1), (5, 0, -2), (3, 3, 1), (-4, 9, 3))
        for static in (False, True)
    ),
    *(
        _range(*values, static=static, dtypes=FLOAT32_64)
        for values in ((0, 1, 0.1), (0.5, -2.5, -0.75))
        for static in (False, True)
    ),
    Case(
        "Range",
        lambda v: _cast(v, 0, 3, 1),
        ("int32",),
        static=(0, 1, 2),
        label="refused",
        bad=tuple(
            _bad_range(text, when, *values)
            for when in ("build", "run")
            for text, values in (
                ("Requires delta != 0", (0, 3, 0)),
                ("Requires start <= limit when delta > 0: 5/3", (5, 3, 1)),
                ("Requires start >= limit when delta < 0: 1/3", (1, 3, -1)),
            )
        ),
    ),
    *(
        Case(
            "LinSpace",
            lambda v, n=num: [*_cast(v, -1.5, 4), np.int32(n)],
            static=(2,) if num > 1 else (),
            label=str(num),
            bad=(
                Bad(lambda v: [*_cast(v, 0, 1), np.int32(0)], "Requires num > 0: 0"),
                Bad(
                    lambda v: [v.any(1), v.any(), np.int32(2)], "start must be a scalar", when="run"
                ),
            ),
        )
        for num in (1, 2, 7)
    ),
    *(
        Case(
            "ClipByValue",
            lambda v, s=shape, b=bound: [v.any(*s), v.positive(*b) * 0, v.positive(*b)],
            (*FLOATS, "int32", "int64", "int8", "int16", "uint8", "uint16"),
            gradients=(0, 1, 2),
            label=f"{shape}{bound}",
            bad=(
                Bad(
                    lambda v: [v.any(2, 4), v.any(3, 4), v.any()],
                    "must be either of the same shape as input, or a scalar",
                    when="run",
                ),
            ),
        )
        for shape, bound in (((2, 3), ()), ((2, 3), (2, 3)), ((), ()), ((0, 2), ()))
    ),
    Case("ClipByValue", lambda v: [v.any(9), v.any(), v.any()], COMPLEX, label="complex"),
    *(
        Case(
            op,
            lambda v, s=s: [v.any(*s)],
            FLOATS,
            attrs=NOT_A_NUMBER,
            gradients=(0,),
            label=str(s),
            bad=tuple(
                Bad(lambda v, x=x: _cast(v, x), f"here : Tensor had {text} values", when="run")
                for x, text in (
                    ([1, np.nan], "NaN"),
                    ([1, -np.inf], "-?Inf"),
                    ([np.inf, -np.inf, np.nan], r"(Inf and NaN|-Inf, \+Inf, and NaN)"),
                )
            ),
        )
        for op in ("CheckNumerics", "CheckNumericsV2")
        for s in ((2, 3), (), (0,))
    ),
    *(
        Case(
            "Cross",
            lambda v, s=s: [v.any(*s), v.any(*s)],
            REAL,
            gradients=(0, 1),
            label=str(s),
            bad=(
                Bad(
                    lambda v: [v.any(2, 4), v.any(2, 4)],
                    "Dimension must be 3 but is 4",
                    when="build",
                ),
                Bad(
                    lambda v: [v.any(2, 4), v.any(2, 4)],
                    "only defined for 3-element vectors",
                    when="run",
                ),
                Bad(lambda v: [v.any(2, 3), v.any(3)], "Shapes must be equal rank", when="build"),
                Bad(
                    lambda v: [v.any(2, 3), v.any(3)],
                    "Both inputs must be of same shape",
                    when="run",
                ),
            ),
        )
        for s in ((3,), (2, 4, 3), (0, 3))
    ),
    *(
        Case(
            "Bincount",
            lambda v, w=weighted: [
                np.int32([1, 2, 5, 1]),
                np.int32(4),
                v.any(4) if w else v.any(0),
            ],
            ("int32", "int64", "float32", "float64"),
            static=(1,) if weighted else (),
            label=str(weighted),
            bad=(
                Bad(
                    lambda v: [np.int32([-1]), np.int32(4), v.any(0)],
                    "must be non-negative",
                    when="run",
                ),
                Bad(
                    lambda v: [np.int32([1]), np.int32(-4), v.any(0)],
                    r"size \(-4\) must be non-negative",
                ),
                Bad(
                    lambda v: [np.int32([1, 2]), np.int32(4), v.any(3)],
                    "must have the same size",
                    when="run",
                ),
            ),
        )
        for weighted in (False, True)
    ),
    *(
        Case(
            "DenseBincount",
            lambda v, s=shape, w=weights, full=weighted: [
                np.asarray([1, 2, 5, 1]).astype(v.dtype).reshape(s),
                np.asarray(4, v.dtype),
                Values(w).any(*s) if full else Values(w).any(0),
            ],
            ("int32", "int64"),
            attrs={"binary_output": binary},
            static=(1,) if binary else (),
            label=f"{shape}{weights}{weighted}{binary}",
            bad=(
                Bad(lambda v: [*_counted(v, 1, -2), v.any(0)], "must be non-negative", when="run"),
                Bad(lambda v: [v.positive(1), v.positive() * -4, v.any(0)], "must be non-negative"),
                Bad(lambda v: [*_counted(v, 1, 2), v.any(3)], "must be the same shape", when="run"),
                Bad(
                    lambda v: [v.positive(1, 1, 1), v.positive(), v.any(0)],
                    "Shape must be at most rank 2 but is rank 3",
                ),
            ),
        )
        for shape in ((4,), (2, 2))
        for weights, weighted, binary in (
            ("int32", False, False),
            ("float32", True, False),
            ("float64", False, True),
        )
    ),
    Case(
        "Bucketize",
        lambda v: _cast(v, [-1, 0, 0.5, 1, 7]),
        ("int32", "int64", *FLOAT32_64),
        attrs={"boundaries": [0.0, 1.0, 2.0]},
        bad=(
            Bad(
                lambda v: [v.any(2)],
                "Expected sorted boundaries",
                attrs={"boundaries": [1.0, 0.0]},
                when="run",
            ),
        ),
    ),
    Case(
        "HistogramFixedWidth",
        lambda v: [*_cast(v, [-1, 0, 1, 7, 2, 10, 11], [0, 10]), np.int32(5)],
        ("int32", "int64", *FLOAT32_64),
        attrs={"dtype": "int64"},
        static=(2,),
        bad=(
            Bad(lambda v: [*_cast(v, [1], [10, 0]), np.int32(5)], "should satisfy", when="run"),
            Bad(
                lambda v: [*_cast(v, [1], [0, 1, 2]), np.int32(5)],
                "vector of 2 elements",
                when="run",
            ),
            Bad(
                lambda v: [*_cast(v, [1], [0, 1, 2]), np.int32(5)],
                "Dimension must be 2 but is 3",
                when="build",
            ),
            Bad(lambda v: [*_cast(v, [1], [0, 1]), np.int32(-5)], "nbins > 0: -5", when="build"),
            Bad(
                lambda v: [*_cast(v, [1], [0, 1]), np.int32(-5)],
                "nbins should be a positive",
                when="run",
            ),
        ),
    ),
    _einsum(
        "ij,jk->ik",
        (2, 3),
        (3, 4),
        bad=(
            _einsum_bad("Shape must be rank 2 but is rank 3", "build", (2, 3, 4), (3, 4)),
            _einsum_bad("Expected input 0 to have rank 2 but got: 3", "run", (2, 3, 4), (3, 4)),
            _einsum_bad("Dimensions must be equal, but are 3 and 4", "build", (2, 3), (4, 4)),
            _einsum_bad("Expected dimension 3 at axis 0", "run", (2, 3), (4, 4)),
            _einsum_bad("exactly one '->'", "build", (2, 3), equation="ij"),
            _einsum_bad("Expected 2 inputs", "build", (2, 3), equation="ij,jk->ik"),
            _einsum_bad("Expecting 1 or 2 input", "build", (2,), (2,), (2,), equation="i,j,k->ijk"),
            _einsum_bad("has label 'k'", "build", (2, 3), equation="ij->ijk"),
            _einsum_bad("without ellipsis", "build", (2, 3, 4), equation="...ij->ij"),
            _einsum_bad(
                r"contains 1 broadcasting dimension\(s\)", "run", (2, 3, 4), equation="...ij->ij"
            ),
            _einsum_bad(
                "compatible batch dimensions",
                "run",
                (2, 2, 3),
                (3, 3, 4),
                equation="...ij,...jk->...ik",
            ),
            _einsum_bad(
                "rank at least 2 but got: 1", "run", (3,), (3, 3, 4), equation="...ij,...jk->...ik"
            ),
        ),
    ),
    _einsum("iij->j", (3, 3, 2)),
    _einsum("ij->ji", (2, 3)),
    _einsum("ij->", (2, 3)),
    _einsum("ii->i", (3, 3)),
    _einsum("ii->", (3, 3)),
    _einsum("i->ii", (3,)),
    _einsum("abc,cd->abd", (2, 3, 4), (4, 2)),
    _einsum("abcd,aebf->ecdf", (2, 3, 2, 2), (2, 3, 3, 2)),
    _einsum("bij,bjk->bik", (2, 3, 4), (2, 4, 2)),
    _einsum("i,j->ij", (2,), (3,)),
    _einsum("i,i->", (3,), (3,)),
    _einsum("ij,kj->k", (2, 3), (4, 3)),
    _einsum("iij,jjk->ik", (2, 2, 3), (3, 3, 4)),
    _einsum("...ij,...jk->...ik", (2, 3, 2, 3), (3, 3, 4)),
    _einsum("...ij,...jk->...ik", (2, 1, 2, 3), (3, 3, 4)),
    _einsum("...i,i->...", (2, 3), (3,)),
    _einsum("...i,ij->j...", (4, 2, 3), (3, 2)),
    _einsum("...,...->...", (2, 3), (3,)),
    _einsum("ij...->...ji", (2, 3, 4)),
    _einsum("ij,jk->ik", (0, 3), (3, 4)),
]
