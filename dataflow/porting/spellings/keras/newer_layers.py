"""tf.compat.v2.keras.layers: what is not as in TensorFlow 1."""

from dataflow.keras.layers.newer_features import DenseFeatures as DenseFeatures
