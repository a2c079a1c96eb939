"""Kernels for GPU devices; imported only by a process that owns a GPU; folders as in `ops/`."""
