"""Imports the kernels, so that they register: those of `ops/`, and those for one device type."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def load_generic() -> None:
    """Imports every module of kernels that run on any processor."""
    import dataflow.kernels.cpu
    import dataflow.kernels.ops

    _import_all(dataflow.kernels.ops)
    _import_all(dataflow.kernels.cpu)


def load_gpu() -> None:
    """Imports the GPU kernels; only for a process that owns a GPU."""
    import dataflow.kernels.gpu

    _import_all(dataflow.kernels.gpu)


def _import_all(package: ModuleType) -> None:
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
