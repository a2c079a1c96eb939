"""Kernels of images, on the host."""
