"""tf.contrib.tensor_forest.python.ops.tensor_forest_ops: ops of features."""

from dataflow.contrib.tensor_forest.python.ops.gen_tensor_forest_ops import (
    reinterpret_string_to_float as reinterpret_string_to_float,
)
from dataflow.contrib.tensor_forest.python.ops.gen_tensor_forest_ops import (
    scatter_add_ndim as scatter_add_ndim,
)
