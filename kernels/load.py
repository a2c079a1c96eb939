"""Imports the kernels, so that they register: those of `ops/`, and those for one device type."""

from __future__ import annotations

import functools
from typing import Any

from dataflow.values.submodules import import_all


@functools.cache
def load_generic() -> None:
    """Imports every module of kernels that run on any processor.

    Once: looking through the packages takes milliseconds also where all is imported.
    """
    import dataflow.kernels.cpu
    import dataflow.kernels.ops

    import_all(dataflow.kernels.ops)
    import_all(dataflow.kernels.cpu)


def load_gpu() -> None:
    """Imports the GPU kernels; only for a process that owns a GPU."""
    import dataflow.kernels.gpu

    import_all(dataflow.kernels.gpu)


def gpu_library() -> Any:
    """The array library of the GPU kernels: cupy, with what kernels need beside."""
    from dataflow.kernels.gpu.library import library

    return library
