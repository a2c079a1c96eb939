"""Arrays of gradients answer with zeros where nothing was written, behind their end too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.oracle import open_session


def _read(library: Any, index: int) -> np.ndarray:
    with library.Graph().as_default() as graph:
        ops = library.raw_ops
        array = ops.TensorArrayV3(size=3, dtype=library.float32, element_shape=[2])
        flow = ops.TensorArrayWriteV3(
            handle=array.handle, index=0, value=library.ones([2]), flow_in=array.flow
        )
        slope = ops.TensorArrayGradV3(handle=array.handle, flow_in=flow, source="gradients")
        flow = ops.TensorArrayWriteV3(
            handle=slope.grad_handle, index=1, value=library.ones([2]), flow_in=slope.flow_out
        )
        value = ops.TensorArrayReadV3(
            handle=slope.grad_handle, index=index, flow_in=flow, dtype=library.float32
        )
        with open_session(library, graph) as session:
            return np.asarray(session.run(value))


@pytest.mark.parametrize("index", range(6))
def test_read(index: int) -> None:
    ours, theirs = _read(tf, index), _read(oracle, index)
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(ours, np.full(2, index == 1, np.float32))
