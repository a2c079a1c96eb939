"""Derivatives of convolutions that bear attrs of their node alone, beside TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.oracle import open_session


def _conv2d(lib: Any, x: Any, filters: Any) -> Any:
    return lib.nn.conv2d(x[0], filters[0], [1, 1, 1, 1], "SAME")


def _conv3d(lib: Any, x: Any, filters: Any) -> Any:
    return lib.nn.conv3d(x, filters, [1, 1, 1, 1, 1], "SAME")


def _depthwise(lib: Any, x: Any, filters: Any) -> Any:
    return lib.nn.depthwise_conv2d_native(x[0], filters[0], [1, 1, 1, 1], "SAME")


def _transposed(lib: Any, x: Any, filters: Any) -> Any:
    return lib.nn.conv2d_transpose(x[0], filters[0], [1, 8, 8, 2], [1, 2, 2, 1])


def _found(lib: Any, convolution: Callable[..., Any], compiled: bool) -> list[np.ndarray]:
    values = np.random.default_rng(3)
    with lib.Graph().as_default() as graph, open_session(lib) as sess:
        x = lib.constant(values.normal(size=[1, 1, 4, 4, 2]).astype(np.float32))
        filters = lib.constant(values.normal(size=[1, 2, 2, 2, 2]).astype(np.float32))
        flag = type(lib.constant(1).op.node_def.attr["dtype"])(b=False)
        scope = graph._attr_scope({"_XlaCompile": flag}) if compiled else lib.colocate_with(x.op)
        with scope:
            y = convolution(lib, x, filters)
        assert ("_XlaCompile" if compiled else "_class") in y.op.node_def.attr
        first = lib.gradients(y * y, [x, filters])
        with lib.colocate_with(x.op):
            second = lib.gradients([lib.reduce_sum(g * g) for g in first], [x, filters])
        found: list[np.ndarray] = sess.run([*first, *second])
        return found


@pytest.mark.parametrize("compiled", [False, True], ids=["colocated", "compiled"])
@pytest.mark.parametrize("convolution", [_conv2d, _conv3d, _depthwise, _transposed])
def test_their_derivatives(convolution: Callable[..., Any], compiled: bool) -> None:
    ours, theirs = _found(tf, convolution, compiled), _found(oracle, convolution, compiled)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
