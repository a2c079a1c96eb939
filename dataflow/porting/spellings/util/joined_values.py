"""tensorflow.python.framework.composite_tensor_utils: values of several parts, joined by rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from dataflow.library.ragged.concatenation import concat
from dataflow.library.ragged.tensor import RaggedTensor
from dataflow.library.ragged.values import RaggedTensorValue
from dataflow.ops.sparse.concat import sparse_concat
from dataflow.values.composite_tensor import CompositeTensor as CompositeTensor

_VALUES = (SparseTensorValue, RaggedTensorValue)


def is_composite_or_composite_value(tensor: Any) -> bool:
    """Whether something is a tensor of several parts, or what a session gives for one."""
    return isinstance(tensor, (CompositeTensor, *_VALUES))


def get_shape(tensor: Any) -> Any:
    """The shape of such a tensor or value."""
    return tensor.dense_shape if isinstance(tensor, SparseTensorValue) else tensor.shape


def append_composite_tensor(target: Any, to_append: Any) -> Any:
    """The rows of one, and below them those of another one of its kind.

    Raises:
      RuntimeError: They are of different kinds, or their rows of different shapes.
    """
    if type(target) is not type(to_append):
        raise RuntimeError(f"Unable to concatenate {type(target)} and {type(to_append)}")
    if isinstance(target, SparseTensor):
        return sparse_concat(sp_inputs=[target, to_append], axis=0)
    if isinstance(target, RaggedTensor):
        return concat([target, to_append], axis=0)
    if isinstance(target, SparseTensorValue):
        return _joined_sparse(target, to_append)
    if isinstance(target, RaggedTensorValue):
        return _joined_ragged(target, to_append)
    raise RuntimeError(f"Attempted to concatenate unsupported object {type(target)}.")


def _joined_sparse(target: SparseTensorValue, to_append: SparseTensorValue) -> SparseTensorValue:
    shape, other = target.dense_shape, to_append.dense_shape
    problem = f"Unable to concatenate {target} and {to_append}. The inner dense shapes do not "
    if len(shape) != len(other):
        raise RuntimeError(f"{problem}have the same number of dimensions ({shape} vs {other})")
    if shape[1:] != other[1:]:
        raise RuntimeError(f"{problem}match inner dimensions ({shape[1:]} vs {other[1:]})")
    below = np.array(to_append.indices).reshape(-1, len(shape))
    below[:, 0] += shape[0]
    # Rows at the end that hold nothing are not counted, as in TensorFlow.
    rows = max(shape[0], *below[:, 0]) + 1 if len(below) else shape[0] + 1
    return SparseTensorValue(
        indices=np.append(target.indices, below, axis=0),
        values=np.concatenate((target.values, to_append.values)),
        dense_shape=(rows, *shape[1:]),
    )


def _joined_ragged(target: Any, to_append: Any) -> RaggedTensorValue:
    if len(target.shape) != len(to_append.shape) or target.shape[1:] != to_append.shape[1:]:
        raise RuntimeError(f"Unable to concatenate {target} and {to_append}")
    if isinstance(target.values, RaggedTensorValue):
        values: Any = _joined_ragged(target.values, to_append.values)
    else:
        values = np.concatenate((target.values, to_append.values))
    below = to_append.row_splits[1:] + target.row_splits[-1]
    return RaggedTensorValue(values, np.append(target.row_splits, below))
