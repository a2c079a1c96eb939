"""tf.saved_model.utils: tensors by the names they have in a graph."""

from dataflow.saving.saved_model.tensor_infos import build_tensor_info as build_tensor_info
from dataflow.saving.saved_model.tensor_infos import (
    get_tensor_from_tensor_info as get_tensor_from_tensor_info,
)
