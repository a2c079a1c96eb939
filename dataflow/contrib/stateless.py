"""tf.contrib.stateless: random tensors of a seed, which tf.random has by shorter names."""

import dataflow.ops.random.seeded as _seeded

stateless_multinomial = _seeded.stateless_multinomial
stateless_random_normal = _seeded.stateless_normal
stateless_random_uniform = _seeded.stateless_uniform
stateless_truncated_normal = _seeded.stateless_truncated_normal
