"""The table of TensorFlow's internal paths."""

from __future__ import annotations

import importlib
import inspect
from functools import partial

import pytest

from dataflow.porting.modules import DEFINES_OPS, _snake
from dataflow.porting.paths import PUBLIC, SOURCES
from tests.checks import make_all


def test_every_source_is_there() -> None:
    """And knows itself whose names are asked for."""
    sources = {name for names in SOURCES.values() for name in names}
    # Its import defines ops, and others count those; `test_unit_tests.py` imports it.
    sources.remove(SOURCES[DEFINES_OPS][0])
    make_all((source, partial(_assert_there, source)) for source in sorted(sources))


def _assert_there(source: str) -> None:
    assert importlib.import_module(source).__name__ == source


def test_nothing_is_asked_twice() -> None:
    for path, sources in SOURCES.items():
        assert len(set(sources)) == len(sources), path
        assert PUBLIC not in sources[:-1] or any("." in each for each in sources), path


@pytest.mark.parametrize(
    ("op", "name"),
    [
        ("BiasAddGrad", "bias_add_grad"),
        ("LRN", "lrn"),
        ("Conv2D", "conv2d"),
        ("Conv2DBackpropInput", "conv2d_backprop_input"),
        ("MaxPoolGradV2", "max_pool_grad_v2"),
        ("ResourceApplyAdam", "resource_apply_adam"),
        ("FIFOQueueV2", "fifo_queue_v2"),
        ("MatMul", "mat_mul"),
        ("LogMatrixDeterminant", "log_matrix_determinant"),
        ("IRFFT2D", "irfft2d"),
        ("L2Loss", "l2_loss"),
        ("TensorArrayV3", "tensor_array_v3"),
        ("Conv3DBackpropFilterV2", "conv3d_backprop_filter_v2"),
        ("CTCLoss", "ctc_loss"),
    ],
)
def test_names_of_generated_functions(op: str, name: str) -> None:
    """As TensorFlow's own generated modules have them."""
    assert _snake(op) == name


def test_generated_names_are_tensorflows() -> None:
    """Every op that both have is found under the name it has there."""
    raw = importlib.import_module("dataflow.raw_ops")
    tensorflow = importlib.import_module("tensorflow")
    missing = []
    for op in dir(raw):
        real = getattr(tensorflow.raw_ops, op, None)
        if real is not None:
            generated = importlib.import_module(inspect.unwrap(real).__module__)
            if not {_snake(op), f"_{_snake(op)}"} & set(dir(generated)):
                missing.append((op, _snake(op)))
    assert not missing
