"""tf.initializers: what makes initial values, and what runs initializers."""

from __future__ import annotations

from dataflow.library.table_initializers import tables_initializer
from dataflow.variables.initializers import Constant as constant
from dataflow.variables.initializers import Identity as identity
from dataflow.variables.initializers import Ones as ones
from dataflow.variables.initializers import Orthogonal as orthogonal
from dataflow.variables.initializers import RandomNormal as random_normal
from dataflow.variables.initializers import RandomUniform as random_uniform
from dataflow.variables.initializers import TruncatedNormal as truncated_normal
from dataflow.variables.initializers import Zeros as zeros
from dataflow.variables.scaled_initializers import GlorotNormal as glorot_normal
from dataflow.variables.scaled_initializers import GlorotUniform as glorot_uniform
from dataflow.variables.scaled_initializers import UniformUnitScaling as uniform_unit_scaling
from dataflow.variables.scaled_initializers import VarianceScaling as variance_scaling
from dataflow.variables.scaled_initializers import (
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)
from dataflow.variables.variable import global_variables_initializer as global_variables
from dataflow.variables.variable import local_variables_initializer as local_variables
from dataflow.variables.variable import variables_initializer as variables

__all__ = [
    "constant",
    "global_variables",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "local_variables",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "tables_initializer",
    "truncated_normal",
    "uniform_unit_scaling",
    "variables",
    "variance_scaling",
    "zeros",
]
