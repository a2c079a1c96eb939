"""tensorflow.python.ops.sparse_ops: tf.sparse by other names, and maps of sparse tensors."""

from __future__ import annotations

from typing import Any

import dataflow.ops.sparse.cross as _cross
import dataflow.ops.sparse.serialized as _serialized
import dataflow.ops.sparse.transpose as _transpose
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.basic.single import single

sparse_cross = _sparse_cross = _cross.sparse_cross
sparse_cross_hashed = _sparse_cross_hashed = _cross.sparse_cross_hashed
_DEFAULT_HASH_KEY = _cross._HASH_KEY
deserialize_sparse = _serialized.deserialize_sparse
_add_sparse_to_tensors_map = _serialized.add_sparse_to_tensors_map
_add_many_sparse_to_tensors_map = _serialized.add_many_sparse_to_tensors_map
_take_many_sparse_from_tensors_map = _serialized.take_many_sparse_from_tensors_map
deserialize_sparse = _serialized.deserialize_sparse
sparse_cross = _cross.sparse_cross
sparse_cross_hashed = _cross.sparse_cross_hashed
sparse_expand_dims = _transpose.sparse_expand_dims
sparse_eye = _transpose.sparse_eye


def sparse_dense_cwise_add(sp_t: SparseTensor, dense_t: Any) -> SparseTensor:
    """The elements that are there of a sparse tensor plus a tensor's, which is broadcast."""
    parts = (sp_t.indices, sp_t.values, sp_t.dense_shape)
    values = single("SparseDenseCwiseAdd", *parts, dense_t)
    return SparseTensor(sp_t.indices, values, sp_t.dense_shape)
