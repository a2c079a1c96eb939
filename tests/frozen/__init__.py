"""Frozen graphs of well-known nets, made by TensorFlow with random weights, run here."""
