"""Kernels of reductions for CPU devices: of large arrays by several threads, or part by part."""
