"""Crosses of features as tf.contrib.layers hashes them without a key: its first way to do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.array.bits import bitcast
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import stack
from dataflow.ops.array.fill import fill
from dataflow.ops.array.gather import gather
from dataflow.ops.array.repeat import repeat
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.bitwise import bitwise_xor, left_shift, right_shift
from dataflow.ops.reductions.reduce import reduce_max
from dataflow.ops.reductions.scan import cumsum
from dataflow.ops.reductions.segment import unsorted_segment_sum
from dataflow.ops.sparse.cross import sparse_cross, sparse_cross_hashed
from dataflow.ops.text.fingerprint import fingerprint
from dataflow.values import dtypes

SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY: Final = 0xDECAFCAFFE
_GOLDEN: Final = 0x9E3779B97F4A7800 - 2**64


def sparse_feature_cross(
    inputs: Any,
    hashed_output: bool = False,
    num_buckets: int = 0,
    name: str | None = None,
    hash_key: int | None = None,
) -> SparseTensor:
    """Each combination of one element of every column's row.

    Args:
      inputs: Columns: matrices and sparse matrices of strings or integers, with the same rows.
      hashed_output: Whether the results are hashes, rather than texts with "_X_" between.
      num_buckets: Below which number hashes are; as they are, without a sign, if 0.
      name: Name of the operation.
      hash_key: What hashes begin with; without one they are made in an older way.

    Raises:
      TypeError: The inputs are no list.
      InvalidArgumentError: At run time: an input is no matrix, or has other rows.
    """
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    if not hashed_output:
        return sparse_cross(inputs, name)
    if hash_key:
        return sparse_cross_hashed(inputs, num_buckets, hash_key, name)
    with name_scope(name, "SparseFeatureCross"):
        # TensorFlow has sparse columns first.
        sparse = [each for each in inputs if isinstance(each, SparseTensor)]
        columns = [_sparse_column(each) for each in sparse]
        columns += [_dense_column(each) for each in inputs if not isinstance(each, SparseTensor)]
        count: Any = sparse[0].dense_shape[0] if sparse else array_shape.shape(inputs[0])[0]
        return _crossed(columns, cast(count, dtypes.int64), num_buckets)


def _crossed(columns: Sequence[tuple[Any, Any]], count: Any, num_buckets: int) -> SparseTensor:
    rows: Any = range_of(count)
    hashes: Any = fill([count], SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY)
    for rows_of_column, numbers in columns:
        counts = _counts(rows_of_column, count)
        times = gather(counts, rows)
        places = repeat(range_of(array_shape.size(rows)), times)
        within: Any = range_of(array_shape.size(places, out_type=dtypes.int64))
        within = within - gather(cumsum(times, exclusive=True), places)
        rows, hashes = gather(rows, places), gather(hashes, places)
        taken = gather(numbers, gather(cumsum(counts, exclusive=True), rows) + within)
        mixed: Any = left_shift(hashes, 10)
        hashes = bitwise_xor(hashes, taken + _GOLDEN + mixed + right_shift(hashes, 4))
    counts = _counts(rows, count)
    within = range_of(array_shape.size(rows, out_type=dtypes.int64))
    within = within - gather(cumsum(counts, exclusive=True), rows)
    unsigned: Any = bitcast(hashes, dtypes.uint64)
    limit: Any = bitcast(constant(num_buckets or 2**63 - 1, dtypes.int64), dtypes.uint64)
    widest = maximum(reduce_max(counts), 0)
    return SparseTensor(
        stack([rows, within], axis=1), cast(unsigned % limit, dtypes.int64), stack([count, widest])
    )


def _sparse_column(column: SparseTensor) -> tuple[Any, Any]:
    """The row and the number of each element."""
    indices: Any = column.indices
    return indices[:, 0], _numbers(column.values)


def _dense_column(column: Any) -> tuple[Any, Any]:
    size: Any = array_shape.shape(column, out_type=dtypes.int64)
    rows = array_shape.reshape(
        tile(array_shape.expand_dims(range_of(size[0]), 1), [1, size[1]]), [-1]
    )
    return rows, _numbers(array_shape.reshape(column, [-1]))


def _numbers(values: Any) -> Any:
    if values.dtype.base_dtype != dtypes.string:
        return cast(values, dtypes.int64)
    return bitcast(fingerprint(values), dtypes.int64)


def _counts(rows: Any, count: Any) -> Any:
    return unsorted_segment_sum(array_fill.ones_like(rows), rows, count)
