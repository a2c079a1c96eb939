"""Kernels of control flow's primitives and of assertions; what is alive the executor says."""
