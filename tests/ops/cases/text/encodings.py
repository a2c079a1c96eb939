"""Rows for strings in other encodings, and joined by segment."""

from __future__ import annotations

import numpy as np

from tests.ops.case import Bad, Case

STRING = ("string",)


def words(*items: bytes) -> np.ndarray:
    made = np.empty(len(items), object)
    made[:] = items
    return made


BYTES = words(
    b"abc",
    "gr\u00fc\u00dfe\u20ac\U0001f600".encode(),
    b"\xff\xfea",
    b"a\xe2\x82b",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98",
    b"\xc0\xafx",
    b"\x01\x1f\n\x7f\x80\x00",
    b"",
    b"\xf8\x88\x80\x80\x80",
    b"\xe2(\xa1",
    b"\xef\xbb\xbfhi",
    "\ufffd\x85\xa0".encode(),
    b"\xf4\x90\x80\x80",
    b"\xd8\x3d\xde\x00\xd8\x3d",
)
GOOD = words(b"abc", "\ufffdgr\u00fc\u00df".encode(), b"")
MATRIX = words(b"a", b"b", b"c", b"", b"e", b"f").reshape(3, 2)
POINTS = np.int32([97, 0xFC, 0x1F600, 0xD800, 0xFFFE, 0x110000, -1, 0xFDD0, 0x41])
ENCODE_BAD = (
    *(
        Bad(lambda v, s=splits: [POINTS, np.array(s, v.dtype)], text, when="run")
        for splits, text in (
            ([0, 2], "Last value in input_splits must be equal to length of input_tensor"),
            ([0, 5, 3, 9], "Values in input_splits must be equal or in ascending order"),
            ([1, 9], "First value in input_splits must be zero"),
            ([], "Input_splits should contain elements, but given input_values has 0 elements"),
            ([[0, 9]], "Both the input_tensor and input_splits should be of rank 1"),
        )
    ),
    Bad(
        lambda v: [POINTS, np.array([0, 9], v.dtype)],
        "Code point is out of range for Unicode, or is a surrogate",
        {"output_encoding": "UTF-8", "errors": "strict"},
        when="run",
    ),
)
JOIN_BAD = tuple(
    Bad(lambda v, i=ids, n=count: [MATRIX, np.int32(i), np.int32(n)], text, when="run")
    for ids, count, text in (
        ([0, -1, 0], 1, "segment_ids are not allowed to exceed num_segments or to have negative"),
        ([0, 5, 0], 2, "segment_ids are not allowed to exceed num_segments or to have negative"),
        ([0, 1], 2, "Segment dimension is 2 while input dimension is 2 in rank 0"),
        ([0, 1, 0], -1, "Number of segments must be non-negative but got -1"),
        ([0, 1, 0], [2], "Number of segments must be a scalar"),
        (0, 1, "Segment_id cannot have rank 0"),
        ([[[0]]], 1, r"Invalid segment_id rank 3 for input with 2 dimension\(s\)"),
    )
)

CASES = [
    *(
        Case(
            "UnicodeEncode",
            lambda v, s=splits: [POINTS, np.array(s, v.dtype)],
            ("int32", "int64"),
            {"output_encoding": target, "errors": errors, "replacement_char": 0x21},
            label=f"{target}{errors}",
            bad=ENCODE_BAD if target == "UTF-8" else (),
        )
        for splits, target, errors in (
            ([0, 2, 2, 9], "UTF-8", "replace"),
            ([0, 9], "UTF-16-BE", "ignore"),
            ([0, 0, 9], "UTF-32-BE", "replace"),
        )
    ),
    *(
        Case(
            op,
            lambda v, b=data: [b],
            STRING,
            {"input_encoding": source, **options},
            label=f"{source}{sorted(options.items())}{data.shape}",
        )
        for op in ("UnicodeDecode", "UnicodeDecodeWithOffsets")
        for data, source, options in (
            (BYTES, "UTF-8", {}),
            (BYTES, "UTF-8", {"errors": "ignore", "replace_control_characters": True}),
            (BYTES.reshape(3, 5), "UTF-8", {"replacement_char": 33}),
            (GOOD, "UTF-8", {"errors": "strict"}),
            (GOOD[:0], "UTF-8", {}),
            (BYTES, "UTF-16-BE", {}),
            (BYTES, "ISO-8859-1", {}),
        )
    ),
    *(
        Case(
            "UnicodeTranscode",
            lambda v, b=data: [b],
            STRING,
            {"input_encoding": source, "output_encoding": target, **options},
            label=f"{source}{target}{sorted(options.items())}",
            bad=(
                Bad(
                    lambda v: [words(b"a\xff")],
                    "Invalid formatting on input string",
                    {"input_encoding": "UTF-8", "output_encoding": "UTF-8", "errors": "strict"},
                ),
                Bad(
                    lambda v: [words(b"a")],
                    "Could not create converter for input encoding: nonsense",
                    {"input_encoding": "nonsense", "output_encoding": "UTF-8"},
                ),
                Bad(
                    lambda v: [words(b"a")],
                    "replacement_char out of unicode codepoint range",
                    {
                        "input_encoding": "UTF-8",
                        "output_encoding": "UTF-8",
                        "replacement_char": 0x110000,
                    },
                ),
            )
            if source == "utf8"
            else (),
        )
        for data, source, target, options in (
            (BYTES, "UTF-8", "UTF-8", {}),
            (BYTES.reshape(3, 5), "utf8", "UTF-16-BE", {"errors": "ignore"}),
            (BYTES, "UTF-8", "UTF-32-BE", {"replacement_char": 0x20AC}),
            (BYTES, "UTF-8", "UTF-8", {"replacement_char": 0xD800}),
            (BYTES, "UTF-8", "UTF-8", {"replace_control_characters": True}),
            (BYTES, "UTF-8", "UTF-8", {"replace_control_characters": True, "errors": "ignore"}),
            (GOOD, "UTF-8", "UTF-8", {"errors": "strict"}),
            (BYTES, "UTF-16-BE", "UTF-8", {}),
            (BYTES, "UTF-16-LE", "UTF-8", {"errors": "ignore"}),
            (BYTES[:2], "UTF-16", "UTF-8", {}),
            (BYTES, "ISO-8859-1", "UTF-8", {}),
            (BYTES, "US-ASCII", "UTF-8", {}),
        )
    ),
    *(
        Case(
            "UnsortedSegmentJoin",
            lambda v, i=ids, n=count: [MATRIX, np.int32(i), np.int32(n)],
            STRING,
            {"separator": separator},
            static=static,
            label=f"{ids}{count}",
            bad=() if static else JOIN_BAD,
        )
        for ids, count, separator, static in (
            ([0, 1, 0], 2, "-", ()),
            ([2, 1, 1], 3, "", (2,)),
            ([[0, 1], [1, 0], [2, 2]], 4, ", ", ()),
        )
    ),
]
