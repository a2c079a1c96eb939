"""The gradient checker's inner functions, that programs call one by one, beside TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.ops import gradient_checker as theirs

import dataflow as tf
from dataflow.porting.modules import TensorflowModule
from tests.oracle import open_session

OURS = TensorflowModule("tensorflow.python.ops.gradient_checker")
VALUE = np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2)


def _jacobians(lib: Any, checker: Any, kind: str) -> list[np.ndarray]:
    """Both Jacobians of a part of a graph, each computed for itself."""
    with lib.Graph().as_default(), open_session(lib):
        x = lib.placeholder(lib.complex64 if kind == "complex" else lib.float32, [3, 2])
        factor = lib.placeholder(lib.float32, [])
        value = VALUE + 0.5j * VALUE[::-1] if kind == "complex" else VALUE
        y = {
            "rows": lambda: factor * lib.gather(x, [2, 0, 2, 1]),
            "itself": lambda: x + 0.0,
            "complex": lambda: lib.cast(factor, x.dtype) * x * x,
        }[kind]()
        shape = y.shape.as_list()
        dx, dy = checker._compute_dx_and_dy(x, y, shape)
        assert (dy.op.type, dy.shape.as_list()) == ("Const", shape)
        feeds = {factor: 3.0}
        return [
            checker._compute_theoretical_jacobian(x, (3, 2), value, dy, shape, dx, feeds),
            checker._compute_numeric_jacobian(x, (3, 2), value, y, shape, 1e-2, feeds),
            *checker._compute_gradient(x, [3, 2], dx, y, shape, dy, value, 1e-2, feeds),
        ]


@pytest.mark.parametrize("kind", ["rows", "itself", "complex"])
def test_jacobians_one_by_one(kind: str) -> None:
    ours, expected = _jacobians(tf, OURS, kind), _jacobians(oracle, theirs, kind)
    assert [each.dtype for each in ours] == [each.dtype for each in expected]
    for one, other in zip(ours, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("lib", [tf, oracle])
def test_what_has_no_gradient_is_refused(lib: Any) -> None:
    with lib.Graph().as_default(), open_session(lib):
        x, other = lib.constant(VALUE), lib.constant(VALUE)
        with pytest.raises(AssertionError, match="dx = None"):
            lib.test.compute_gradient(x, [3, 2], other + 1.0, [3, 2])


@pytest.mark.parametrize("lib", [tf, oracle])
def test_tensors_of_a_list_keep_their_values_beside_each_other(lib: Any) -> None:
    with lib.Graph().as_default(), open_session(lib):
        a, b = lib.constant([2.0]), lib.constant([5.0])
        pairs = lib.test.compute_gradient([a, b], [[1], [1]], a * b, [1])
        theoretical = [pair[0].item() for pair in pairs]
        assert theoretical == [5.0, 2.0]
