"""tensorflow.python.ops.stateless_random_ops: tf.random by the names that it has inside."""

from dataflow.ops.random.seeded import stateless_normal as stateless_random_normal
from dataflow.ops.random.seeded import stateless_truncated_normal
from dataflow.ops.random.seeded import stateless_uniform as stateless_random_uniform

__all__ = ["stateless_random_normal", "stateless_random_uniform", "stateless_truncated_normal"]
