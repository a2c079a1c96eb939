"""tf.random.experimental: names that programs still use for tf.random's."""

import dataflow.ops.random.seeded as _seeded
from dataflow.library.generators.generator import Generator as Generator
from dataflow.library.generators.shared import get_global_generator as get_global_generator
from dataflow.library.generators.shared import set_global_generator as set_global_generator
from dataflow.library.generators.state import create_rng_state as create_rng_state
from dataflow.ops.random.index_shuffle import index_shuffle as index_shuffle
from dataflow.ops.random.seeded import Algorithm as Algorithm
from dataflow.ops.random.seeded import stateless_shuffle as stateless_shuffle

stateless_fold_in = _seeded.fold_in
stateless_split = _seeded.split
