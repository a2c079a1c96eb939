"""Rows for projective transformations."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case

_TURNED = [np.cos(0.4), -np.sin(0.4), 1.3, np.sin(0.4), np.cos(0.4), -2.1, 0.01, -0.02]
_MOVED = [1, 0, 3.2, 0, 1, -2, 0, 0]
_BOTH = np.array([_TURNED, _MOVED], np.float32)
_SIZE = np.array([9, 14], np.int32)
_TYPES = ("float32", "float64", "float16", "uint8", "int32", "int64")


def _args(*more: Any, transforms: Any = _BOTH, size: Any = _SIZE) -> Any:
    return lambda v: [v.any(2, 8, 7, 3), transforms, size, *more]


_FILL = np.array(2.5, np.float32)
_BAD = (
    Bad(lambda v: [v.any(8, 7, 3), _BOTH, _SIZE], "must be rank 4 but is rank 3", when="build"),
    Bad(lambda v: [v.any(8, 7, 3), _BOTH, _SIZE], "images must have rank 4", when="run"),
    Bad(_args(transforms=_BOTH[:, :7]), "num_images x 8 or 1 x 8"),
    Bad(_args(size=_SIZE[:1]), "output shape must have two elements", when="run"),
    Bad(_args(size=_SIZE * 0), "output dimensions must be positive"),
)
CASES = [
    Case(
        op,
        _args(*more, transforms=_BOTH[:count]),
        # Of bilinear integers the last bit decides how they are cut off.
        _TYPES if interpolation == "NEAREST" else _TYPES[:3],
        attrs={"interpolation": interpolation, "fill_mode": mode},
        gradients=(0,) if count == 2 and mode == "CONSTANT" else (),
        # TensorFlow's gradient is the image of the gradient seen back, which is not its derivative.
        numeric=False,
        rtol={"float32": 1e-4},
        atol={"float32": 1e-4, "float64": 1e-4, "float16": 1e-2},
        bad=_BAD if (op[-1], interpolation, mode) == ("2", "BILINEAR", "CONSTANT") else (),
        label=f"{interpolation} {mode}",
    )
    for op, count, more in (
        ("ImageProjectiveTransformV2", 2, ()),
        ("ImageProjectiveTransformV3", 1, (_FILL,)),
    )
    for interpolation in ("NEAREST", "BILINEAR")
    for mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
]
CASES.append(
    Case(
        "ImageProjectiveTransformV3",
        _args(_FILL),
        _TYPES[:2],
        attrs={"interpolation": "BILINEAR"},
        gradients=(0,),
        numeric=False,
        rtol={"float32": 1e-4},
        atol={"float32": 1e-4, "float64": 1e-4},
        label="slopes",
    )
)
