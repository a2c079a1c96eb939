"""Names of `tensorflow.python.ops.stateless_random_ops` that tf.random has without a word."""

from dataflow.ops.random.seeded import stateless_normal as stateless_random_normal
from dataflow.ops.random.seeded import stateless_uniform as stateless_random_uniform

__all__ = ["stateless_random_normal", "stateless_random_uniform"]
