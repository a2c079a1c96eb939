"""Rows for the bias vectors."""

from __future__ import annotations

from tests.ops.case import FLOATS, INTEGERS, NUMBERS, Bad, Case

_FLOATING = (*FLOATS, "complex64", "complex128")


def _bad(value: tuple[int, ...], bias: tuple[int, ...], text: str, when: str = "any") -> Bad:
    return Bad(lambda v: [v.any(*value), v.any(*bias)], text, when=when)


_REFUSED = (
    _bad((2, 3), (4,), "Dimensions must be equal, but are 3 and 4", "build"),
    _bad((3,), (3,), "Shape must be at least rank 2 but is rank 1", "build"),
    _bad((2, 3), (1, 3), "Shape must be rank 1 but is rank 2", "build"),
    _bad(
        (2, 3),
        (4,),
        r"Must provide as many biases as the last dimension of the input tensor: \[4\] vs. \[2,3\]",
        "run",
    ),
    _bad((3,), (3,), r"Input tensor must be at least 2D: \[3\]", "run"),
    _bad((2, 3), (1, 3), r"Biases must be 1D: \[1,3\]", "run"),
)

CASES = [
    *(
        Case(
            op,
            lambda v, s=shape: [v.any(*s), v.any(s[-1])],
            NUMBERS if shape == (2, 3) else _FLOATING,
            gradients=(0, 1),
            label=str(shape),
            bad=_REFUSED if shape == (2, 3) else (),
        )
        for op in ("BiasAdd", "BiasAddV1")
        for shape in ((2, 3), (2, 1, 2, 3), (0, 3), (2, 0))
    ),
    *(
        Case(
            "BiasAdd",
            lambda v, s=shape: [v.any(*s), v.any(s[1])],
            FLOATS,
            attrs={"data_format": "NCHW"},
            gradients=(0, 1),
            label=f"NCHW{shape}",
            bad=(_bad((2, 3), (3,), "Shape must be at least rank 3 but is rank 2", "build"),),
        )
        for shape in ((2, 3, 4), (2, 3, 2, 2), (1, 2, 2, 1, 2))
    ),
    *(
        Case(
            "BiasAddGrad",
            lambda v, s=shape: [v.any(*s)],
            (*_FLOATING, *INTEGERS),
            attrs={"data_format": data_format},
            gradients=(0,),
            label=f"{data_format}{shape}",
        )
        for data_format, shape in (
            ("NHWC", (2, 3)),
            ("NHWC", (2, 3, 2, 4)),
            ("NHWC", (0, 3)),
            ("NCHW", (2, 3, 4)),
            ("NCHW", (2, 3, 2, 4)),
        )
    ),
    Case(
        "BiasAddGrad",
        lambda v: [v.between(0, 1, 5000, 3)],
        label="long",
        bad=(
            Bad(lambda v: [v.any(3)], "Shape must be at least rank 2 but is rank 1", when="build"),
            Bad(lambda v: [v.any(3)], r"Input tensor must be at least 2D: \[3\]", when="run"),
        ),
        # The order of 5,000 additions differs.
        rtol=1e-4,
    ),
]
