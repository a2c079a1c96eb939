"""DType against TensorFlow's: every type, every property, every spelling `as_dtype` accepts."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import dtypes as tf_dtypes

from dataflow.values import dtypes
from tests.checks import make_all

NUMBERS = sorted(tf_dtypes._INTERN_TABLE)
PROPERTIES = (
    "name",
    "size",
    "as_datatype_enum",
    "as_numpy_dtype",
    "is_bool",
    "is_complex",
    "is_floating",
    "is_integer",
    "is_numeric",
    "is_numpy_compatible",
    "is_quantized",
    "is_unsigned",
    "_is_ref_dtype",
    "min",
    "max",
    "limits",
)


def outcome(function: Any, *args: Any) -> tuple[str, Any]:
    try:
        return "value", function(*args)
    except Exception as error:
        text = "" if isinstance(error, KeyError) else str(error)
        return type(error).__name__, text


@pytest.mark.parametrize("number", NUMBERS)
def test_every_property_is_tensorflows(number: int) -> None:
    ours, theirs = dtypes.as_dtype(number), tf_dtypes.as_dtype(number)
    for name in PROPERTIES:
        assert outcome(getattr, ours, name) == outcome(getattr, theirs, name), name
    for name in ("base_dtype", "real_dtype", "_as_ref"):
        assert getattr(ours, name).name == getattr(theirs, name).name, name
    assert str(ours) == str(theirs)
    assert repr(ours) == repr(theirs)
    assert hash(ours) == hash(theirs)


def test_no_type_is_missing_or_extra() -> None:
    assert sorted(dtypes._INTERNED) == NUMBERS
    for name in dir(tf.dtypes):
        if isinstance(getattr(tf.dtypes, name), tf.DType):
            assert getattr(dtypes, name).name == getattr(tf.dtypes, name).name
    assert {t.name for t in dtypes.QUANTIZED_DTYPES} == {t.name for t in tf.dtypes.QUANTIZED_DTYPES}


SPELLINGS = [
    *NUMBERS,
    *tf_dtypes._STRING_TO_TF,
    *tf_dtypes._NP_TO_TF,
    *(np.dtype(code) for code in "?bBhHiIlLqQefdFDSUO"),
    *(np.dtype(code) for code in (">f4", ">i8", "S3", "U7", "V3", "M8[s]", "g")),
    *(int, float, bool, str, bytes, object, complex, type, np.number, np.void, np.longdouble),
    *("foo", "int", "str", "", None, [], {}, 0, -1, 100, 999, 1.0, 1.5, True),
    *(np.array([1]), np.float32(1), np.array(["a"]), np.zeros(2, ml_dtypes.bfloat16)),
]


def test_as_dtype_accepts_and_refuses_what_tensorflow_does() -> None:
    make_all((repr(spelling), partial(_assert_same_dtype, spelling)) for spelling in SPELLINGS)


def _assert_same_dtype(spelling: Any) -> None:
    ours, theirs = outcome(dtypes.as_dtype, spelling), outcome(tf_dtypes.as_dtype, spelling)
    assert ours[0] == theirs[0]
    if ours[0] == "value":
        assert ours[1].name == theirs[1].name
    else:
        assert ours[1] == theirs[1]


@pytest.mark.parametrize("number", [*NUMBERS, 0, 999, -1, "x", 1.5])
def test_constructor_returns_the_interned_object(number: Any) -> None:
    ours, theirs = outcome(dtypes.DType, number), outcome(tf.DType, number)
    assert ours[0] == theirs[0]
    if ours[0] == "value":
        assert ours[1] is dtypes.as_dtype(int(number))
    else:
        assert ours[1] == theirs[1]


def test_equality_and_compatibility_over_all_pairs() -> None:
    for a in NUMBERS:
        for b in NUMBERS:
            ours = dtypes.as_dtype(a), dtypes.as_dtype(b)
            theirs = tf_dtypes.as_dtype(a), tf_dtypes.as_dtype(b)
            assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
            assert ours[0].is_compatible_with(ours[1]) == theirs[0].is_compatible_with(theirs[1])


def test_equality_with_other_spellings() -> None:
    for other in ("float", 1, np.float32, np.dtype("f4"), "foo", None, "float32_ref", 1.0, []):
        assert (dtypes.float32 == other) == (tf.float32 == other)
        assert (dtypes.float32 != other) == (tf.float32 != other)


def test_copies_are_the_same_object() -> None:
    for number in NUMBERS:
        dtype = dtypes.as_dtype(number)
        assert pickle.loads(pickle.dumps(dtype)) is dtype  # noqa: S301
        assert copy.deepcopy(dtype) is dtype


def test_immutable() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        dtypes.float32.name = "other"
    with pytest.raises(AttributeError, match="immutable"):
        del dtypes.float32.size


def test_types_without_numpy_type_say_so() -> None:
    with pytest.raises(KeyError, match="resource has no numpy type"):
        _ = dtypes.resource.as_numpy_dtype
