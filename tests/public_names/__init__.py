"""TensorFlow's public names and ours: which there are, how they are called, what checkers see."""
