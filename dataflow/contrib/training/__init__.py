"""tf.contrib.training: hyperparameters."""

from dataflow.contrib.training.hparams import HParams as HParams
from dataflow.contrib.training.hparams import parse_values as parse_values
