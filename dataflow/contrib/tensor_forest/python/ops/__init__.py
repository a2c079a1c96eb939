"""tf.contrib.tensor_forest.python.ops: what forests are made of."""

from dataflow.contrib.tensor_forest.python.ops import data_ops as data_ops
from dataflow.contrib.tensor_forest.python.ops import gen_model_ops as gen_model_ops
from dataflow.contrib.tensor_forest.python.ops import gen_stats_ops as gen_stats_ops
from dataflow.contrib.tensor_forest.python.ops import (
    gen_tensor_forest_ops as gen_tensor_forest_ops,
)
from dataflow.contrib.tensor_forest.python.ops import model_ops as model_ops
from dataflow.contrib.tensor_forest.python.ops import stats_ops as stats_ops
from dataflow.contrib.tensor_forest.python.ops import tensor_forest_ops as tensor_forest_ops
