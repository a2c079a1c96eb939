"""Linear operators, against TensorFlow's."""
