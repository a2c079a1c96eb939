"""tf.keras.experimental: cells, schedules, models and files of models that are not settled."""

from dataflow.keras.engine.premade import LinearModel as LinearModel
from dataflow.keras.engine.premade import WideDeepModel as WideDeepModel
from dataflow.keras.engine.premade import (
    terminate_keras_multiprocessing_pools as terminate_keras_multiprocessing_pools,
)
from dataflow.keras.layers.features import SequenceFeatures as SequenceFeatures
from dataflow.keras.layers.recurrent.cells import PeepholeLSTMCell as PeepholeLSTMCell
from dataflow.keras.optimizers.schedules import CosineDecay as CosineDecay
from dataflow.keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts
from dataflow.keras.optimizers.schedules import LinearCosineDecay as LinearCosineDecay
from dataflow.keras.optimizers.schedules import NoisyLinearCosineDecay as NoisyLinearCosineDecay
from dataflow.keras.saving.saved_model import export_saved_model as export_saved_model
from dataflow.keras.saving.saved_model import load_from_saved_model as load_from_saved_model
