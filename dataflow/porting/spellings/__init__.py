"""What internal paths of TensorFlow offer and its public names do not."""
