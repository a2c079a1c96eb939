"""Kernels over axes and segments: sums, extremes, running sums, counts."""
