"""Whole TF1 programs, run on TensorFlow and here."""
