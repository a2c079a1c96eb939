"""Rows for the error and gamma functions, Bessel functions and integrals."""

from __future__ import annotations

import numpy as np

from tests.ops.case import BROADCASTS, FLOAT32_64, FLOATS, Bad, Case, Values

NO_BFLOAT16 = ("float32", "float64", "float16")
SHAPES = ((2, 3), (), (0, 3))


def _unary(
    op: str, low: float, high: float, dtypes: tuple[str, ...], **options: object
) -> list[Case]:
    return [
        Case(
            op,
            lambda v, s=s: [v.between(low, high, *s)],
            dtypes,
            gradients=(0,),
            label=str(s),
            **options,
        )  # type: ignore[arg-type]
        for s in SHAPES
    ]


def _binary(op: str, gradients: tuple[int, ...], low: float, **options: object) -> list[Case]:
    return [
        Case(
            op,
            lambda v, a=a, b=b: [v.between(low, 4, *a), v.between(0.5, 4, *b)],
            gradients=gradients,
            label=f"{a}{b}",
            bad=(
                Bad(
                    lambda v: [v.positive(2), v.positive(3)],
                    "(?i)incompatible shapes|must be equal",
                ),
            ),
            **options,  # type: ignore[arg-type]
        )
        for a, b in BROADCASTS
    ]


def _whole(v: Values, *shape: int) -> np.ndarray:
    return np.asarray(np.arange(int(np.prod(shape))).reshape(shape) % 4).astype(v.dtype)


def _beta(v: Values) -> list[np.ndarray]:
    return [v.between(0.5, 4, 2, 3), v.between(0.5, 4, 2, 3), v.between(0.1, 0.9, 2, 3)]


def _beta_at_the_ends(v: Values) -> list[np.ndarray]:
    """Parameters that are zero, negative, infinite and no numbers, at every kind of x."""
    ends = [-1.0, 0.0, 0.5, np.inf, np.nan]
    grid = np.meshgrid(ends, ends, [-0.5, 0.0, 0.3, 1.0, 1.5, np.nan])
    return [axis.astype(v.dtype) for axis in grid]


# Series of another length than Eigen's leave differences beyond a float's last digits.
LOOSE = {"rtol": 2e-4, "atol": 2e-4}

CASES = [
    *_unary("Erf", -3, 3, FLOATS),
    *_unary("Erfc", -3, 3, FLOATS),
    *_unary("Erfinv", -0.9, 0.9, FLOAT32_64),
    *_unary("Ndtri", 0.1, 0.9, FLOAT32_64),
    *_unary("Lgamma", 0.5, 5, NO_BFLOAT16),
    *_unary("Digamma", 0.5, 5, FLOAT32_64),
    # Its gradient needs Polygamma, which has no half kernel.
    Case("Digamma", lambda v: [v.between(0.5, 5, 4)], ("float16",), label="half"),
    Case("Lgamma", lambda v: [np.asarray([0, -1, -0.5, np.inf, -np.inf], v.dtype)], label="poles"),
    Case("Digamma", lambda v: [np.asarray([0, -1, -0.5, 1], v.dtype)], label="poles", rtol=1e-4),
    *_unary("BesselI0", -3, 3, NO_BFLOAT16),
    *_unary("BesselI0e", -3, 3, NO_BFLOAT16),
    *_unary("BesselI1", -3, 3, NO_BFLOAT16),
    *_unary("BesselI1e", -3, 3, NO_BFLOAT16),
    *(
        row
        for op in ("K0", "K0e", "K1", "K1e", "Y0", "Y1")
        for row in _unary(f"Bessel{op}", 0.5, 4, FLOAT32_64)
    ),
    *(row for op in ("J0", "J1") for row in _unary(f"Bessel{op}", -4, 4, FLOAT32_64)),
    *_unary("Dawsn", -3, 3, FLOAT32_64),
    *_unary("Expint", 0.2, 4, FLOAT32_64),
    *_unary("FresnelSin", -3, 3, FLOAT32_64),
    *_unary("FresnelCos", -3, 3, FLOAT32_64),
    *_unary("Spence", 0.2, 4, FLOAT32_64),
    *_binary("Zeta", (1,), 1.5, **LOOSE),
    *_binary("Igamma", (0, 1), 0.5, **LOOSE),
    *_binary("Igammac", (0, 1), 0.5, **LOOSE),
    *_binary("IgammaGradA", (), 0.5, **LOOSE),
    *(
        Case(
            "Polygamma",
            lambda v, a=a, b=b: [_whole(v, *a), v.between(0.5, 4, *b)],
            gradients=(1,),
            label=f"{a}{b}",
            **LOOSE,  # type: ignore[arg-type]
        )
        for a, b in BROADCASTS
    ),
    Case("Polygamma", lambda v: [np.asarray([0.5, -1], v.dtype), v.positive(2)], label="not whole"),
    *(
        Case(
            op,
            lambda v, a=a, x=x: [np.asarray([*a], v.dtype).reshape(-1, 1), np.asarray(x, v.dtype)],
            label="edges",
            **LOOSE,  # type: ignore[arg-type]
        )
        for op, a, x in (
            ("Zeta", (0.5, 1, 1.5, 2, 3, 4, np.inf, np.nan), (-2, -1.5, 0, 1, 2.5)),
            ("Polygamma", (0, 1, 2, 3), (-2, -1.5, 0, 1, 2.5)),
            ("Igamma", (-1.5, 0, 2.5, np.nan), (0, -1, 1)),
            ("Igammac", (-1.5, 0, 2.5, np.nan), (0, -1, 1)),
            ("IgammaGradA", (-1.5, 0, 2.5, np.nan), (0, -1, 1)),
        )
    ),
    Case(
        "Betainc",
        _beta,
        gradients=(2,),
        bad=(
            Bad(
                lambda v: [v.positive(2), v.positive(3), v.positive(3)],
                "Shapes of a and b are inconsistent",
                when="run",
            ),
            Bad(
                lambda v: [v.positive(2), v.positive(3), v.positive(3)],
                "Dimension 0 in both shapes must be equal",
                when="build",
            ),
        ),
    ),
    Case(
        "Betainc", lambda v: [v.positive(), v.positive(), v.between(0.1, 0.9, 4)], label="scalars"
    ),
    Case("Betainc", _beta_at_the_ends, label="ends"),
]
