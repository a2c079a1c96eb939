"""tf.compat.v2, for programs that run with TensorFlow's name meaning this library: graphs only."""
