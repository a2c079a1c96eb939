"""tf.random: random tensors under TensorFlow's newer names."""

import dataflow.ops.random.stateful as _stateful
from dataflow.graph.random_seed import get_seed as get_seed
from dataflow.graph.random_seed import set_random_seed as set_random_seed
from dataflow.ops.random.stateful import categorical as categorical
from dataflow.ops.random.stateful import multinomial as multinomial
from dataflow.ops.random.stateful import truncated_normal as truncated_normal

normal = _stateful.random_normal
shuffle = _stateful.random_shuffle
uniform = _stateful.random_uniform
