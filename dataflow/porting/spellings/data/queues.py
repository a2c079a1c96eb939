"""tensorflow.python.training.input: how components of batches are put in order, and back."""

from dataflow.training.inputs.components import as_given as _as_original_type
from dataflow.training.inputs.components import as_list as _as_tensor_list
from dataflow.training.inputs.components import as_lists as _as_tensor_list_list

__all__ = ["_as_original_type", "_as_tensor_list", "_as_tensor_list_list"]
