"""Rows for axes and sizes carried from one data format to another."""

from __future__ import annotations

import numpy as np

from tests.ops.case import Bad, Case

TYPES = ("int32", "int64")
PAIRS = (("NHWC", "NCHW"), ("NCHW", "NHWC"), ("NCDHW", "NDHWC"), ("HWNC", "NHWC"))

CASES = [
    *(
        Case(
            "DataFormatDimMap",
            lambda v: [np.array([[0, 1, -1], [3, 2, -4]], v.dtype)],
            TYPES,
            attrs={"src_format": source, "dst_format": wanted},
            label=source,
            bad=(
                Bad(
                    lambda v: [np.array([0], v.dtype)],
                    "Destination format must be of length 4 or 5, received dst_format = NHW",
                    attrs={"dst_format": "NHW"},
                ),
                Bad(
                    lambda v: [np.array([0], v.dtype)],
                    "must determine a permutation, got NCXW and NHWC",
                    attrs={"src_format": "NCXW", "dst_format": "NHWC"},
                ),
            ),
        )
        for source, wanted in PAIRS
    ),
    *(
        Case(
            "DataFormatVecPermute",
            lambda v, f=source, n=less, s=shape: [v.any(len(f) - n, *s)],
            TYPES,
            attrs={"src_format": source, "dst_format": wanted},
            label=f"{source}{less}{shape}",
            bad=(
                Bad(
                    lambda v: [np.arange(9, dtype=v.dtype)],
                    r"1D input must be of size \d or \d, but got shape \[9\]",
                ),
                Bad(
                    lambda v: [np.ones((2, 3), v.dtype)],
                    r"2D input must be of size",
                    attrs={},
                ),
            ),
        )
        for source, wanted in PAIRS
        for less in (0, 2)
        for shape in ((), (2,))
    ),
]
