"""How often integers stand in rows of ragged tensors, and their crosses."""

from __future__ import annotations

from typing import Any

import dataflow.ops.reductions.bincount as bincounts
import dataflow.ops.sparse.counts as sparse_counts
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes

_HASH_KEY = 0xDECAFCAFFE


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
) -> Any:
    """How often each integer is in a ragged tensor; see `tf.math.bincount`."""
    x = as_ragged_or_tensor(arr)
    given = weights.flat_values if isinstance(weights, RaggedTensor) else weights
    flat = x.flat_values if isinstance(x, RaggedTensor) else x
    return bincounts.bincount(flat, given, minlength, maxlength, dtype)


def _weights(values: RaggedTensor, weights: Any) -> Any:
    if not isinstance(weights, RaggedTensor):
        raise ValueError(
            "`weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument "
            f"weights={weights} of type: {type(weights).__name__}."
        )
    return weights.flat_values


def sparse_bincount(
    values: Any,
    weights: Any = None,
    axis: Any = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each integer is there, as a sparse tensor; see `tf.sparse.bincount`.

    Raises:
      ValueError: `axis` is none of 0 and -1, or weights do not fit.
    """
    with scopes.name_scope(name, "count", [values, weights]):
        x = as_ragged_or_tensor(values)
        if weights is not None and binary_output:
            raise ValueError(
                "Arguments `binary_output` and `weights` are mutually exclusive. Please specify "
                "only one."
            )
        axis = 0 if axis is None else axis
        if axis not in (0, -1):
            raise ValueError(
                f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently "
                "supported."
            )
        given = constant([], x.dtype) if weights is None else _weights(x, weights)
        if axis == 0:
            flat = None if weights is None else given
            return sparse_counts.sparse_bincount(
                x.flat_values, flat, 0, minlength, maxlength, binary_output
            )
        made = apply_op(
            "RaggedCountSparseOutput",
            cast(x.row_splits, dtypes.int64),
            x.flat_values,
            given,
            minlength=-1 if minlength is None else minlength,
            maxlength=-1 if maxlength is None else maxlength,
            binary_output=binary_output,
        )
        return SparseTensor(*made)


def cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """Strings made of each combination of one element of every column's row.

    Args:
      inputs: Columns: matrices, sparse and ragged ones, of strings or integers, with the same
        rows.
      name: Name of the operation.

    Raises:
      ValueError: An input is something else.
      InvalidArgumentError: At run time: the inputs have different rows.
    """
    return _crossed(inputs, False, 0, None, name)


def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Hashes of each combination of one element of every column's row; see `cross`.

    Args:
      inputs: The columns.
      num_buckets: Below which number the hashes are; 0 for all numbers.
      hash_key: What the hashes begin with.
      name: Name of the operation.
    """
    return _crossed(inputs, True, num_buckets, hash_key, name)


def _crossed(
    inputs: Any, is_hashed: bool, buckets: int, hash_key: int | None, name: str | None
) -> RaggedTensor:
    if not isinstance(inputs, (tuple, list)):
        raise TypeError("inputs must be a list")
    if hash_key is None:
        hash_key = _HASH_KEY
    ragged: list[RaggedTensor] = []
    sparse: list[SparseTensor] = []
    dense: list[Any] = []
    order = ""
    with scopes.name_scope(name, "RaggedCross", inputs):
        for place, given in enumerate(inputs):
            if isinstance(given, SparseTensor):
                sparse.append(given)
                order += "S"
                continue
            x = as_ragged_or_tensor(given, name=f"input_{place}")
            if isinstance(x, RaggedTensor):
                if x.ragged_rank != 1 or (x.flat_values.shape.rank or 1) != 1:
                    raise ValueError("tf.ragged.cross only supports inputs with rank=2")
                ragged.append(x)
                order += "R"
            else:
                dense.append(x)
                order += "D"
        kinds = {x.row_splits.dtype for x in ragged}
        splits_type = dtypes.int32 if kinds == {dtypes.int32} else dtypes.int64
        made: Any = apply_op(
            "RaggedCross",
            [_plain(x.flat_values) for x in ragged],
            [x.row_splits for x in ragged],
            [x.indices for x in sparse],
            [_plain(x.values) for x in sparse],
            [x.dense_shape for x in sparse],
            [_plain(x) for x in dense],
            input_order=order,
            hashed_output=is_hashed,
            num_buckets=buckets,
            hash_key=hash_key,
            out_values_type=dtypes.int64 if is_hashed else dtypes.string,
            out_row_splits_type=splits_type,
        )
        return RaggedTensor.from_row_splits(made[0], made[1], validate=False)


def _plain(column: Any) -> Any:
    return column if column.dtype is dtypes.string else cast(column, dtypes.int64)
