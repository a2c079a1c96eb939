"""tf.contrib.linear_optimizer: linear models by stochastic dual coordinate ascent."""

from dataflow.contrib.linear_optimizer.optimizer import SDCAOptimizer as SDCAOptimizer
from dataflow.contrib.linear_optimizer.sdca_model import SdcaModel as SdcaModel
from dataflow.contrib.linear_optimizer.sparse_feature_column import (
    SparseFeatureColumn as SparseFeatureColumn,
)
