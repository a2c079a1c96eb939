"""Rows for strings: pieces, parts, case, patterns, numbers, hashes, base64."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import FLOATS, Bad, Case, Values

STRING = ("string",)
WORDS = ("a b  c", " x,y;;z\t", "", "one", "grüße äÄ ", "aXbXXc")
NUMBERS = ("int8", "int32", "int64", "uint8", "uint64", "bool", *FLOATS)


def _words(*shape: int) -> np.ndarray:
    made = np.empty(len(WORDS), object)
    made[:] = [word.encode() for word in WORDS]
    return made.reshape(shape or (6,))


def _text(value: str | bytes) -> np.ndarray:
    return np.array(value.encode() if isinstance(value, str) else value, object)


def _each_length(v: Values) -> list[Any]:
    made = np.empty(150, object)
    made[:] = [bytes((7 * i + length) % 256 for i in range(length)) for length in range(150)]
    return [made]


CASES = [
    *(
        Case(
            "StringSplit",
            lambda v, d=delimiter: [_words(), _text(d)],
            STRING,
            {"skip_empty": skips},
            label=f"{delimiter!r}{skips}",
        )
        for delimiter in (" ", "", ",;X")
        for skips in (True, False)
    ),
    *(
        Case(
            "StringSplitV2",
            lambda v, s=sep: [_words(), _text(s)],
            STRING,
            {"maxsplit": limit},
            label=f"{sep!r}{limit}",
            bad=(Bad(lambda v: [_words(2, 3), _text("")], "must be a vector|rank 1"),),
        )
        for sep in ("", "XX", "b")
        for limit in (-1, 1)
    ),
    *(
        Case(
            "ReduceJoin",
            lambda v, a=axes: [_words(3, 2), np.array(a, np.int32)],
            STRING,
            {"keep_dims": keeps, "separator": "-"},
            static=(1,),
            label=f"{axes}{keeps}",
            bad=(Bad(lambda v: [_words(3, 2), np.array([2], np.int32)], "reduction dimension 2"),),
        )
        for axes in (0, [1], [-1, 0], [0, 1], [])
        for keeps in (True, False)
    ),
    *(
        Case(
            "Substr",
            lambda v, p=pos: [
                np.array([b"hello", "grüße".encode()], object),
                np.array(p, np.int32),
                np.full(np.shape(p), 3, np.int32),
            ],
            STRING,
            {"unit": unit},
            label=f"{pos}{unit}",
            bad=(
                Bad(
                    lambda v: [_text("abc"), np.array(9, np.int32), np.array(1, np.int32)],
                    "pos 9 out of range for string.* at index ",
                ),
                Bad(
                    lambda v: [
                        _words(3, 2),
                        np.array([[0], [99], [0]], np.int32),
                        np.ones((3, 1), np.int32),
                    ],
                    r"pos 99 out of range for string b'.*' at index \(1, 0\)"
                    if unit == "BYTE"
                    else "pos 99 out of range for string at index 1",
                ),
            ),
        )
        for pos in (1, -2, [0, -5])
        for unit in ("BYTE", "UTF8_CHAR")
    ),
    *(
        Case(
            "Substr",
            lambda v: [_text("hello"), np.array(1, np.int32), np.array(-2, np.int32)],
            STRING,
            {"unit": unit},
            label=f"negative length {unit}",
        )
        for unit in ("BYTE", "UTF8_CHAR")
    ),
    *(
        Case("StringLength", lambda v: [_words(2, 3)], STRING, {"unit": unit}, label=unit)
        for unit in ("BYTE", "UTF8_CHAR")
    ),
    Case("StringStrip", lambda v: [_words(2, 3)], STRING),
    *(
        Case(op, lambda v: [_words(2, 3)], STRING, {"encoding": encoding}, label=encoding)
        for op in ("StringLower", "StringUpper")
        for encoding in ("", "utf-8")
    ),
    *(
        Case("EncodeBase64", lambda v: [v.any(2, 3)], STRING, {"pad": pad}, label=str(pad))
        for pad in (True, False)
    ),
    Case(
        "DecodeBase64",
        lambda v: [np.array([b"YQ", b"YQ==", b"", b"__-_", b"Z3I"], object)],
        STRING,
        bad=tuple(
            Bad(lambda v, t=text: [_text(t)], "ase64")
            for text in ("a+b/", "YWJjZ", "YWJjZ*", "YW=")
        ),
    ),
    *(
        Case(
            "RegexReplace",
            lambda v, p=pattern, r=rewrite: [_words(2, 3), _text(p), _text(r)],
            STRING,
            {"replace_global": everywhere},
            label=f"{pattern}{everywhere}",
            bad=(Bad(lambda v: [_words(), _text("a("), _text("")], "Invalid pattern"),),
        )
        for pattern, rewrite in (
            ("X*", "-"),
            ("([a-z])(.)", r"\2\0\\"),
            ("ü|ß", ""),
            ("(?i)ä", "e"),
            ("(a)", r"\2"),
            ("[a-e]", r"<\q>"),
            ("b", "a\\"),
        )
        for everywhere in (True, False)
    ),
    Case(
        "StaticRegexReplace",
        lambda v: [_words(2, 3)],
        STRING,
        {"pattern": r"\pL+", "rewrite": "w", "replace_global": True},
    ),
    Case("RegexFullMatch", lambda v: [_words(2, 3), _text("[a-z]*")], STRING),
    Case("StaticRegexFullMatch", lambda v: [_words(2, 3)], STRING, {"pattern": "gr..e .+"}),
    *(
        Case(
            "StringToNumber",
            lambda v, t=texts: [np.array(t, object)],
            (kind,),
            type_attr="out_type",
            label=texts[0].decode(),
            bad=tuple(
                Bad(lambda v, t=text: [_text(t)], "could not correctly convert string")
                for text in ("1_0", "x", "", "99999999999999999999x", "0x", "0x1.2.3")
            ),
        )
        for kinds, texts in (
            (("float32", "float64"), [b"1.5", b" -2e3 ", b".25", b"nan", b"-inf", b"3."]),
            (
                ("float32", "float64"),
                [b"0xF", b" -0x1.8p3 ", b"0X1p-200", b"nan(7)", b"-0x1p9999", b"0x.8"],
            ),
            (("int32", "int64"), [b"12", b" -7 ", b"0"]),
        )
        for kind in kinds
    ),
    Case("AsString", lambda v: [v.any(2, 3)], (*NUMBERS, "complex64", "string")),
    *(
        Case("AsString", lambda v: [v.any(2, 3)], ("float32", "float64"), attrs, label=str(attrs))
        for attrs in (
            {"precision": 2, "width": 8, "fill": "0"},
            {"scientific": True},
            {"shortest": True, "width": 12},
        )
    ),
    *(
        Case(
            "AsString", lambda v: [v.any(2, 3)], (*NUMBERS[:-3], "string"), attrs, label=str(attrs)
        )
        for attrs in ({"width": 5, "fill": "+"}, {"fill": " "}, {"width": 9, "fill": "0"})
    ),
    Case(
        "AsString",
        lambda v: [np.array([np.inf, -np.inf, np.nan, 1.5], v.dtype)],
        ("float32", "float64", "complex64"),
        {"width": 7, "fill": "0", "precision": 1},
        label="no digits",
    ),
    Case("AsString", lambda v: [_words()], STRING, {"width": 5, "precision": 2}, label="cut"),
    *(
        Case(
            "AsString",
            lambda v: [np.array([1], np.int32)],
            ("int32",),
            attrs,
            bad=(Bad(lambda v: [np.array([1], np.int32)], text, {**attrs, **wrong}),),
            label=text,
        )
        for attrs, wrong, text in (
            ({}, {"scientific": True, "precision": 2}, "scientific and shortest format not supp"),
            ({}, {"precision": 2}, "precision not supported for datatype int32"),
            ({}, {"fill": "ab"}, "must be one or fewer characters"),
            ({}, {"fill": "x"}, 'Fill argument not supported: "x"'),
        )
    ),
    *(
        Case(op, _each_length, STRING, {"num_buckets": 1 << 62, **attrs})
        for op, attrs in (
            ("StringToHashBucket", {}),
            ("StringToHashBucketFast", {}),
            ("StringToHashBucketStrong", {"key": [7, -3]}),
        )
    ),
]
