"""tensorflow.python.ops.linalg.linalg_impl: the name that tf.linalg.expm has there."""

from dataflow.library.linalg.expm import expm as matrix_exponential

__all__ = ["matrix_exponential"]
