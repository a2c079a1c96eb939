"""Vectors of numbers, dense and sparse, as the messages of trees have them."""

from __future__ import annotations

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.proto.generic_tree_model_pb2 import SparseVector, Vector


def write_values(vector: Vector, values: np.ndarray) -> None:
    """Puts numbers into a message."""
    vector.SetInParent()
    for value in values.tolist():
        vector.value.add().float_value = value


def filled(vector: Vector, count: int) -> np.ndarray:
    """The numbers of a message.

    Raises:
      InvalidArgumentError: There are fewer than are asked for.
    """
    found = [value.float_value for value in vector.value]
    if len(found) < count:
        raise invalid(f"Statistics have {len(found)} values, and the forest {count} outputs")
    return np.array(found[:count], np.float32)


def write_sparse(vector: SparseVector, labels: list[int], values: np.ndarray) -> None:
    """Puts numbers of some classes into a message."""
    vector.SetInParent()
    for label, value in zip(labels, values.tolist(), strict=True):
        vector.sparse_value[label].float_value = value


def sparse_values(vector: SparseVector) -> dict[int, float]:
    """The numbers of a message, by class."""
    return {label: value.float_value for label, value in vector.sparse_value.items()}
