"""tf.sparse: sparse tensors under TensorFlow's newer names."""

import dataflow.ops.array.unique as _unique
import dataflow.ops.basic.sparse_placeholder as _sparse_placeholder
from dataflow.graph.sparse_tensor import SparseTensor as SparseTensor
from dataflow.library.queues.accumulators import (
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)

mask = _unique.sparse_mask
placeholder = _sparse_placeholder.sparse_placeholder
