"""Kernels of ops that write and read checkpoints, and of those that make names of files."""
