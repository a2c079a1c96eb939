"""tf.contrib.tensor_forest: random forests that grow online, after Domingos and Hulten."""

import dataflow.values.submodules as _submodules
from dataflow.contrib.tensor_forest.client import eval_metrics as eval_metrics
from dataflow.contrib.tensor_forest.client import random_forest as random_forest
from dataflow.contrib.tensor_forest.python import data_ops as data_ops
from dataflow.contrib.tensor_forest.python import model_ops as model_ops
from dataflow.contrib.tensor_forest.python import stats_ops as stats_ops
from dataflow.contrib.tensor_forest.python import tensor_forest as tensor_forest
from dataflow.contrib.tensor_forest.python import tensor_forest_ops as tensor_forest_ops

__getattr__, __dir__ = _submodules.on_demand(__name__, hidden=())
