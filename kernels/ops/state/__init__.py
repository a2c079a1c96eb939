"""Kernels that hold, read and update variables."""
