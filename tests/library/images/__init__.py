"""Functions of tf.image, compared with TensorFlow."""
