"""tf.contrib.framework: scopes of arguments, and variables of models."""

from dataflow.contrib.framework.arg_scope import add_arg_scope as add_arg_scope
from dataflow.contrib.framework.arg_scope import arg_scope as arg_scope
from dataflow.contrib.framework.arg_scope import arg_scope_func_key as arg_scope_func_key
from dataflow.contrib.framework.arg_scope import arg_scoped_arguments as arg_scoped_arguments
from dataflow.contrib.framework.arg_scope import current_arg_scope as current_arg_scope
from dataflow.contrib.framework.arg_scope import has_arg_scope as has_arg_scope
from dataflow.contrib.framework.checkpoints import init_from_checkpoint as init_from_checkpoint
from dataflow.contrib.framework.checkpoints import list_variables as list_variables
from dataflow.contrib.framework.checkpoints import load_checkpoint as load_checkpoint
from dataflow.contrib.framework.checkpoints import load_variable as load_variable
from dataflow.contrib.framework.checkpoints import (
    load_variable_slot_initializer as load_variable_slot_initializer,
)
from dataflow.contrib.framework.fused_nodes import fuse_op as fuse_op
from dataflow.contrib.framework.plain_variables import (
    VariableDeviceChooser as VariableDeviceChooser,
)
from dataflow.contrib.framework.plain_variables import (
    assert_or_get_global_step as assert_or_get_global_step,
)
from dataflow.contrib.framework.plain_variables import global_variable as global_variable
from dataflow.contrib.framework.plain_variables import local_variable as local_variable
from dataflow.contrib.framework.plain_variables import zero_initializer as zero_initializer
from dataflow.contrib.framework.script import py_func as py_func
from dataflow.contrib.framework.tensors import assert_same_float_dtype as assert_same_float_dtype
from dataflow.contrib.framework.tensors import assert_scalar as assert_scalar
from dataflow.contrib.framework.tensors import assert_scalar_int as assert_scalar_int
from dataflow.contrib.framework.tensors import (
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from dataflow.contrib.framework.tensors import get_graph_from_inputs as get_graph_from_inputs
from dataflow.contrib.framework.tensors import get_name_scope as get_name_scope
from dataflow.contrib.framework.tensors import get_placeholders as get_placeholders
from dataflow.contrib.framework.tensors import is_tensor as is_tensor
from dataflow.contrib.framework.tensors import reduce_sum_n as reduce_sum_n
from dataflow.contrib.framework.tensors import (
    remove_squeezable_dimensions as remove_squeezable_dimensions,
)
from dataflow.contrib.framework.tensors import with_same_shape as with_same_shape
from dataflow.contrib.framework.tensors import with_shape as with_shape
from dataflow.contrib.framework.variables import add_model_variable as add_model_variable
from dataflow.contrib.framework.variables import assign_from_checkpoint as assign_from_checkpoint
from dataflow.contrib.framework.variables import (
    assign_from_checkpoint_fn as assign_from_checkpoint_fn,
)
from dataflow.contrib.framework.variables import assign_from_values as assign_from_values
from dataflow.contrib.framework.variables import assign_from_values_fn as assign_from_values_fn
from dataflow.contrib.framework.variables import filter_variables as filter_variables
from dataflow.contrib.framework.variables import get_local_variables as get_local_variables
from dataflow.contrib.framework.variables import get_model_variables as get_model_variables
from dataflow.contrib.framework.variables import (
    get_trainable_variables as get_trainable_variables,
)
from dataflow.contrib.framework.variables import get_unique_variable as get_unique_variable
from dataflow.contrib.framework.variables import get_variable_full_name as get_variable_full_name
from dataflow.contrib.framework.variables import get_variables as get_variables
from dataflow.contrib.framework.variables import get_variables_by_name as get_variables_by_name
from dataflow.contrib.framework.variables import (
    get_variables_by_suffix as get_variables_by_suffix,
)
from dataflow.contrib.framework.variables import (
    get_variables_to_restore as get_variables_to_restore,
)
from dataflow.contrib.framework.variables import model_variable as model_variable
from dataflow.contrib.framework.variables import variable as variable
from dataflow.contrib.util import constant_value as constant_value
from dataflow.control_flow.smart_cond import smart_case as smart_case
from dataflow.control_flow.smart_cond import smart_cond as smart_cond
from dataflow.control_flow.smart_cond import smart_constant_value as smart_constant_value
from dataflow.library.concrete.bounds import BoundedTensorSpec as BoundedTensorSpec
from dataflow.library.datasets.specs import TensorSpec as TensorSpec
from dataflow.library.readers.record_input import RecordInput as RecordInput
from dataflow.ops.array.sorting import argsort as argsort
from dataflow.ops.array.sorting import sort as sort
from dataflow.saving.remapping import (
    load_and_remap_matrix_initializer as load_and_remap_matrix_initializer,
)
from dataflow.saving.remapping import load_embedding_initializer as load_embedding_initializer
from dataflow.saving.remapping import (
    load_linear_multiclass_bias_initializer as load_linear_multiclass_bias_initializer,
)
from dataflow.saving.state import checkpoints_iterator as checkpoints_iterator
from dataflow.training.global_step import assert_global_step as assert_global_step
from dataflow.training.global_step import create_global_step as create_global_step
from dataflow.training.global_step import get_global_step as get_global_step
from dataflow.training.global_step import get_or_create_global_step as get_or_create_global_step
from dataflow.values import nest as nest
from dataflow.values.scope_names import prepend_name_scope as prepend_name_scope
from dataflow.values.scope_names import strip_name_scope as strip_name_scope
from dataflow.variables.convolution_initializers import (
    convolutional_delta_orthogonal as convolutional_delta_orthogonal,
)
from dataflow.variables.convolution_initializers import (
    convolutional_orthogonal_1d as convolutional_orthogonal_1d,
)
from dataflow.variables.convolution_initializers import (
    convolutional_orthogonal_2d as convolutional_orthogonal_2d,
)
from dataflow.variables.convolution_initializers import (
    convolutional_orthogonal_3d as convolutional_orthogonal_3d,
)
