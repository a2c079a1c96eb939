"""Kernels for CPU devices where the one in `ops/` is not the best; folders as there."""
