"""Kernels that read and write records: examples, CSV, raw bytes, tensors as messages."""
