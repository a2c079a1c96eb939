"""Sparse tensors of dense ones and of indicators, and how long their rows are, against tf_slim."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import dataflow as tf
from dataflow.contrib.framework import sparse_tensors
from tests.contrib.oracle import tf_slim
from tests.differentiation.both import assert_same_graph

former: Any = importlib.import_module(f"{tf_slim.__name__}.layers.sparse_ops")

INDICATORS = [[[0, 0, 1, 0], [0, 0, 0, 0]], [[1, 0, 1, 1], [0, 0, 1, 0]]]
CASES: dict[str, Any] = {
    "numbers": lambda lib, of: of.dense_to_sparse_tensor([[0, 3, 0], [4, 0, -1]]),
    "words": lambda lib, of: of.dense_to_sparse_tensor([["a", ""], ["", "b"]]),
    "what is ignored": lambda lib, of: of.dense_to_sparse_tensor([[0.0, -1.0]], -1.0),
    "ids": lambda lib, of: of.indicators_to_sparse_ids(INDICATORS),
    "ids of words": lambda lib, of: of.indicators_to_sparse_ids(
        [["", "x"], ["-", ""]], ignore_value="-", dtype=lib.int32
    ),
    "rows": lambda lib, of: of.sparse_row_envelope(
        lib.SparseTensor([[0, 0], [2, 0], [2, 2]], [1, 2, 3], [4, 3])
    ),
    "columns": lambda lib, of: of.sparse_row_envelope(
        lib.SparseTensor([[0, 0], [2, 0], [2, 2]], [1, 2, 3], [3, 3]), 1, 0
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_values_and_graphs(case: str) -> None:
    def program(lib: Any) -> Any:
        found = CASES[case](lib, sparse_tensors if lib is tf else former)
        is_sparse = isinstance(found, lib.SparseTensor)
        return [found.indices, found.values, found.dense_shape] if is_sparse else [found]

    assert_same_graph(program)


def test_refusals() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="not integer"):
            sparse_tensors.indicators_to_sparse_ids([[1]], dtype=tf.float32)
        sparse = tf.SparseTensor([[0, 0]], [1], [1, 1])
        with pytest.raises(ValueError, match="can not be the same axis"):
            sparse_tensors.sparse_row_envelope(sparse, 1, 1)
        with pytest.raises(ValueError, match="must be integers"):
            sparse_tensors.sparse_row_envelope(sparse, 0.5, 1)
