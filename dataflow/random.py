"""tf.random: random tensors under TensorFlow's newer names."""

from __future__ import annotations

from dataflow.graph.random_seed import get_seed, set_random_seed
from dataflow.ops.random.stateful import categorical, multinomial, truncated_normal
from dataflow.ops.random.stateful import random_normal as normal
from dataflow.ops.random.stateful import random_shuffle as shuffle
from dataflow.ops.random.stateful import random_uniform as uniform

__all__ = [
    "categorical",
    "get_seed",
    "multinomial",
    "normal",
    "set_random_seed",
    "shuffle",
    "truncated_normal",
    "uniform",
]
