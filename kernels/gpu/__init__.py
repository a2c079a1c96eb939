"""Kernels for GPU devices, in folders as in `ops/`, and the array library that kernels get there.

Imported only by a process that owns a GPU. `library.py` is cupy with what it lacks; `places.py`
combines values into places that come several times.
"""
