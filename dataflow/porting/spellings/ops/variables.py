"""tensorflow.python.ops.variables and variable_scope: the class of variables by other names."""

import dataflow.variables.ref_variable as _ref_variable
import dataflow.variables.variable as _variable

RefVariable = _ref_variable.RefVariable
VariableV1 = _variable.Variable
variable = _variable.Variable
