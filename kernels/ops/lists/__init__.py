"""Kernels of tensor arrays, tensor lists, stacks, optionals and variants."""
