"""tf.mixed_precision.experimental: the factors of losses, by the names they had first."""

from dataflow.training.loss_scaling.scales import DynamicLossScale as DynamicLossScale
from dataflow.training.loss_scaling.scales import FixedLossScale as FixedLossScale
from dataflow.training.loss_scaling.scales import LossScale as LossScale
