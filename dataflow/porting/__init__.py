"""Runs programs that import TensorFlow: which path of theirs means which of our modules.

It asks our modules by name, when a program does; nothing of the library knows it."""
