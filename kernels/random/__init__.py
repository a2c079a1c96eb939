"""Philox4x32-10 and TensorFlow's draws from it, for many invocations at once; knows no op."""
