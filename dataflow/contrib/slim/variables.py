"""slim.variables: variables of models; the same names as tf.contrib.framework has."""

from dataflow.contrib.framework import VariableDeviceChooser as VariableDeviceChooser
from dataflow.contrib.framework import add_model_variable as add_model_variable
from dataflow.contrib.framework import assign_from_checkpoint as assign_from_checkpoint
from dataflow.contrib.framework import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from dataflow.contrib.framework import assign_from_values as assign_from_values
from dataflow.contrib.framework import assign_from_values_fn as assign_from_values_fn
from dataflow.contrib.framework import create_global_step as create_global_step
from dataflow.contrib.framework import filter_variables as filter_variables
from dataflow.contrib.framework import get_global_step as get_global_step
from dataflow.contrib.framework import get_local_variables as get_local_variables
from dataflow.contrib.framework import get_model_variables as get_model_variables
from dataflow.contrib.framework import get_or_create_global_step as get_or_create_global_step
from dataflow.contrib.framework import get_trainable_variables as get_trainable_variables
from dataflow.contrib.framework import get_unique_variable as get_unique_variable
from dataflow.contrib.framework import get_variable_full_name as get_variable_full_name
from dataflow.contrib.framework import get_variables as get_variables
from dataflow.contrib.framework import get_variables_by_name as get_variables_by_name
from dataflow.contrib.framework import get_variables_by_suffix as get_variables_by_suffix
from dataflow.contrib.framework import get_variables_to_restore as get_variables_to_restore
from dataflow.contrib.framework import global_variable as global_variable
from dataflow.contrib.framework import local_variable as local_variable
from dataflow.contrib.framework import model_variable as model_variable
from dataflow.contrib.framework import variable as variable
