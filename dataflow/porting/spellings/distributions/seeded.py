"""tensorflow.python.ops.stateless_random_ops: tf.random by the names that it has inside."""

from dataflow.ops.random.binomial import stateless_binomial as stateless_random_binomial
from dataflow.ops.random.seeded import (
    stateless_categorical,
    stateless_multinomial,
    stateless_truncated_normal,
)
from dataflow.ops.random.seeded import stateless_gamma as stateless_random_gamma
from dataflow.ops.random.seeded import stateless_normal as stateless_random_normal
from dataflow.ops.random.seeded import stateless_poisson as stateless_random_poisson
from dataflow.ops.random.seeded import stateless_uniform as stateless_random_uniform
from dataflow.ops.random.truncated import stateless_parameterized_truncated_normal

__all__ = [
    "stateless_categorical",
    "stateless_multinomial",
    "stateless_parameterized_truncated_normal",
    "stateless_random_binomial",
    "stateless_random_gamma",
    "stateless_random_normal",
    "stateless_random_poisson",
    "stateless_random_uniform",
    "stateless_truncated_normal",
]
