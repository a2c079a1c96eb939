"""Kernels that make, move, choose and look up elements, and those of shapes."""
