"""Rows for convolutions of images that are resized and mirrored at their edges before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values
from tests.ops.knowledge import PARTIAL, STATIC
from tests.ops.program import Inputs, Program, Step, run

_PADDINGS = np.array([[0, 0], [2, 1], [0, 2], [0, 0]], np.int32)
_WIDE = np.array([[0, 0], [4, 0], [0, 0], [0, 0]], np.int32)
_ROUNDED = {"float16": 2e-2, "float64": 1e-6}
"""TensorFlow sums 16-bit floats up in an order of its own; resized pixels are float32 here."""


def _padded(v: Values, paddings: Any = _PADDINGS) -> list[Any]:
    # TensorFlow gives all images of a batch what it computes for the first one.
    return [v.between(-1, 1, 1, 4, 5, 2), paddings, v.between(-1, 1, 3, 2, 2, 3)]


def _resized(v: Values, size: Any = (7, 4), paddings: Any = _PADDINGS) -> list[Any]:
    images, _, filters = _padded(v)
    return [images, np.array(size, np.int32), paddings, filters]


def _attrs(mode: str, padding: str, stride: int = 1) -> dict[str, Any]:
    return {"mode": mode, "strides": [1, stride, stride, 1], "padding": padding}


_WAYS = (
    _attrs("REFLECT", "SAME"),
    _attrs("SYMMETRIC", "VALID", 2),
    _attrs("REFLECT", "VALID"),
)


def _cases(
    op: str,
    args: Callable[[Values], Sequence[Any]],
    static: tuple[int, ...],
    bad: tuple[Bad, ...],
    **more: Any,
) -> list[Case]:
    return [
        Case(
            op,
            args,
            ("float32", "float64", "float16") if not place else ("float32",),
            attrs={**attrs, **more},
            static=static,
            # TensorFlow refuses images of which no rank is known.
            shapes=(STATIC, PARTIAL),
            rtol=_ROUNDED,
            atol=_ROUNDED,
            label=str(place),
            bad=() if place else bad,
        )
        for place, attrs in enumerate(_WAYS)
    ]


def _whole_batches(tf: Any, v: Inputs) -> Iterator[Step]:
    """Each image of a batch has its own answer: that of the ops one by one."""
    images, filters = v.any(3, 4, 5, 2), v.any(3, 2, 2, 3)
    single = tf.nn.conv2d(tf.pad(images, _PADDINGS, "REFLECT"), filters, 1, "SAME")
    parts = [
        tf.raw_ops.FusedPadConv2D(
            input=image, paddings=_PADDINGS, filter=filters, **_attrs("REFLECT", "SAME")
        )
        for image in tf.split(images, 3)
    ]
    yield run(single, tf.concat(parts, 0))


CASES = [
    *_cases(
        "FusedPadConv2D",
        _padded,
        (1,),
        (
            Bad(lambda v: _padded(v, _WIDE), "paddings must be less than"),
            Bad(lambda v: _padded(v, _WIDE[:3]), "must be rank 3 but is rank 4"),
            Bad(lambda v: [*_padded(v)[:2], v.any(3, 3, 1, 2)], "must be equal, but are 2 and 1"),
        ),
    ),
    *_cases(
        "FusedResizeAndPadConv2D",
        _resized,
        (1, 2),
        (
            Bad(lambda v: _resized(v, (0, 4)), "positive|less than"),
            Bad(lambda v: _resized(v, (4,)), "must be equal|elements"),
            Bad(lambda v: _resized(v, (4, 4), _WIDE), "paddings must be less"),
        ),
        resize_align_corners=True,
    ),
]

PROGRAMS = [Program("FusedPadConv2D", _whole_batches, ("float32",), label="whole batches")]
