"""Rows for the activations and their gradients."""

from __future__ import annotations

import numpy as np

from tests.ops.case import FLOATS, REAL, Bad, Case, unary

_UNEQUAL = Bad(
    lambda v: [v.any(2, 3), v.any(2, 4)],
    "Dimension 1 in both shapes must be equal, but are 3 and 4",
)
_UNEQUAL_RUN = Bad(
    lambda v: [v.any(2, 3), v.any(2, 4)],
    r"must have the same size and shape.  Input 0: \[2,3\] != input 1: \[2,4\]",
    when="run",
)


def _activation(op: str, dtypes: tuple[str, ...], **attrs: float) -> list[Case]:
    return [
        *unary(op, dtypes, attrs=attrs, gradients=(0,)),
        Case(op, lambda v: [v.between(4, 9, 3, 4)], FLOATS, attrs=attrs, label="large"),
    ]


def _gradient(op: str, dtypes: tuple[str, ...], second: bool, **attrs: float) -> list[Case]:
    """Rows of an op of gradient and features; `second`: it has a gradient itself."""
    return [
        Case(
            op,
            lambda v, s=shape: [v.any(*s), v.any(*s)],
            dtypes,
            attrs=attrs,
            label=str(shape),
            gradients=(0, 1) if second else (),
            bad=(_UNEQUAL, _UNEQUAL_RUN) if shape else (),
            # With respect to the features these gradients are TensorFlow's, zero at the steps.
            numeric=False,
        )
        for shape in ((2, 3), (), (0, 3))
    ]


CASES = [
    *_activation("Relu", REAL),
    *_activation("Relu6", REAL),
    *_activation("LeakyRelu", FLOATS, alpha=0.3),
    *unary("LeakyRelu", FLOATS, attrs={"alpha": 1.5}),
    *_activation("Elu", FLOATS),
    *_activation("Selu", FLOATS),
    *_activation("Softplus", FLOATS),
    *_activation("Softsign", FLOATS),
    *_gradient("ReluGrad", REAL, True),
    *_gradient("Relu6Grad", REAL, True),
    *_gradient("LeakyReluGrad", FLOATS, True, alpha=0.3),
    *_gradient("EluGrad", FLOATS, True),
    Case(
        "EluGrad",
        lambda v: [v.any(4), v.any(4) * np.array([1.0, np.nan, 0.0, 1.0], v.any(1).dtype)],
        FLOATS,
        label="NaN",
    ),
    *_gradient("SeluGrad", FLOATS, True),
    Case(
        "SeluGrad",
        lambda v: [v.positive(2), np.full(2, -1.7580993408473768).astype(v.dtype)],
        FLOATS,
        label="of the least activation",
        numeric=False,
        atol=0.0,
    ),
    *_gradient("SoftplusGrad", FLOATS, True),
    *_gradient("SoftsignGrad", FLOATS, False),
]
