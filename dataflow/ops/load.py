"""Defines every op: imports the op modules, which it finds by walking the package."""

from __future__ import annotations

import dataflow.ops
from dataflow.values.submodules import import_all


def load_ops() -> None:
    """Defines every op."""
    import_all(dataflow.ops)
