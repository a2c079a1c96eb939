"""Rows for slices of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.case import NUMBERS, Bad, Case, Values

EVERY = (*NUMBERS, "bool", "string")


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _bounds(begin: Sequence[int], end: Sequence[int], strides: Sequence[int]) -> list[np.ndarray]:
    return [_ints(*begin), _ints(*end), _ints(*strides)]


_MASK_NAMES = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")


def _masks(**masks: int) -> dict[str, int]:
    return {f"{name}_mask": masks.get(name, 0) for name in _MASK_NAMES}


# Label, input shape, begin, end, strides, masks. Between them they reach every branch.
_WINDOWS: tuple[tuple[str, tuple[int, ...], Any, Any, Any, dict[str, int]], ...] = (
    ("range", (5, 4), (1, 0), (4, 2), (1, 1), {}),
    ("steps", (7, 4), (1, 0), (6, 4), (2, 3), {}),
    ("backwards", (5, 4), (4, 3), (0, -5), (-1, -2), {}),
    ("from the end", (5, 4), (-3, -2), (-1, -1), (1, 1), {}),
    ("beyond", (5, 4), (-9, 2), (9, 9), (1, 1), {}),
    ("beyond backwards", (5, 4), (9, -9), (-9, 9), (-2, -1), {}),
    ("nothing", (5, 4), (3, 0), (1, 2), (1, 1), {}),
    ("no begin", (5, 4), (3, 0), (4, 2), (1, 1), {"begin": 1}),
    ("no end", (5, 4), (3, 0), (4, 2), (1, 1), {"end": 3}),
    ("no bounds backwards", (5, 4), (3, 0), (4, 2), (-2, 1), {"begin": 1, "end": 1}),
    ("shrink", (5, 4), (-2, 0), (0, 2), (1, 1), {"shrink_axis": 1}),
    ("shrink all", (5, 4), (2, 3), (3, 4), (1, 1), {"shrink_axis": 3}),
    ("new axes", (5, 4), (0, 1, 0), (0, 3, 0), (1, 1, 1), {"new_axis": 5}),
    ("ellipsis", (2, 3, 4), (0, 1), (0, 3), (1, 1), {"ellipsis": 1}),
    (
        "ellipsis inside",
        (2, 3, 4),
        (1, 0, 1),
        (2, 0, 3),
        (1, 1, 1),
        {"ellipsis": 2, "shrink_axis": 1},
    ),
    ("empty ellipsis", (2, 3), (1, 0, 1), (2, 0, 3), (1, 1, 1), {"ellipsis": 2}),
    (
        "axis after ellipsis",
        (2, 3),
        (0, 0, 1),
        (0, 0, 2),
        (1, 1, 1),
        {"ellipsis": 1, "new_axis": 2},
    ),
    ("fewer than rank", (4, 3, 2), (1,), (3,), (1,), {}),
    ("scalar new axis", (), (0,), (0,), (1,), {"new_axis": 1}),
    ("empty", (0, 3), (0, 1), (2, 3), (1, 1), {}),
)


def _windows(op: str, make: Any, dtypes: tuple[str, ...], **options: Any) -> list[Case]:
    return [
        Case(
            op,
            make(shape, begin, end, strides, masks),
            dtypes,
            attrs=_masks(**masks),
            label=label,
            **options,
        )
        for label, shape, begin, end, strides, masks in _WINDOWS
    ]


def _read(shape: Any, begin: Any, end: Any, strides: Any, masks: Any) -> Any:
    return lambda v: [v.any(*shape), *_bounds(begin, end, strides)]


def _grad(shape: Any, begin: Any, end: Any, strides: Any, masks: Any) -> Any:
    size = _result_shape(shape, begin, end, strides, masks)
    return lambda v: [_ints(*shape), *_bounds(begin, end, strides), v.any(*size)]


def _update(shape: Any, begin: Any, end: Any, strides: Any, masks: Any) -> Any:
    size = _result_shape(shape, begin, end, strides, masks)
    return lambda v: [v.any(*shape), *_bounds(begin, end, strides), v.any(*size)]


def _result_shape(shape: Any, begin: Any, end: Any, strides: Any, masks: Any) -> tuple[int, ...]:
    """The shape that numpy's indexing gives."""
    index: list[Any] = []
    for i, (low, high, step) in enumerate(zip(begin, end, strides, strict=True)):
        bit = {name: masks.get(name, 0) >> i & 1 for name in _MASK_NAMES}
        if bit["ellipsis"]:
            index.append(Ellipsis)
        elif bit["new_axis"]:
            index.append(None)
        elif bit["shrink_axis"]:
            index.append(low)
        else:
            index.append(slice(None if bit["begin"] else low, None if bit["end"] else high, step))
    return np.empty(shape)[tuple(index)].shape


def _bad(
    text: str, *bounds: Any, shape: tuple[int, ...] = (3, 2), when: str = "any", **masks: int
) -> Bad:
    def args(v: Values) -> list[np.ndarray]:
        return [v.any(*shape), *(np.array(b, np.int32) for b in bounds)]

    return Bad(args, text, attrs=_masks(**masks), when=when)


