"""Spellings from before TensorFlow 1.0 that today's names have not taken."""
