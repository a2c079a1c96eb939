"""tf.random: random tensors under TensorFlow's newer names."""

import dataflow.ops.random.gamma as _gamma
import dataflow.ops.random.stateful as _stateful
from dataflow.graph.random_seed import get_seed as get_seed
from dataflow.graph.random_seed import set_random_seed as set_random_seed
from dataflow.library.generators.generator import Generator as Generator
from dataflow.library.generators.shared import get_global_generator as get_global_generator
from dataflow.library.generators.shared import set_global_generator as set_global_generator
from dataflow.library.generators.state import create_rng_state as create_rng_state
from dataflow.ops.random.binomial import stateless_binomial as stateless_binomial
from dataflow.ops.random.candidates import all_candidate_sampler as all_candidate_sampler
from dataflow.ops.random.candidates import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from dataflow.ops.random.candidates import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from dataflow.ops.random.candidates import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
)
from dataflow.ops.random.candidates import uniform_candidate_sampler as uniform_candidate_sampler
from dataflow.ops.random.seeded import Algorithm as Algorithm
from dataflow.ops.random.seeded import fold_in as fold_in
from dataflow.ops.random.seeded import split as split
from dataflow.ops.random.seeded import stateless_categorical as stateless_categorical
from dataflow.ops.random.seeded import stateless_gamma as stateless_gamma
from dataflow.ops.random.seeded import stateless_multinomial as stateless_multinomial
from dataflow.ops.random.seeded import stateless_normal as stateless_normal
from dataflow.ops.random.seeded import stateless_poisson as stateless_poisson
from dataflow.ops.random.seeded import stateless_truncated_normal as stateless_truncated_normal
from dataflow.ops.random.seeded import stateless_uniform as stateless_uniform
from dataflow.ops.random.stateful import categorical as categorical
from dataflow.ops.random.stateful import multinomial as multinomial
from dataflow.ops.random.stateful import truncated_normal as truncated_normal
from dataflow.ops.random.truncated import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from dataflow.random import experimental as experimental

gamma = _gamma.random_gamma
normal = _stateful.random_normal
poisson = _gamma.random_poisson
shuffle = _stateful.random_shuffle
uniform = _stateful.random_uniform
