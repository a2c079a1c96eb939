"""Defines every op: imports the op modules, which it finds by walking the package."""

from __future__ import annotations

import importlib
import pkgutil

import dataflow.ops


def load_ops() -> None:
    """Defines every op and installs the operators of Tensor."""
    for module in pkgutil.walk_packages(dataflow.ops.__path__, f"{dataflow.ops.__name__}."):
        importlib.import_module(module.name)
