"""tf.contrib.mixed_precision: an optimizer that multiplies the loss, and what says by how much."""

from dataflow.contrib.mixed_precision.loss_scale_manager import (
    ExponentialUpdateLossScaleManager as ExponentialUpdateLossScaleManager,
)
from dataflow.contrib.mixed_precision.loss_scale_manager import (
    FixedLossScaleManager as FixedLossScaleManager,
)
from dataflow.contrib.mixed_precision.loss_scale_manager import LossScaleManager as LossScaleManager
from dataflow.contrib.mixed_precision.loss_scale_optimizer import (
    LossScaleOptimizer as LossScaleOptimizer,
)
