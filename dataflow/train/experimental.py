"""tf.train.experimental: multiplied losses, and what checkpoints hold besides variables."""

from dataflow.saving.checkpoint.python_state import PythonState as PythonState
from dataflow.training.loss_scaling.graph_rewrite import (
    disable_mixed_precision_graph_rewrite as disable_mixed_precision_graph_rewrite,
)
from dataflow.training.loss_scaling.graph_rewrite import (
    enable_mixed_precision_graph_rewrite as enable_mixed_precision_graph_rewrite,
)
from dataflow.training.loss_scaling.optimizer import (
    MixedPrecisionLossScaleOptimizer as MixedPrecisionLossScaleOptimizer,
)
from dataflow.training.loss_scaling.scales import DynamicLossScale as DynamicLossScale
from dataflow.training.loss_scaling.scales import FixedLossScale as FixedLossScale
from dataflow.training.loss_scaling.scales import LossScale as LossScale
