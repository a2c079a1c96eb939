"""Rows for local response normalization."""

from __future__ import annotations

from tests.ops.case import Bad, Case

_TYPES = ("float32", "float16")

CASES = [
    *(
        Case(
            "LRN",
            lambda v, s=shape: [v.any(*s)],
            _TYPES,
            attrs=attrs,
            gradients=(0,),
            label=f"{shape}{len(attrs)}",
            bad=(
                Bad(lambda v: [v.any(2, 3, 4)], "Shape must be rank 4 but is rank 3", when="build"),
                Bad(lambda v: [v.any(2, 3, 4)], "in must be 4-dimensional", when="run"),
                Bad(
                    lambda v: [v.any(1, 1, 1, 3)],
                    "depth_radius = -1 larger than int max",
                    {"depth_radius": -1},
                ),
            ),
            rtol=5e-3,
            atol=2e-3,
        )
        for shape in ((1, 2, 2, 7), (2, 1, 3, 3), (1, 1, 2, 20))
        for attrs in ({}, {"depth_radius": 2, "bias": 2.0, "alpha": 0.3, "beta": 0.75})
    ),
    Case(
        "LRNGrad",
        lambda v: [v.any(1, 2, 2, 7), v.any(1, 2, 2, 7), v.any(1, 2, 2, 7)],
        ("float32",),
        attrs={"depth_radius": 2},
        bad=(
            Bad(
                lambda v: [v.any(1, 2, 2, 2), v.any(1, 2, 2, 1), v.any(1, 2, 2, 1)],
                "Dimension 3 in both shapes must be equal, but are 2 and 1",
                when="build",
            ),
            Bad(
                lambda v: [v.any(1, 2, 2, 2), v.any(1, 2, 2, 1), v.any(1, 2, 2, 1)],
                "input_grads, input_image, and out_image should have the same shape",
                when="run",
            ),
        ),
    ),
]
