"""tf.layers against the layers that TensorFlow still has, and numpy."""
