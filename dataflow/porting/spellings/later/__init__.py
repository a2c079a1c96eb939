"""What TensorFlow 2 added to its inner modules after it took the place of TensorFlow 1."""
