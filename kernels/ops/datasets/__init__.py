"""Kernels of ops on datasets and iterators."""
