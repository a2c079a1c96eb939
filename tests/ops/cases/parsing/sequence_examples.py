"""Rows for the ops that read sequence examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case
from tests.ops.cases.parsing.messages import SEQUENCES, sequence, strings, text

STRING = ("string",)
FLOATS, INTS = np.zeros(0, np.float32), np.zeros(0, np.int64)
PARTS = ("sparse", "dense", "ragged")
KEYS = {
    "context": {"sparse": (b"v", b"t"), "dense": (b"f", b"no"), "ragged": (b"no2",)},
    "feature_list": {"sparse": (b"s", b"no3"), "dense": (b"d", b"none"), "ragged": (b"w",)},
}
ATTRS = {
    "context_sparse_types": ["int64", "string"],
    "context_dense_shapes": [[2], [1]],
    "context_ragged_value_types": ["int64"],
    "context_ragged_split_types": ["int32"],
    "feature_list_sparse_types": ["string", "int64"],
    "feature_list_dense_types": ["int64", "string"],
    "feature_list_dense_shapes": [[2], []],
    "feature_list_ragged_value_types": ["float32"],
    "feature_list_ragged_split_types": ["int64"],
}
COUNTS = {"Ncontext_sparse": 2, "Nfeature_list_sparse": 2, "Nfeature_list_dense": 2}
DEFAULTS = [FLOATS, np.int64([300])]
LACKS = np.array([False, True])


def given(serialized: Any, names: Any = None, keys: Any = KEYS, lacks: Any = LACKS) -> list[Any]:
    return [
        serialized,
        strings() if names is None else names,
        *(strings(*keys[part][kind]) for part in keys for kind in PARTS),
        lacks,
        DEFAULTS,
    ]


def flat(keys: Sequence[bytes]) -> list[np.ndarray]:
    return [text(key) for key in keys]


def alone(serialized: Any, lacks: Any = None, name: Any = None) -> list[Any]:
    return [
        serialized,
        strings(b"none") if lacks is None else lacks,
        *(flat(KEYS[part][kind]) for part in KEYS for kind in PARTS[:2]),
        DEFAULTS,
        text(b"") if name is None else name,
    ]


def without_ragged() -> Mapping[str, Any]:
    return {key: value for key, value in ATTRS.items() if "ragged" not in key}


def wrong(text: str, *messages: bytes, **options: Any) -> Bad:
    return Bad(lambda v: given(strings(*messages), **options), text, when="run")


CONTEXT = {"f": [1.5, 2.0]}
BAD = (
    wrong("Invalid protocol message input, example id: <unknown>", b"nonsense"),
    wrong(
        r"Feature: f \(data type: float\) is required but could not be found|"
        "Inconsistent max number of elements for feature f: expected 2, but found 0",
        sequence({}, d=[]),
    ),
    wrong(
        "Inconsistent max number of elements for feature f: expected 2, but found 3",
        sequence({"f": [1.0, 2.0, 3.0]}, d=[]),
    ),
    wrong(
        "Unexpected number of elements in example second",
        sequence(CONTEXT, d=[]),
        sequence({"f": [1.0]}, d=[]),
        names=strings(b"first", b"second"),
    ),
    wrong(
        "Name: <unknown>, Context feature: f.  Data types don't match. Expected type: float",
        sequence({"f": [1, 2]}, d=[]),
    ),
    wrong(
        "Name: <unknown>, Feature list 'd' is required but could not be found.  Did you mean to "
        "include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?",
        sequence(CONTEXT),
    ),
    wrong(
        r"Feature list 'd' has an unexpected number of values.  Total values size: 3 is not "
        r"consistent with output shape: \[\?,2\]",
        sequence(CONTEXT, d=[[1, 2, 3]]),
    ),
    wrong(
        r"Name: <unknown>, Key: d, Index: 1.  Number of values != expected.  values size: 4 but "
        r"output shape: \[2\]",
        sequence(CONTEXT, d=[[1, 2], [1, 2, 3, 4]]),
    ),
    wrong(
        "Name: <unknown>, Feature list: d, Index: 1.  Data types don't match. Expected type: int64",
        sequence(CONTEXT, d=[[1, 2], [0.5, 0.5]]),
    ),
    wrong("example_names must be empty or have", SEQUENCES[0], names=strings(b"a", b"b")),
    wrong(
        r"Expected len\(feature_list_dense_missing_assumed_empty to match Nfeature_list_dense",
        SEQUENCES[0],
        lacks=LACKS[:1],
    ),
    Bad(lambda v: given(strings(SEQUENCES[0])[None]), "a scalar or vector, got shape", when="run"),
)


def wrong_alone(text_: str, message: bytes, **options: Any) -> Bad:
    return Bad(lambda v: alone(text(message), **options), text_, when="run")


ALONE_BAD = (
    wrong_alone("Could not parse example input, value: 'nonsense'", b"nonsense"),
    wrong_alone(
        "Name: n, Context feature 'f' is required but could not be found.",
        sequence({}, d=[]),
        name=text(b"n"),
    ),
    wrong_alone("Feature list 'd' is required but could not be found", sequence(CONTEXT)),
    wrong_alone(
        "Context feature: f.  Data types don't match. Expected type: float  Feature is: ",
        sequence({"f": [1, 2]}, d=[]),
    ),
    wrong_alone(
        "Feature list: d, Index: 0.  Data types don't match. Expected type: int64  Feature is: ",
        sequence(CONTEXT, d=[[0.5]]),
    ),
    wrong_alone(
        r"Key: d, Index: 1.  Number of int64 values != expected.  values size: 1 but output shape: "
        r"\[2\]",
        sequence(CONTEXT, d=[[1, 2], [1]]),
    ),
)

CASES = [
    *(
        Case(
            "ParseSequenceExampleV2",
            lambda v, s=serialized: given(s),
            STRING,
            {**ATTRS, **COUNTS},
            label=label,
            bad=bad,
            outputs=looked_at,
        )
        for label, serialized, bad, looked_at in (
            ("batch", strings(*SEQUENCES), BAD, None),
            # Without a batch there are no row splits of it: TensorFlow leaves them as they are.
            ("single", text(SEQUENCES[2]), (), (*range(9), *range(10, 21), 22)),
            ("empty", strings(SEQUENCES[0]), (), None),
        )
    ),
    Case(
        "ParseSequenceExample",
        lambda v: [strings(*SEQUENCES), strings(*(b"n%d" % i for i in range(4))), DEFAULTS],
        STRING,
        {
            **without_ragged(),
            **COUNTS,
            "Ncontext_dense": 2,
            "feature_list_dense_missing_assumed_empty": ["none"],
            **{
                f"{part}_{kind}_keys": [key.decode() for key in KEYS[part][kind]]
                for part in KEYS
                for kind in PARTS[:2]
            },
        },
        bad=(Bad(lambda v: [text(b""), strings(), DEFAULTS], "must be rank 1", when="build"),),
    ),
    *(
        Case(
            "ParseSingleSequenceExample",
            lambda v, m=message: alone(text(m)),
            STRING,
            without_ragged(),
            label=label,
            # TensorFlow asks for a vector of keys that may be missing.
            bad=bad,
        )
        for label, message, bad in (
            ("some", SEQUENCES[3], ALONE_BAD),
            ("few", SEQUENCES[1], ()),
        )
    ),
]
