"""tf.random: random tensors under TensorFlow's newer names."""

from __future__ import annotations

from dataflow.ops.random import (
    categorical,
    multinomial,
    truncated_normal,
)
from dataflow.ops.random import random_normal as normal
from dataflow.ops.random import random_shuffle as shuffle
from dataflow.ops.random import random_uniform as uniform
from dataflow.random_seed import get_seed, set_random_seed

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
