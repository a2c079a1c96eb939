"""Kernels of Fourier transforms and of sound."""
