"""tensorflow.python.ops.linalg.linalg_impl: tf.linalg by the names that it has inside."""

from dataflow.library.linalg.expm import expm as matrix_exponential

__all__ = ["matrix_exponential"]
