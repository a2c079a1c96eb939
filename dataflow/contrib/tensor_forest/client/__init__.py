"""tf.contrib.tensor_forest.client: estimators of forests, and their metrics."""

from dataflow.contrib.tensor_forest.client import eval_metrics as eval_metrics
from dataflow.contrib.tensor_forest.client import random_forest as random_forest
