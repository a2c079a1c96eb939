"""tf.keras.mixed_precision.experimental: policies of layers, and optimizers that scale losses."""

from dataflow.keras.engine.policy import Policy as Policy
from dataflow.keras.engine.policy import global_policy as global_policy
from dataflow.keras.engine.policy import set_policy as set_policy
from dataflow.keras.optimizers.loss_scaling import LossScaleOptimizer as LossScaleOptimizer
