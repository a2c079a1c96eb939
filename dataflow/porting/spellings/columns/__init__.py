"""Names of TensorFlow's modules of feature columns."""
