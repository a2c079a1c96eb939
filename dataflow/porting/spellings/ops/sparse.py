"""tensorflow.python.ops.sparse_ops: tf.sparse by other names, and maps of sparse tensors."""

from __future__ import annotations

import dataflow.ops.sparse.cross as _cross
import dataflow.ops.sparse.serialized as _serialized
import dataflow.ops.sparse.transpose as _transpose

_sparse_cross = _cross.sparse_cross
_sparse_cross_hashed = _cross.sparse_cross_hashed
_add_sparse_to_tensors_map = _serialized.add_sparse_to_tensors_map
_add_many_sparse_to_tensors_map = _serialized.add_many_sparse_to_tensors_map
_take_many_sparse_from_tensors_map = _serialized.take_many_sparse_from_tensors_map
sparse_expand_dims = _transpose.sparse_expand_dims
sparse_eye = _transpose.sparse_eye
