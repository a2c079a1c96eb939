"""Each assertion about arrays holds and fails where TensorFlow's does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf

_A = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
_NAN = np.array([1.0, np.nan], np.float32)

_CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("assertAllClose", (_A, _A + 1e-7), {}),
    ("assertAllClose", (_A, _A + 1e-3), {}),
    ("assertAllClose", (_A, _A + 1e-3), {"rtol": 0.0, "atol": 1e-2}),
    ("assertAllClose", (_A, _A * 1.01), {"rtol": 0.1}),
    ("assertAllClose", (_A, _A[0]), {}),
    ("assertAllClose", (_NAN, _NAN), {}),
    ("assertAllClose", ({"a": _A, "b": [1, 2]}, {"a": _A, "b": [1, 2]}), {}),
    ("assertAllClose", ({"a": _A}, {"b": _A}), {}),
    ("assertAllClose", ([_A, _A], [_A, _A + 1]), {}),
    ("assertNotAllClose", (_A, _A), {}),
    ("assertNotAllClose", (_A, _A + 1), {}),
    ("assertAllCloseAccordingToType", (_A, _A + 1e-4), {}),
    ("assertAllCloseAccordingToType", (_A, (_A + 1e-3).astype(np.float16)), {}),
    ("assertAllCloseAccordingToType", (_A.astype(np.float64), _A + 1e-4), {}),
    ("assertAllEqual", (_A, _A), {}),
    ("assertAllEqual", (_A, _A + 1), {}),
    ("assertAllEqual", (_A, _A[0]), {}),
    ("assertAllEqual", (_NAN, _NAN), {}),
    ("assertAllEqual", ([b"a", b"b"], ["a", "b"]), {}),
    ("assertAllEqual", ([b"a", b"b"], ["a", "c"]), {}),
    ("assertNotAllEqual", (_A, _A), {}),
    ("assertAllInRange", (np.array([1 + 2j]), 0.0, 1.0), {}),
    ("assertAllInRange", (np.array([False, True]), 0, 1), {}),
    ("assertAllInRange", (np.array([b"a"]), 0.0, 1.0), {}),
    ("assertNotAllEqual", (_A, _A + 1), {}),
    *[
        (f"assertAll{name}", (_A, bound), {})
        for name in ("Greater", "GreaterEqual", "Less", "LessEqual")
        for bound in (0, 1, 2, 4, 5)
    ],
    ("assertAllInRange", (_A, 1, 4), {}),
    ("assertAllInRange", (_A, 2, 4), {}),
    ("assertAllInRange", (_A, 1, 3), {}),
    ("assertAllInRange", (_A, 1, 4), {"open_lower_bound": True}),
    ("assertAllInRange", (_A, 1, 4), {"open_upper_bound": True}),
    ("assertAllInRange", (_A, 0, 5), {"open_lower_bound": True, "open_upper_bound": True}),
    ("assertAllInSet", (_A, {1, 2, 3, 4}), {}),
    ("assertAllInSet", (_A, {1, 2, 3}), {}),
    ("assertNear", (1.0, 1.5, 0.5), {}),
    ("assertNear", (1.0, 1.5, 0.4), {}),
    ("assertNear", (1.0, 1.0, 0.0), {}),
    ("assertNear", (np.inf, np.inf, 0.0), {}),
    ("assertArrayNear", ([1.0, 2.0], [1.5, 2.0], 0.5), {}),
    ("assertArrayNear", ([1.0, 2.0], [1.5, 2.0], 0.4), {}),
    ("assertArrayNear", ([1.0, 2.0], [1.0], 0.4), {}),
    ("assertNDArrayNear", (_A, _A + 1, 2.1), {}),
    ("assertNDArrayNear", (_A, _A + 1, 2.0), {}),
    ("assertShapeEqual", (_A, _A + 1), {}),
    ("assertShapeEqual", (_A, _A[0]), {}),
    ("assertDTypeEqual", (_A, np.float32), {}),
    ("assertDTypeEqual", (_A, np.float64), {}),
]


def _fails(library: Any, name: str, args: Any, kwargs: Any) -> bool:
    class Suite(library.test.TestCase):  # type: ignore[misc]
        def runTest(self) -> None:
            with self.session(graph=library.Graph()):
                getattr(self, name)(*args, **kwargs)

    result = Suite().defaultTestResult()
    Suite().run(result)
    assert not result.errors, result.errors
    return bool(result.failures)


@pytest.mark.parametrize(
    ("name", "args", "kwargs"), _CALLS, ids=[f"{n}-{i}" for i, (n, _, _) in enumerate(_CALLS)]
)
def test_holds_or_fails(name: str, args: Any, kwargs: Any) -> None:
    assert _fails(tf, name, args, kwargs) == _fails(oracle, name, args, kwargs)


def test_each_assertion_both_holds_and_fails() -> None:
    found = {(name, _fails(tf, name, args, kwargs)) for name, args, kwargs in _CALLS}
    assert found == {(name, fails) for name, _, _ in _CALLS for fails in (False, True)}


def test_sequences_whose_parts_have_different_lengths() -> None:
    """numpy makes no arrays of them any more."""
    case = tf.test.TestCase()
    case.assertAllEqual((np.array([b"a"]), b"b"), [[b"a"], b"b"])
    case.assertAllEqual([np.array([1]), np.array([2, 3])], [[1], [2, 3]])
    for other in ([[1], [2, 4]], [[1, 2], [3]], [[1], [2, 3], []]):
        with pytest.raises(AssertionError):
            case.assertAllEqual([np.array([1]), np.array([2, 3])], other)
