"""tf.sparse: sparse tensors under TensorFlow's newer names."""

import dataflow.library.sparse_shapes as _sparse_shapes
import dataflow.ops.array.unique as _unique
import dataflow.ops.basic.sparse_placeholder as _sparse_placeholder
import dataflow.ops.sparse.add as _add
import dataflow.ops.sparse.concat as _concat
import dataflow.ops.sparse.counts as _counts
import dataflow.ops.sparse.cross as _cross
import dataflow.ops.sparse.dense as _dense
import dataflow.ops.sparse.elementwise as _elementwise
import dataflow.ops.sparse.matmul as _matmul
import dataflow.ops.sparse.merge as _merge
import dataflow.ops.sparse.parts as _parts
import dataflow.ops.sparse.reduce as _reduce
import dataflow.ops.sparse.reorder as _reorder
import dataflow.ops.sparse.reshape as _reshape
import dataflow.ops.sparse.rows as _rows
import dataflow.ops.sparse.segment as _segment
import dataflow.ops.sparse.transpose as _transpose
from dataflow.graph.sparse_tensor import SparseTensor as SparseTensor
from dataflow.library.queues.accumulators import (
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)
from dataflow.ops.sparse.dense import from_dense as from_dense

mask = _unique.sparse_mask
placeholder = _sparse_placeholder.sparse_placeholder
to_dense = _dense.sparse_tensor_to_dense
reorder = _reorder.sparse_reorder
reshape = _reshape.sparse_reshape
fill_empty_rows = _rows.sparse_fill_empty_rows
retain = _rows.sparse_retain
matmul = _matmul.sparse_tensor_dense_matmul
sparse_dense_matmul = _matmul.sparse_tensor_dense_matmul
concat = _concat.sparse_concat
segment_sum = _segment.sparse_segment_sum
segment_mean = _segment.sparse_segment_mean
segment_sqrt_n = _segment.sparse_segment_sqrt_n
transpose = _transpose.sparse_transpose
expand_dims = _transpose.sparse_expand_dims
eye = _transpose.sparse_eye
merge = _merge.sparse_merge
to_indicator = _merge.sparse_to_indicator
reset_shape = _sparse_shapes.sparse_reset_shape
add = _add.sparse_add
reduce_sum = _reduce.sparse_reduce_sum
reduce_max = _reduce.sparse_reduce_max
reduce_sum_sparse = _reduce.sparse_reduce_sum_sparse
reduce_max_sparse = _reduce.sparse_reduce_max_sparse
split = _parts.sparse_split
slice = _parts.sparse_slice
softmax = _elementwise.sparse_softmax
maximum = _elementwise.sparse_maximum
minimum = _elementwise.sparse_minimum
bincount = _counts.sparse_bincount
cross = _cross.sparse_cross
cross_hashed = _cross.sparse_cross_hashed
