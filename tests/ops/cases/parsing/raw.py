"""Rows for raw bytes, CSV, compressed strings, and tensors and examples in other forms."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values
from tests.ops.cases.parsing.messages import strings, text

STRING = ("string",)
RAW = ("half", "float32", "float64", "int32", "uint16", "uint8", "int16", "int8", "int64")
ROWS = strings(b"\x01\x3f" * 8, b"\x02\x40\x00\x01" * 4)
PACKED = strings(zlib.compress(b"hello" * 100), zlib.compress(b""), b"")
ZIPPED = strings(gzip.compress(b"hello" * 100), gzip.compress(b"a") * 3, b"")
RECORDS = strings(
    b"1,2.5,a,-3,1e400",
    b" 7 ,,b c,4,-inf",
    b'"-8","0x1p3","q ""x"", y",NA,nan',
    b"\n+5,1e3,NA,99999999999,.5",
)
DEFAULTS = [
    np.zeros(0, np.int32),
    np.float32(7.5),
    strings(b"none"),
    np.int64([-9]),
    np.float64([0.25]),
]
CSV_BAD = tuple(
    Bad(lambda v, r=record, d=defaults: [strings(b"1,2", r), d], said, attrs, when="run")
    for record, said, defaults, attrs in (
        (b"1", "Expect 2 fields but have 1 in record 1", None, {}),
        (b"1,2,3", "Expect 2 fields but have 3 in record 1", None, {}),
        (b"1,", "Field 1 is required but missing in record 1!", None, {}),
        (b"1,x", "Field 1 in record 1 is not a valid int64: x", None, {}),
        (b"2147483648,1", "Field 0 in record 1 is not a valid int32: 2147483648", None, {}),
        (b"1_0,1", "Field 0 in record 1 is not a valid int32: 1_0", None, {}),
        (b'1"2,1', "Unquoted fields cannot have quotes/CRLFs inside", None, {}),
        (b"1,2\n", "Unquoted fields cannot have quotes/CRLFs inside", None, {}),
        (b'"1,2', "Quoted field has to end with quote followed by delim or end", None, {}),
        (b'1,"', "Quoted field has to end with quote followed by delim or end", None, {}),
        (b'"1""', "Quoted field has to end with quote followed by delim or end", None, {}),
        (b'"1"x,2', "Quote inside a string has to be escaped by another quote", None, {}),
        (
            b"1,2",
            "There should only be 1 default per field but field 0 has 2",
            [np.int32([1, 2]), np.int64([])],
            {},
        ),
        (
            b"1,2",
            "Each record default should be at most rank 1",
            [np.int32([[1]]), np.int64([])],
            {},
        ),
        (b"1,2", "field_delim should be only 1 char", None, {"field_delim": ",,"}),
        (b"1,2", "select_cols should match output size", None, {"select_cols": [1]}),
        (b"1,2", "select_cols should be strictly increasing", None, {"select_cols": [1, 1]}),
        (b"1,2", "select_cols should be non-negative", None, {"select_cols": [-1, 1]}),
    )
    for defaults in [defaults or [np.int32([5]), np.int64([])]]
)


def _words(v: Values) -> list[Any]:
    return [v.any(2, 3)]


CASES = [
    *(
        Case(
            "DecodeRaw",
            lambda v, r=rows: [r],
            (*RAW, "complex64", "complex128", "bfloat16"),
            {"little_endian": little},
            type_attr="out_type",
            label=f"{rows.shape}{little}",
            bad=(
                Bad(
                    lambda v: [strings(b"abcd", b"ab")],
                    "strings to all be the same size, but element 1 has size 4 != 2",
                    dtype="int16",
                ),
                Bad(
                    lambda v: [strings(b"abc")],
                    "has length 3 that is not a multiple of 2, the size of int16",
                    dtype="int16",
                ),
            ),
        )
        for rows in (ROWS, ROWS.reshape(2, 1), text(ROWS[0]), ROWS[:0])
        for little in (True, False)
    ),
    Case("DecodeRaw", lambda v: [strings(b"\0\1\1\0")], ("bool",), type_attr="out_type"),
    *(
        Case(
            "DecodePaddedRaw",
            lambda v, n=length: [strings(b"\1\2\3", b"", ROWS[1]), np.int32(n)],
            (*RAW[1:], "bfloat16"),
            {"little_endian": little},
            static=static,
            type_attr="out_type",
            label=f"{length}{little}{static}",
            bad=tuple(
                Bad(
                    lambda v, n=wrong: [strings(b"ab"), np.int32(n)],
                    said,
                    dtype="int16",
                    when="run",
                )
                for wrong, said in (
                    (0, r"fixed_length \(0\) must be greater than zero."),
                    (-2, r"fixed_length \(-2\) must be greater than zero."),
                    (3, r"fixed_length \(3\) must be a multiple of the size of out_type \(2\)"),
                    ([2], r"k must be scalar, got shape \[1\]"),
                )
            )
            if not static
            else (),
        )
        for length in (8, 24)
        for little in (True, False)
        for static in ((), (1,))
    ),
    *(
        Case(
            "DecodeCompressed",
            lambda v, p=packed: [p],
            STRING,
            {"compression_type": kind},
            label=kind,
            bad=(
                Bad(lambda v: [strings(b"nonsense")], said, when="run"),
                Bad(
                    lambda v: [strings(b"a")],
                    "Only ZLIB, ZSTD, GZIP or NONE are supported compressions",
                    {"compression_type": "zlib"},
                ),
            )
            if kind
            else (),
        )
        for kind, packed, said in (
            ("ZLIB", PACKED, r"inflate\(\) failed with error -3: incorrect header check"),
            ("GZIP", ZIPPED, r"inflate\(\) failed with error -3: incorrect header check"),
            ("", ROWS, ""),
        )
    ),
    Case(
        "DecodeCSV",
        lambda v: [RECORDS, DEFAULTS],
        STRING,
        {"na_value": "NA"},
        label="types",
    ),
    *(
        Case(
            "DecodeCSV",
            lambda v, r=records, d=defaults: [r, d],
            STRING,
            attrs,
            label=label,
            bad=bad,
        )
        for label, records, defaults, attrs, bad in (
            (
                "words",
                strings(b"a,b", b",", b"a,", b'"","x"', b'a,"1"', b'"a,b",c', b'\r\n"a\nb",c'),
                [strings(b"y"), strings(b"z")],
                {},
                (),
            ),
            (
                "no_quotes",
                strings(b'a"b|1', b'"|"'),
                [strings(), strings()],
                {
                    "use_quote_delim": False,
                    "field_delim": "|",
                },
                (),
            ),
            (
                "columns",
                strings(b'x,1,"y",2', b"x,3,,4,5,6", b',5,"",,'),
                [
                    np.int64([8]),
                    np.int64([9]),
                ],
                {"select_cols": [1, 3]},
                (),
            ),
            ("numbers", strings(b"1,2", b"3,4"), [np.int32([5]), np.int64([])], {}, CSV_BAD),
            (
                "matrix",
                strings(b"1,2", b"3,4").reshape(2, 1),
                [np.float32(0), np.float64(0)],
                {},
                (),
            ),
            ("none", strings(), [np.float32(0), strings()], {}, ()),
        )
    ),
    Case(
        "SerializeTensor",
        _words,
        (*RAW, "complex64", "bfloat16", "bool", "string", "uint64"),
        bad=(),
    ),
    Case("SerializeTensor", lambda v: [v.any()], label="scalar"),
    *(
        Case(
            "ParseTensor",
            lambda v, m=message: [text(m)],
            (kind,),
            type_attr="out_type",
            label=kind,
            bad=(
                Bad(
                    lambda v: [text(b"nonsense")],
                    "Could not parse `serialized` as TensorProto, base64: bm9uc2Vuc2U",
                ),
                Bad(
                    lambda v: [strings(b"")],
                    r"Expected `serialized` to be a scalar, got shape: \[1\]",
                ),
                Bad(
                    lambda v: [text(b"\x08\x0e\x12\x00j\x01\x00")],
                    r"Type mismatch between parsed tensor \(bfloat16\) and dtype",
                ),
            ),
        )
        for kind, message in (
            ("float32", b'\x08\x01\x12\x04\x12\x02\x08\x02"\x08\x00\x00\x80?\x00\x00\x00@'),
            ("string", b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bc"),
            ("int64", b"\x08\t\x12\x06\x12\x00\x12\x02\x08\x02"),
            ("bool", b'\x08\n\x12\x04\x12\x02\x08\x01"\x01\x01'),
        )
    ),
]
