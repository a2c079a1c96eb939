"""tf.contrib.sparsemax: probabilities of which many are 0, and their loss."""

from dataflow.contrib.sparsemax.projection import sparsemax as sparsemax
from dataflow.contrib.sparsemax.projection import sparsemax_loss as sparsemax_loss
