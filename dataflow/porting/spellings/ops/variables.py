"""tensorflow.python.ops.variables and variable_scope: the class of variables by other names."""

from __future__ import annotations

import dataflow.porting.v2.variable as _version_2
import dataflow.variables.ref_variable as _ref_variable
import dataflow.variables.variable as _variable
from dataflow.variables.guard import (
    guarded_initial_value as _try_guard_against_uninitialized_dependencies,
)

__all__ = ["_try_guard_against_uninitialized_dependencies"]

RefVariable = _ref_variable.RefVariable
Variable = _version_2.Variable
VariableV1 = _variable.Variable
variable = _variable.Variable
