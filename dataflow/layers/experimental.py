"""tf.layers.experimental: layers that manage their variables as Keras does."""

from dataflow.library.layers.keras_style import keras_style_scope as keras_style_scope
from dataflow.library.layers.keras_style import set_keras_style as set_keras_style
