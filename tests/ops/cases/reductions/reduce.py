"""Rows for the reductions over axes."""

from __future__ import annotations

import numpy as np

from tests.ops.case import FLOATS, NUMBERS, REAL, Bad, Case, Values

AXES = ([0], [1], [-1, 0], [], [0, 1, 2])


def _bad(make: str) -> tuple[Bad, ...]:
    def of(*axes: int):  # type: ignore[no-untyped-def]
        return lambda v: [getattr(v, make)(2, 3), np.asarray(axes, np.int32)]

    return (
        Bad(of(2), "Invalid reduction dimension", when="build"),
        Bad(of(-3), "Invalid reduction dimension", when="run"),
        Bad(of(1, 1), "Axes contains duplicate dimension: 1", when="run"),
        Bad(
            lambda v: [getattr(v, make)(2, 3), np.zeros((1, 1), np.int32)],
            "Shape must be at most rank 1 but is rank 2",
            when="build",
        ),
    )


def reduction(
    op: str, dtypes: tuple[str, ...], make: str, gradients: tuple[int, ...]
) -> list[Case]:
    """Rows over axes, kept or not, known while building or not."""
    rows = [
        Case(
            op,
            lambda v, a=axes: [getattr(v, make)(2, 3, 2), np.asarray(a, np.int32)],
            dtypes if axes == [1] else dtypes[:2],
            attrs={"keep_dims": keep},
            static=(1,) if static else (),
            gradients=gradients,
            label=f"{axes}{'keep' if keep else ''}{'static' if static else ''}",
            bad=_bad(make) if axes == [0] and static and not keep else (),
        )
        for axes in AXES
        for keep in (False, True)
        for static in (False, True)
    ]
    for label, shape, axis in (
        ("scalar", (), np.zeros(0, np.int32)),
        ("scalar axis", (2, 3), np.int64(1)),
        ("nothing", (0, 3), np.asarray([0], np.int32)),
        ("nothing left", (0, 3), np.asarray([1], np.int32)),
        ("many", (3, 200), np.asarray([1], np.int32)),
    ):
        rows.append(
            Case(
                op,
                lambda v, s=shape, a=axis: [getattr(v, make)(*s), a],
                # Sums of 200 are no place to compare 8-bit wrap-around and 16-bit roundings.
                dtypes if label != "many" else dtypes[:2],
                static=(1,),
                gradients=gradients if label != "nothing" else (),
                rtol=1e-3 if op == "Prod" else None,
                numeric=label != "many",
                label=label,
            )
        )
    return rows


def _with_nans(v: Values, rows: int, columns: int) -> np.ndarray:
    """NaNs here and there, and alone in the first row and the last column."""
    made = v.any(rows, columns)
    made[1::2, ::3] = np.nan
    made[0] = made[:, -1] = np.nan
    made[2] = -np.inf
    return made


def _negative(v: Values) -> list[np.ndarray]:
    values = np.asarray([[-3, -4, 0], [7, 8, 100], [127, 127, 127]]).astype(v.dtype)
    return [values, np.asarray([1], np.int32)]


CASES = [
    *reduction("Sum", NUMBERS, "any", (0,)),
    *reduction("Mean", NUMBERS, "any", (0,)),
    *reduction("Prod", NUMBERS, "positive", (0,)),
    *reduction("Max", REAL, "distinct", (0,)),
    *reduction("Min", REAL, "distinct", (0,)),
    *reduction("EuclideanNorm", FLOATS, "any", (0,)),
    Case("Mean", _negative, ("int8", "int16", "int32", "int64"), label="cut to zero"),
    Case(
        "EuclideanNorm",
        lambda v: [v.positive(3), np.int32([0])],
        ("int32", "int64", "uint8", "complex64"),
        label="other types",
    ),
    Case(
        "Prod",
        lambda v: [v.any(2, 3) * np.asarray([1, 0, 1], v.dtype), np.int32([1])],
        ("float32", "float64"),
        gradients=(0,),
        label="zeros",
    ),
    Case(
        "Max",
        lambda v: [np.asarray([[1, 2, 2], [3, 3, 3]], v.dtype), np.int32([1])],
        ("float32",),
        gradients=(0,),
        numeric=False,
        label="ties",
    ),
    Case(
        "Max",
        lambda v: [np.asarray([[1, np.nan], [np.nan, 0]], v.dtype), np.int32([1])],
        ("float32", "float64"),
        label="nan",
    ),
    *(
        Case(
            op,
            lambda v, s=shape, a=axes: [v.any(*s), np.asarray(a, np.int32)],
            ("bool",),
            attrs={"keep_dims": keep},
            static=(1,) if keep else (),
            label=f"{shape}{axes}{keep}",
        )
        for op in ("All", "Any")
        for shape, axes in (((4, 2), [1]), ((4, 2), [0, 1]), ((), []), ((0, 2), [0]))
        for keep in (False, True)
    ),
    *(
        Case(
            op,
            lambda v, s=shape, a=axis: [v.distinct(*s), np.int32(a)],
            (*REAL, "bool") if axis == 1 else REAL[:2],
            attrs={"output_type": output},
            static=(1,) if axis < 0 else (),
            gradients=(0,) if axis == 0 else (),
            numeric=False,
            label=f"{shape}{axis}{output}",
            bad=(
                Bad(
                    lambda v: [v.any(2, 3), np.int32(4)],
                    "(?i)dimension.* in(?: the)? range",
                    when="run",
                ),
                Bad(lambda v: [v.any(2, 3), np.int32([1])], "Shape must be rank 0", when="build"),
                Bad(lambda v: [v.any(2, 3), np.int32([1])], "dim must be a scalar", when="run"),
                Bad(lambda v: [v.any(0, 3), np.int32(0)], "Reduction axis 0 is empty", when="run"),
                Bad(lambda v: [v.any(), np.int32(0)], r"range \[0, 0\), but got 0", when="run"),
            )
            if axis == 0
            else (),
        )
        for op in ("ArgMax", "ArgMin")
        for shape, axis, output in (
            ((3, 4), 0, "int64"),
            ((3, 4), 1, "int32"),
            ((2, 3, 4), -2, "int64"),
            ((5,), 0, "int32"),
            ((3, 0), 0, "int64"),
        )
    ),
    Case(
        "ArgMax", lambda v: [v.any(3, 4), np.int32(1)], attrs={"output_type": "uint16"}, label="u16"
    ),
    *(
        Case(
            op,
            lambda v, shape=shape, axis=axis: [_with_nans(v, *shape), np.int32(axis)],
            FLOATS,
            label=f"NaNs {shape} {axis}",
        )
        for op in ("ArgMax", "ArgMin")
        for shape in ((6, 5), (70, 300))
        for axis in (0, 1)
    ),
    Case(
        "ArgMax",
        lambda v: [v.any(3, 4), np.int32(1)],
        label="static axis",
        static=(1,),
        bad=(
            Bad(
                lambda v: [v.any(3, 4), np.int32(2)],
                r"Dimension \(2\) must be in the range",
                when="build",
            ),
        ),
    ),
    *(
        Case("L2Loss", lambda v, s=s: [v.any(*s)], FLOATS, gradients=(0,), label=str(s))
        for s in ((2, 3), (), (0, 3))
    ),
]
