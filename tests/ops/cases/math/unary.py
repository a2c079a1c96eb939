"""Rows for powers, roots, exponentials and logarithms, and for their gradient ops."""

from __future__ import annotations

from tests.ops.case import COMPLEX, FLOATS, INTEGERS, SIGNED, Bad, Case, Values, unary

FLOATS_COMPLEX = (*FLOATS, *COMPLEX)
SIGNED_TYPES = (*FLOATS, *SIGNED, *COMPLEX)


def _pair(v: Values, *shape: int) -> list[object]:
    if v.name in COMPLEX:
        return [v.any(*shape) + v.dtype.type(4), v.any(*shape)]
    return [v.positive(*shape), v.any(*shape)]


CASES = [
    *unary("Neg", SIGNED_TYPES, gradients=(0,)),
    *unary("Abs", (*FLOATS, *SIGNED), gradients=(0,)),
    *unary("Square", (*FLOATS, *INTEGERS, *COMPLEX), gradients=(0,)),
    *unary("Sqrt", FLOATS_COMPLEX, make="positive", gradients=(0,)),
    *unary("Rsqrt", FLOATS_COMPLEX, make="positive", gradients=(0,)),
    *unary("Exp", FLOATS_COMPLEX, gradients=(0,)),
    *unary("Expm1", FLOATS_COMPLEX, gradients=(0,)),
    *unary("Log", FLOATS_COMPLEX, make="positive", gradients=(0,)),
    *unary("Log1p", FLOATS_COMPLEX, make="positive", gradients=(0,)),
    *unary("Reciprocal", FLOATS_COMPLEX, make="positive", gradients=(0,)),
    *unary("Inv", FLOATS_COMPLEX, make="positive", gradients=(0,)),
    Case("Sqrt", lambda v: [v.any(5)], FLOATS_COMPLEX, label="negative"),
    Case("Log", lambda v: [v.any(5)], FLOATS_COMPLEX, label="negative"),
    *(
        Case(
            op,
            lambda v, s=shape: _pair(v, *s),
            FLOATS_COMPLEX,
            gradients=(0, 1),
            label=str(shape),
            bad=(
                Bad(
                    lambda v: [v.positive(2), v.any(3)],
                    "must have same number of elements, got 2 and 3",
                    when="run",
                ),
            )
            if shape
            else (),
        )
        for op in ("SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "TanhGrad", "SigmoidGrad")
        for shape in ((2, 3), (), (0, 3))
    ),
]
