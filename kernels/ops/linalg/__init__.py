"""Kernels of products and decompositions of matrices."""
