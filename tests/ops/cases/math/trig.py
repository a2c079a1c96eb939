"""Rows for trigonometric and hyperbolic functions and the logistic function."""

from __future__ import annotations

from tests.ops.case import COMPLEX, FLOATS, Case, unary

TYPES = (*FLOATS, *COMPLEX)
INSIDE = ("Asin", "Acos", "Atanh")

CASES = [
    *(
        row
        for op in ("Sin", "Cos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Sigmoid")
        for row in unary(op, TYPES, gradients=(0,))
    ),
    *(
        Case(
            op,
            lambda v, s=shape: [v.between(-0.9, 0.9, *s)],
            TYPES,
            gradients=(0,),
            label=str(shape),
        )
        for op in (*INSIDE, "Tan")
        for shape in ((2, 3), (), (0, 3))
    ),
    Case("Acosh", lambda v: [v.between(1.2, 5, 2, 3)], TYPES, gradients=(0,)),
    Case("Acosh", lambda v: [v.between(1.2, 5)], TYPES, gradients=(0,), label="scalar"),
    *(Case(op, lambda v: [v.any(6)], FLOATS, label="outside") for op in (*INSIDE, "Acosh")),
    Case("Sigmoid", lambda v: [v.any(6) * v.dtype.type(30)], FLOATS, label="saturated"),
]
