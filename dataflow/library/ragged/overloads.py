"""What functions of tensors do with ragged ones: the table that `RaggedTensor` is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dataflow.ops.array.bits as array_bits
import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.partition as array_partition
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.identity as basic_identity
import dataflow.ops.linalg.matmul as linalg_matmul
import dataflow.ops.nn.softmax as nn_softmax
import dataflow.ops.nn.sparsity as nn_sparsity
import dataflow.ops.reductions.bincount as bincounts
import dataflow.ops.reductions.reduce as reduce_ops
import dataflow.ops.reductions.scan as scans
import dataflow.ops.reductions.segment as segment_ops
import dataflow.ops.reductions.statistics as statistics
import dataflow.ops.reductions.sum as sums
import dataflow.ops.sparse.counts as sparse_counts
import dataflow.ops.text.joining as joining
import dataflow.ops.text.printing as printing
from dataflow.graph import dispatch
from dataflow.library import check_types, check_values
from dataflow.library import embedding as embeddings
from dataflow.library import embedding_sparse as sparse_embeddings
from dataflow.library.ragged import (
    choosing,
    concatenation,
    counting,
    elementwise,
    embedding,
    gathering,
    more,
    reductions,
    shaping,
    strings,
)
from dataflow.library.ragged.tensor import RaggedTensor

_OVERLOADS: dict[Callable[..., Any], Callable[..., Any]] = {
    array_bits.bitcast: more.bitcast,
    array_broadcast.tile: shaping.tile,
    array_concat.concat: concatenation.concat,
    array_concat.stack: concatenation.stack,
    array_gather.batch_gather: gathering.batch_gather,
    array_gather.gather: gathering.gather,
    array_gather.gather_nd: gathering.gather_nd,
    array_partition.dynamic_partition: more.dynamic_partition,
    array_select.one_hot: choosing.one_hot,
    array_select.where: choosing.where,
    array_select.where_v2: choosing.where_v2,
    array_shape.expand_dims: shaping.expand_dims,
    array_shape.rank: shaping.rank,
    array_shape.size: shaping.size,
    array_shape.squeeze: shaping.squeeze,
    array_transpose.reverse: shaping.reverse,
    basic_identity.identity: more.identity,
    linalg_matmul.matmul: more.matmul,
    nn_softmax.softmax: more.softmax,
    nn_sparsity.dropout: more.dropout,
    bincounts.bincount: counting.bincount,
    reduce_ops.reduce_sum: reductions.reduce_sum,
    reduce_ops.reduce_prod: reductions.reduce_prod,
    reduce_ops.reduce_min: reductions.reduce_min,
    reduce_ops.reduce_max: reductions.reduce_max,
    reduce_ops.reduce_mean: reductions.reduce_mean,
    reduce_ops.reduce_all: reductions.reduce_all,
    reduce_ops.reduce_any: reductions.reduce_any,
    scans.cumsum: reductions.cumsum,
    segment_ops.unsorted_segment_sum: reductions.segment_sum,
    segment_ops.unsorted_segment_prod: reductions.segment_prod,
    segment_ops.unsorted_segment_min: reductions.segment_min,
    segment_ops.unsorted_segment_max: reductions.segment_max,
    segment_ops.unsorted_segment_mean: reductions.segment_mean,
    segment_ops.unsorted_segment_sqrt_n: reductions.segment_sqrt_n,
    statistics.reduce_variance: reductions.reduce_variance,
    statistics.reduce_std: reductions.reduce_std,
    sums.add_n: more.add_n,
    sparse_counts.sparse_bincount: counting.sparse_bincount,
    joining.reduce_join: strings.reduce_join,
    joining.string_join: strings.string_join,
    printing.string_format: strings.string_format,
    check_types.assert_type: more.assert_type,
    embeddings.embedding_lookup: embedding.embedding_lookup,
    sparse_embeddings.embedding_lookup_sparse: embedding.embedding_lookup_sparse,
    sparse_embeddings.safe_embedding_lookup_sparse: embedding.safe_embedding_lookup_sparse,
}

_CHECKS = {
    check_values.assert_equal,
    check_values.assert_none_equal,
    check_values.assert_near,
    check_values.assert_less,
    check_values.assert_less_equal,
    check_values.assert_greater,
    check_values.assert_greater_equal,
}


def applied(
    function: Callable[..., Any], kind: str, args: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """What a function makes of arguments among which are ragged tensors."""
    own = _OVERLOADS.get(function)
    if own is not None:
        return own(*args, **options)
    plain = dispatch.undecorated(function)
    if kind in (dispatch.UNARY, dispatch.UNARY_OF_SPARSE):
        return elementwise.unary(plain, args, options)
    if kind == dispatch.BINARY:
        return elementwise.binary(plain, args, options)
    if function in _CHECKS:
        return _checked(plain, args, options)
    return NotImplemented


def _checked(function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """An assertion about the elements of two."""
    if len(args) < 2:
        return NotImplemented
    x, y, _ = elementwise.broadcast(*elementwise.converted(args[0], args[1]))
    flat = [value.flat_values if isinstance(value, RaggedTensor) else value for value in (x, y)]
    return function(*flat, *args[2:], **options)
