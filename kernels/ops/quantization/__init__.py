"""Kernels of arithmetic of few bits."""
