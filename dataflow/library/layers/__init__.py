"""tf.layers: variables and the operations that use them as one object; knows no session."""
