"""tf.keras.mixed_precision: numbers that layers compute with, and those that they keep."""

from dataflow.keras.mixed_precision import experimental as experimental
