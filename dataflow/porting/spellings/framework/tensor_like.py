"""tensorflow.python.framework.tensor_like: what all tensors, sparse ones too, are instances of."""

from __future__ import annotations

from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor

_TensorLike = Tensor | SparseTensor | IndexedSlices
