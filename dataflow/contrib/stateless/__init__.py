"""tf.contrib.stateless: random numbers that a seed alone decides, by their older names."""

import dataflow.ops.random.seeded as _seeded
from dataflow.ops.random.seeded import (
    stateless_multinomial as stateless_multinomial,
)
from dataflow.ops.random.seeded import (
    stateless_truncated_normal as stateless_truncated_normal,
)

stateless_random_normal = _seeded.stateless_normal
stateless_random_uniform = _seeded.stateless_uniform
