"""Variables and other state, as `tf` names it."""

from dataflow.control_flow.critical_section import CriticalSection as CriticalSection
from dataflow.library.layers.module import Module as Module
from dataflow.library.layers.recomputation import recompute_grad as recompute_grad
from dataflow.ops.state.reference import assign as assign
from dataflow.ops.state.reference import assign_add as assign_add
from dataflow.ops.state.reference import assign_sub as assign_sub
from dataflow.ops.state.reference import count_up_to as count_up_to
from dataflow.ops.state.scatter import batch_scatter_update as batch_scatter_update
from dataflow.ops.state.scatter import scatter_add as scatter_add
from dataflow.ops.state.scatter import scatter_div as scatter_div
from dataflow.ops.state.scatter import scatter_max as scatter_max
from dataflow.ops.state.scatter import scatter_min as scatter_min
from dataflow.ops.state.scatter import scatter_mul as scatter_mul
from dataflow.ops.state.scatter import scatter_nd_add as scatter_nd_add
from dataflow.ops.state.scatter import scatter_nd_sub as scatter_nd_sub
from dataflow.ops.state.scatter import scatter_nd_update as scatter_nd_update
from dataflow.ops.state.scatter import scatter_sub as scatter_sub
from dataflow.ops.state.scatter import scatter_update as scatter_update
from dataflow.ops.state.session_tensors import delete_session_tensor as delete_session_tensor
from dataflow.ops.state.session_tensors import get_session_handle as get_session_handle
from dataflow.ops.state.session_tensors import get_session_tensor as get_session_tensor
from dataflow.variables.partitioned import fixed_size_partitioner as fixed_size_partitioner
from dataflow.variables.partitioned import (
    min_max_variable_partitioner as min_max_variable_partitioner,
)
from dataflow.variables.partitioned import (
    variable_axis_size_partitioner as variable_axis_size_partitioner,
)
from dataflow.variables.regularizers import no_regularizer as no_regularizer
from dataflow.variables.scope import create_partitioned_variables as create_partitioned_variables
from dataflow.variables.scope import get_local_variable as get_local_variable
from dataflow.variables.scope import get_variable as get_variable
from dataflow.variables.scope import variable_op_scope as variable_op_scope
from dataflow.variables.scope import variable_scope as variable_scope
from dataflow.variables.template import make_template as make_template
from dataflow.variables.variable import Variable as Variable
from dataflow.variables.variable import all_variables as all_variables
from dataflow.variables.variable import assert_variables_initialized as assert_variables_initialized
from dataflow.variables.variable import disable_resource_variables as disable_resource_variables
from dataflow.variables.variable import enable_resource_variables as enable_resource_variables
from dataflow.variables.variable import global_variables as global_variables
from dataflow.variables.variable import global_variables_initializer as global_variables_initializer
from dataflow.variables.variable import initialize_all_variables as initialize_all_variables
from dataflow.variables.variable import initialize_local_variables as initialize_local_variables
from dataflow.variables.variable import initialize_variables as initialize_variables
from dataflow.variables.variable import is_variable_initialized as is_variable_initialized
from dataflow.variables.variable import local_variables as local_variables
from dataflow.variables.variable import local_variables_initializer as local_variables_initializer
from dataflow.variables.variable import model_variables as model_variables
from dataflow.variables.variable import moving_average_variables as moving_average_variables
from dataflow.variables.variable import (
    report_uninitialized_variables as report_uninitialized_variables,
)
from dataflow.variables.variable import resource_variables_enabled as resource_variables_enabled
from dataflow.variables.variable import trainable_variables as trainable_variables
from dataflow.variables.variable import variable_creator_scope as variable_creator_scope
from dataflow.variables.variable import variables_initializer as variables_initializer
