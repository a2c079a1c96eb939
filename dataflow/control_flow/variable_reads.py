"""Values of resource variables, where a branch or a loop body has variables among its results."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.values import nest


def read_variables(structure: Any) -> Any:
    """The structure with the resource variables in it replaced by their values."""
    return nest.map_structure(_read, structure)


def _read(value: Any) -> Any:
    return convert_to_tensor(value) if hasattr(value, "_handle") else value
