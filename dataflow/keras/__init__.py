"""tf.keras: layers, models and what trains them, on graphs and sessions."""

from dataflow.keras import activations as activations
from dataflow.keras import applications as applications
from dataflow.keras import backend as backend
from dataflow.keras import callbacks as callbacks
from dataflow.keras import constraints as constraints
from dataflow.keras import datasets as datasets
from dataflow.keras import estimator as estimator
from dataflow.keras import experimental as experimental
from dataflow.keras import initializers as initializers
from dataflow.keras import layers as layers
from dataflow.keras import losses as losses
from dataflow.keras import metrics as metrics
from dataflow.keras import mixed_precision as mixed_precision
from dataflow.keras import models as models
from dataflow.keras import optimizers as optimizers
from dataflow.keras import preprocessing as preprocessing
from dataflow.keras import regularizers as regularizers
from dataflow.keras import utils as utils
from dataflow.keras import wrappers as wrappers
from dataflow.keras.engine.input_layer import Input as Input
from dataflow.keras.engine.sequential import Sequential as Sequential
from dataflow.keras.engine.training import Model as Model

__version__ = "2.2.4-tf"