CASES = [
    Case(
        "Slice",
        lambda v: [v.any(4, 5), _ints(1, 2), _ints(2, -1)],
        EVERY,
        static=(1, 2),
        gradients=(0,),
        bad=(
            Bad(
                lambda v: [v.any(3, 2), _ints(0, 0), _ints(4, 1)],
                r"Expected size\[0\] in \[0, 3\], but got 4",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(4, 0), _ints(-1, 1)], "caused by subtracting 4 from 3"
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(4, 0), _ints(-1, 1)],
                r"Expected begin\[0\] in \[0, 3\], but got 4",
                when="run",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(-1, 0), _ints(1, 1)],
                r"Expected begin\[0\] in \[0, 3\], but got -1",
            ),
            Bad(lambda v: [v.any(3, 2), _ints(0), _ints(1)], "must be rank 1 but is rank 2"),
            Bad(
                lambda v: [v.any(3, 2), _ints(0), _ints(1)],
                r"size 2, but got shapes \[1\] and \[1\] instead",
                when="run",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(0, 0), _ints(-2, 1)],
                r"Expected size\[0\] in \[0, 3\], but got -2",
                when="run",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(0, 0), _ints(1, 1, 1)],
                "Dimension 0 in both shapes must be equal, but are 2 and 3",
            ),
            Bad(
                lambda v: [v.any(3, 2), _ints(2, 0), _ints(2, 1)],
                r"Expected size\[0\] in \[0, 1\], but got 2",
            ),
        ),
    ),
    Case("Slice", lambda v: [v.any(4, 5), _ints(0, 4), _ints(-1, 1)], gradients=(0,), label="fed"),
    Case(
        "Slice",
        lambda v: [v.any(4, 5), _ints(0, 4), _ints(-1, 1)],
        static=(1,),
        gradients=(0,),
        label="fed size",
    ),
    Case(
        "Slice",
        lambda v: [v.any(4, 5), _ints(0, 4), _ints(-1, 1)],
        static=(2,),
        gradients=(0,),
        label="fed begin",
    ),
    Case(
        "Slice",
        lambda v: [v.any(), _ints(), _ints()],
        ("float32", "string"),
        static=(1, 2),
        label="scalar",
    ),
    Case(
        "Slice",
        lambda v: [v.any(0, 5), _ints(0, 1), _ints(0, 2)],
        static=(1, 2),
        gradients=(0,),
        label="empty",
    ),
    *_windows(
        "StridedSlice", _read, ("float32", "float64", "string"), static=(1, 2, 3), gradients=(0,)
    ),
    Case(
        "StridedSlice",
        lambda v: [v.any(5, 4), *_bounds((1, 0), (4, 2), (1, 1))],
        EVERY,
        gradients=(0,),
        label="fed",
        attrs=_masks(),
        bad=(
            _bad("slice index 5 of dimension 0 out of bounds", (5,), (6,), (1,), shrink_axis=1),
            _bad("slice index -2 of dimension 0 out of bounds", (-5,), (6,), (1,), shrink_axis=1),
            _bad(r"strides\[0\] must be non-zero", (0,), (1,), (0,)),
            _bad(
                "Index out of range using input dim 2; input has only 2 dims",
                (0, 0, 0),
                (1, 1, 1),
                (1, 1, 1),
            ),
            _bad(
                "Dimension 0 in both shapes must be equal, but are 2 and 3",
                (0, 0),
                (1, 1, 1),
                (1, 1, 1),
            ),
            _bad(
                r"got shapes \[2\], \[3\], and \[3\] instead",
                (0, 0),
                (1, 1, 1),
                (1, 1, 1),
                when="run",
            ),
            _bad("Multiple ellipses in slice spec not allowed", (0, 0), (1, 1), (1, 1), ellipsis=3),
            _bad("only stride 1 allowed on non-range indexing", (1,), (0,), (-1,), shrink_axis=1),
            _bad("Attempting to slice scalar input", (1,), (0,), (1,), shape=()),
            _bad("must be rank 1 but is rank 0", 1, 0, 1),
        ),
    ),
    Case(
        "StridedSlice",
        lambda v: [v.any(5, 4), *_bounds((1, 0), (4, 2), (1, 1))],
        static=(3,),
        gradients=(0,),
        label="fed bounds",
        attrs=_masks(shrink_axis=2, end=1),
    ),
    Case(
        "StridedSlice",
        lambda v: [v.any(5, 4), *_bounds((1, 0), (4, 2), (2, -1))],
        static=(3,),
        label="fed ignored bounds",
        attrs=_masks(begin=3, end=3),
    ),
    Case(
        "StridedSlice",
        lambda v: [v.any(5, 4), *(b.astype(np.int64) for b in _bounds((1, 0), (4, 2), (1, 1)))],
        static=(1, 2, 3),
        gradients=(0,),
        label="int64",
    ),
    *_windows(
        "StridedSliceGrad",
        _grad,
        ("float32", "float64", "string"),
        static=(0, 1, 2, 3),
        gradients=(4,),
    ),
    Case(
        "StridedSliceGrad",
        lambda v: [_ints(5, 4), *_bounds((1, 0), (4, 2), (1, 1)), v.any(3, 2)],
        EVERY,
        gradients=(4,),
        label="fed",
        attrs=_masks(),
        bad=(
            Bad(
                lambda v: [_ints(3, 2), *_bounds((0,), (2,), (1,)), v.any(3, 2)],
                r"shape of dy was \[3,2\] instead of \[2,2\]",
            ),
        ),
    ),
    *_windows(
        "TensorStridedSliceUpdate",
        _update,
        ("float32", "float64", "string"),
        static=(1, 2, 3),
        gradients=(0, 4),
    ),
    Case(
        "TensorStridedSliceUpdate",
        lambda v: [v.any(5, 4), *_bounds((1,), (4,), (1,)), v.any(1, 4)],
        EVERY,
        gradients=(0, 4),
        label="broadcast",
        attrs=_masks(),
        bad=(
            Bad(
                lambda v: [v.any(3, 2), *_bounds((0,), (2,), (1,)), v.any(3, 2)],
                r"Cannot broadcast input shape \[3,2\] into final shape \[2,2\]",
            ),
        ),
    ),
]
