"""tf.contrib.tensor_forest.python: the graphs of forests, and their ops."""

import dataflow.values.submodules as _submodules
from dataflow.contrib.tensor_forest.python import tensor_forest as tensor_forest
from dataflow.contrib.tensor_forest.python.ops import data_ops as data_ops
from dataflow.contrib.tensor_forest.python.ops import model_ops as model_ops
from dataflow.contrib.tensor_forest.python.ops import stats_ops as stats_ops
from dataflow.contrib.tensor_forest.python.ops import tensor_forest_ops as tensor_forest_ops

__getattr__, __dir__ = _submodules.on_demand(
    __name__, hidden=("graphs", "hyperparameters", "trees", "variables")
)
