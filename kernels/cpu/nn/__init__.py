"""Kernels of neural networks for CPU devices: by oneDNN, by several threads, of few numbers."""
