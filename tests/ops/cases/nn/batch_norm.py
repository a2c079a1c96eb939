"""Rows for fused batch normalization and its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values

_NARROW = ("float32", "float16", "bfloat16")
_SUMS = {"rtol": 1e-4, "atol": 1e-4}
_HALF = {"rtol": 2e-2, "atol": 2e-2}
"""TensorFlow computes some of it in 16 bits."""

Shape = tuple[int, ...]


def _vector(v: Values, size: int) -> np.ndarray:
    return v.positive(size).astype("float32")


def _inputs(shape: Shape, channels: int, statistics: int) -> Any:
    return lambda v: [
        v.any(*shape),
        _vector(v, channels),
        _vector(v, channels),
        _vector(v, statistics),
        _vector(v, statistics),
    ]


def _grad_inputs(shape: Shape, channels: int, third: bool) -> Any:
    def args(v: Values) -> list[np.ndarray]:
        values = [v.any(*shape), v.any(*shape), *(_vector(v, channels) for _ in range(3))]
        return [*values, np.zeros((), "float32")] if third else values

    return args


_TRAINING: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("training", {}, 0),
    ("running", {"exponential_avg_factor": 0.3}, 3),
    ("frozen", {"is_training": False, "epsilon": 0.01}, 3),
)


def _bad(shape: Shape, vectors: tuple[Shape, ...], text: str, when: str, **attrs: Any) -> Bad:
    return Bad(
        lambda v: [v.any(*shape), *(v.positive(*s) for s in vectors)], text, attrs=attrs, when=when
    )


_THREE, _NONE = (3,), (0,)
_REFUSED = (
    _bad((2, 3), (_THREE, _THREE, _NONE, _NONE), "Shape must be rank 4 but is rank 2", "build"),
    _bad(
        (2, 2, 2, 4),
        (_THREE, _THREE, _NONE, _NONE),
        "Dimensions must be equal, but are 4 and 3",
        "build",
    ),
    _bad(
        (2, 2, 2, 3),
        (_THREE, _THREE, (2,), _THREE),
        "Dimensions must be equal, but are 3 and 2",
        "build",
        is_training=False,
    ),
    _bad(
        (2, 2, 2, 4),
        (_THREE, _THREE, _NONE, _NONE),
        "scale must have the same number of elements as the channels of x, got 3 and 4",
        "run",
    ),
    _bad(
        (2, 2, 2, 3),
        ((1, 3), _THREE, _NONE, _NONE),
        r"scale must be 1-dimensional\[1,3\]",
        "run",
    ),
    _bad(
        (2, 2, 2, 3),
        (_THREE, _THREE, (2,), _THREE),
        "When is_training=false, mean must have the same number of elements as the channels of x, "
        "got 2 and 3",
        "run",
        is_training=False,
    ),
    _bad((2, 3), (_THREE, _THREE, _NONE, _NONE), r"4-dimensional\[2,3\]", "run"),
)


def _defined(label: str) -> tuple[int, ...]:
    """The outputs with a meaning: with given statistics those reserved for the gradient have none,
    and the last one is whatever the processor's library wants."""
    return (0, 1, 2) if label == "frozen" else (0, 1, 2, 3, 4)


CASES = [
    *(
        Case(
            op,
            _inputs((2, 3, 4, 3), 3, statistics),
            types,
            attrs=attrs,
            gradients=(0, 1, 2),
            label=label,
            bad=_REFUSED if label == "training" else (),
            outputs=_defined(label),
            **(_SUMS if types == ("float32",) else _HALF),
        )
        for op, types in (
            ("FusedBatchNorm", ("float32",)),
            ("FusedBatchNormV2", _NARROW),
            ("FusedBatchNormV3", _NARROW),
        )
        for label, attrs, statistics in _TRAINING
    ),
    *(
        Case(
            "FusedBatchNormV3",
            _inputs(shape, 3, statistics),
            ("float32",),
            attrs={**attrs, "data_format": data_format},
            gradients=(0, 1, 2),
            label=f"{data_format}-{label}",
            outputs=_defined(label),
            **_SUMS,
        )
        for data_format, shape in (
            ("NCHW", (2, 3, 4, 2)),
            ("NDHWC", (2, 2, 2, 2, 3)),
            ("NCDHW", (2, 3, 2, 2, 2)),
        )
        for label, attrs, statistics in _TRAINING[::2]
    ),
    Case(
        "FusedBatchNormV3",
        _inputs((1, 1, 1, 3), 3, 0),
        ("float32",),
        label="one",
        outputs=_defined("training"),
        **_SUMS,
    ),
    *(
        Case(
            op,
            _grad_inputs((2, 3, 4, 3), 3, op.endswith("V3")),
            types,
            attrs=attrs,
            gradients=(0, 1, 2),
            label=label,
            outputs=(0, 1, 2),
            **(_SUMS if types == ("float32",) else _HALF),
        )
        for op, types in (
            ("FusedBatchNormGrad", ("float32",)),
            ("FusedBatchNormGradV2", _NARROW),
            ("FusedBatchNormGradV3", _NARROW),
        )
        for label, attrs in (("training", {}), ("frozen", {"is_training": False}))
    ),
    Case(
        "FusedBatchNormGrad",
        _grad_inputs((2, 3, 4, 2), 3, False),
        ("float32",),
        attrs={"data_format": "NCHW"},
        gradients=(0, 1, 2),
        label="NCHW",
        outputs=(0, 1, 2),
        bad=(
            Bad(
                lambda v: [v.any(2, 3, 2, 2), v.any(2, 3, 2, 1), *(v.any(3) for _ in range(3))],
                r"x and y_backprop must have same shape, but x has shape \[2,3,2,1\]",
                when="run",
            ),
            Bad(
                lambda v: [v.any(2, 3, 2, 2), v.any(2, 4, 2, 2), *(v.any(3) for _ in range(3))],
                "Dimensions must be equal, but are 3 and 4",
                when="build",
            ),
        ),
        **_SUMS,
    ),
]
