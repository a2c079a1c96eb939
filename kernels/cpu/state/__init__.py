"""Kernels that change variables, for CPU devices: compiled, in blocks, or element by element."""
