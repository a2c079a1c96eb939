"""Rows for the ops that read examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case
from tests.ops.cases.parsing.messages import EXAMPLES, example, strings, text

STRING = ("string",)
UNPACKED = (
    b"\n\x17\n\x15\n\x01f\x12\x10\x12\x0e\r\x00\x00\xc0?\r\x00\x00\x00@\r\x00\x00",
    b"\n\x0b\n\t\n\x01i\x12\x04\x1a\x02\x08\x01",
)
"""The second one has integers with a tag each; the first one is cut off."""


def given(
    serialized: Any,
    dense: Sequence[tuple[bytes, np.ndarray]] = (),
    sparse: Sequence[bytes] = (),
    ragged: Sequence[bytes] = (),
    names: Any = None,
) -> list[Any]:
    return [
        serialized,
        strings() if names is None else names,
        strings(*sparse),
        strings(*(key for key, _ in dense)),
        strings(*ragged),
        [default for _, default in dense],
    ]


def attrs(
    dense: Sequence[tuple[str, Any]] = (),
    sparse: Sequence[str] = (),
    ragged: Sequence[tuple[str, str]] = (),
) -> Mapping[str, Any]:
    return {
        "num_sparse": len(sparse),
        "sparse_types": list(sparse),
        "ragged_value_types": [kind for kind, _ in ragged],
        "ragged_split_types": [splits for _, splits in ragged],
        "dense_shapes": [shape for _, shape in dense],
    }


FLOATS, INTS, WORDS = np.zeros(0, np.float32), np.zeros(0, np.int64), strings()
FULL = (
    [(b"f", FLOATS), (b"i", INTS), (b"s", WORDS), (b"w", np.float32(-1)), (b"v", np.int64(9))],
    [("float32", [3]), ("int64", [2]), ("string", []), ("float32", [None, 2]), ("int64", [None])],
)
ABSENT = (
    [
        (b"no", np.float32([1, 2])),
        (b"none", np.int64([[300], [-1]])),
        (b"not", strings(b"d")),
        (b"nil", text(b"pad")),
    ],
    [("float32", [2]), ("int64", [2, 1]), ("string", [1]), ("string", [None, 3])],
)
LISTS = ((b"v", b"w", b"t", b"no"), ("int64", "float32", "string", "int64"))
RAGGED = (
    (b"v", b"t", b"no"),
    (("int64", "int32"), ("string", "int64"), ("float32", "int32")),
)
TWO = [(b"f", FLOATS)], [("float32", [3])]


def wrong(text: str, serialized: Any, dense: Any, names: Any = None) -> Bad:
    return Bad(
        lambda v: given(serialized, dense[0], names=names), text, attrs(dense[1]), when="run"
    )


def wrong_sparse(text: str, serialized: Any, kind: str) -> Bad:
    return Bad(lambda v: given(serialized, sparse=(b"i",)), text, attrs(sparse=(kind,)), when="run")


NAMED = strings(b"first", b"second")
GOOD, BAD = example(f=[1.0, 2.0, 3.0]), example(f=[1.0, 2.0])
BATCH_BAD = (
    wrong("Could not parse example input, value: ", strings(GOOD, b"nonsense"), TWO),
    wrong("Could not parse example input, value: ", strings(UNPACKED[0][:9]), TWO),
    wrong(
        r"Name: second, Key: f, Index: 1.  Number of float values != expected.  Values size: 2 but "
        r"output shape: \[3\]",
        strings(GOOD, BAD),
        TWO,
        NAMED,
    ),
    wrong(
        r"Name: <unknown>, Feature: f \(data type: float\) is required but could not be found.",
        strings(GOOD, example(g=[1])),
        TWO,
    ),
    wrong(
        "Name: <unknown>, Key: f, Index: 0.  Data types don't match. Data type: int64 but expected "
        "type: float",
        strings(example(f=[1])),
        TWO,
    ),
    wrong(
        "Key: f, Index: 0.  Can't parse serialized Example.",
        strings(b"\n\x0d\n\x0b\n\x01f\x12\x06\x1a\x04\n\x02\x01\x80"),
        ([(b"f", INTS)], [("int64", [2])]),
    ),
    wrong(
        "Number of int64 values != expected.  Values size: 3 but output shape: ",
        strings(example(f=[1, 2, 300])),
        ([(b"f", INTS)], [("int64", [2])]),
    ),
    wrong(
        "Number of bytes values != expected.  Values size: 1 but output shape: ",
        strings(example(f=[b"a"])),
        ([(b"f", WORDS)], [("string", [2])]),
    ),
    wrong(
        "Key: f, Index: 0.  Can't parse serialized Example.",
        strings(example(f=[b"a"] * 3)),
        ([(b"f", WORDS)], [("string", [2])]),
    ),
    wrong(
        r"Number of float values is not a multiple of stride length. Saw 3 values but output shape "
        r"is: \[\?,2\]",
        strings(GOOD),
        ([(b"f", np.float32(0))], [("float32", [None, 2])]),
    ),
    wrong("Unsupported datatype.", strings(b"\n\t\n\x07\n\x01f\x12\x02\x22\x00"), TWO),
    wrong(
        "Expected names have the same shape as serialized: name.shape=.2., serialized.shape=.1.",
        strings(GOOD),
        TWO,
        NAMED,
    ),
    wrong(
        "Expected serialized to be a scalar or vector, got shape: .1,1.", strings(GOOD)[None], TWO
    ),
    wrong(
        r"def_value\[0\].shape\(\) == \[2\] is not compatible with dense_shapes_\[0\] == \[3\]",
        strings(GOOD),
        ([(b"f", np.float32([1, 2]))], TWO[1]),
    ),
    wrong(
        r"dense_shape\[0\] is a variable length shape: \[\?\], therefore def_value\[0\] must "
        r"contain a single element",
        strings(GOOD),
        ([(b"f", np.float32([1, 2]))], [("float32", [None])]),
    ),
    wrong_sparse(
        "Data types don't match. Expected type: float, Actual type: int64",
        strings(*EXAMPLES),
        "float32",
    ),
)
SINGLE_BAD = (
    wrong("Could not parse example input, value: 'nonsense'", text(b"nonsense"), TWO),
    wrong(
        "Key: f.  Can't parse serialized Example: Some float_list slice was not parsed.",
        text(BAD),
        TWO,
    ),
    wrong(
        r"Feature: f \(data type: float\) is required but could not be found.",
        text(example(g=[1])),
        TWO,
    ),
    wrong(
        "Key: f.  Data types don't match. Data type: int64 but expected type: float",
        text(example(f=[1])),
        TWO,
    ),
    wrong(
        "Key: f.  Can't parse serialized Example: Parsing bytes_list failed.",
        text(example(f=[b"a"] * 3)),
        ([(b"f", WORDS)], [("string", [2])]),
    ),
    wrong(
        "number of elements should be divisible by 2, found 3 instead",
        text(GOOD),
        ([(b"f", np.float32(0))], [("float32", [None, 2])]),
    ),
    wrong("Unsupported datatype.", text(b"\n\t\n\x07\n\x01f\x12\x02\x22\x00"), TWO),
    wrong_sparse(
        "Key: i.  Data types don't match. Expected type: string, Actual type: int64",
        text(EXAMPLES[1]),
        "string",
    ),
)

CASES = [
    *(
        Case(
            "ParseExampleV2",
            lambda v, s=serialized, f=fixed, k=lists, r=ragged: given(s, f[0], k[0], r[0]),
            STRING,
            attrs(fixed[1], lists[1], ragged[1]),
            label=label,
            bad=bad,
        )
        for label, serialized, fixed, lists, ragged, bad in (
            ("batch", strings(*EXAMPLES), FULL, ((b"t",), ("string",)), ((), ()), BATCH_BAD),
            ("single", text(EXAMPLES[2]), FULL, ((b"t",), ("string",)), ((), ()), SINGLE_BAD),
            (
                "none",
                strings(),
                FULL,
                ((b"t",), ("string",)),
                ((b"no",), (("int64", "int32"),)),
                (),
            ),
            ("absent", strings(*EXAMPLES[:2]), ABSENT, ((), ()), ((), ()), ()),
            ("absent_single", text(EXAMPLES[2]), ABSENT, ((), ()), ((), ()), ()),
            ("lists", strings(*EXAMPLES), ((), ()), LISTS, ((), ()), ()),
            ("lists_single", text(EXAMPLES[3]), ((), ()), LISTS, ((), ()), ()),
            ("ragged", strings(*EXAMPLES), ((), ()), ((), ()), RAGGED, ()),
            ("ragged_single", text(EXAMPLES[3]), ((), ()), ((), ()), RAGGED, ()),
            (
                "unpacked",
                strings(
                    UNPACKED[1], UNPACKED[1] * 2, b"", b"\x12\x02ab" + UNPACKED[1] + b"\x20\x05"
                ),
                ((), ()),
                ((b"i", b"f"), ("int64", "float32")),
                ((), ()),
                (),
            ),
        )
    ),
    Case(
        "ParseExample",
        lambda v: [
            strings(*EXAMPLES),
            strings(*(b"abcd"[i : i + 1] for i in range(4))),
            [text(b"v"), text(b"t")],
            [text(b"f"), text(b"w")],
            [FLOATS, np.float32(-1)],
        ],
        STRING,
        {"sparse_types": ["int64", "string"], "dense_shapes": [[3], [None, 2]]},
        bad=(
            Bad(
                lambda v: [text(GOOD), strings(), [], [text(b"f")], [FLOATS]],
                r"Expected serialized to be a vector, got shape: \[\]|must be rank 1",
                {"sparse_types": [], "dense_shapes": [[3]]},
            ),
            Bad(
                lambda v: [strings(BAD), strings(), [], [text(b"f")], [FLOATS]],
                "Values size: 2 but output shape",
                {"sparse_types": [], "dense_shapes": [[3]]},
                when="run",
            ),
        ),
    ),
    Case(
        "ParseSingleExample",
        lambda v: [text(EXAMPLES[2]), [FLOATS, np.float32(-1)]],
        STRING,
        {
            "num_sparse": 2,
            "sparse_keys": ["v", "no"],
            "sparse_types": ["int64", "string"],
            "dense_keys": ["f", "w"],
            "dense_shapes": [[3], [None, 2]],
        },
        bad=(
            Bad(
                lambda v: [strings(EXAMPLES[2]), [FLOATS, np.float32(-1)]],
                r"Expected serialized to be a scalar, got shape: \[1\]|must be rank 0",
            ),
        ),
    ),
]
