"""Kernels of queues and accumulators."""
