"""tensorflow.python.ops.sparse_ops: the functions of tf.sparse by their long names."""

import dataflow.sparse as _sparse

sparse_expand_dims = _sparse.expand_dims
sparse_eye = _sparse.eye
