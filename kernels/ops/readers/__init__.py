"""Kernels of readers, and of files as a whole."""
