"""tf.initializers: what makes initial values, and what runs initializers."""

import dataflow.variables.initializers as _initializers
import dataflow.variables.scaled_initializers as _scaled_initializers
import dataflow.variables.variable as _variable
from dataflow.library.table_initializers import tables_initializer as tables_initializer
from dataflow.variables.scaled_initializers import he_normal as he_normal
from dataflow.variables.scaled_initializers import he_uniform as he_uniform
from dataflow.variables.scaled_initializers import lecun_normal as lecun_normal
from dataflow.variables.scaled_initializers import lecun_uniform as lecun_uniform

constant = _initializers.Constant
global_variables = _variable.global_variables_initializer
glorot_normal = _scaled_initializers.GlorotNormal
glorot_uniform = _scaled_initializers.GlorotUniform
identity = _initializers.Identity
local_variables = _variable.local_variables_initializer
ones = _initializers.Ones
orthogonal = _initializers.Orthogonal
random_normal = _initializers.RandomNormal
random_uniform = _initializers.RandomUniform
truncated_normal = _initializers.TruncatedNormal
uniform_unit_scaling = _scaled_initializers.UniformUnitScaling
variables = _variable.variables_initializer
variance_scaling = _scaled_initializers.VarianceScaling
zeros = _initializers.Zeros
