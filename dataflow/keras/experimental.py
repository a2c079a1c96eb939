"""tf.keras.experimental: cells and schedules that are not settled."""

from dataflow.keras.layers.recurrent.cells import PeepholeLSTMCell as PeepholeLSTMCell
from dataflow.keras.optimizers.schedules import CosineDecay as CosineDecay
from dataflow.keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts
from dataflow.keras.optimizers.schedules import LinearCosineDecay as LinearCosineDecay
from dataflow.keras.optimizers.schedules import NoisyLinearCosineDecay as NoisyLinearCosineDecay
