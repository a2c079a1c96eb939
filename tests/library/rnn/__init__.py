"""Recurrent nets against TensorFlow's."""
