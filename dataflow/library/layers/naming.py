"""Names of layers: from their class, and unlike others in a graph."""

from __future__ import annotations

import re
from collections import Counter

from dataflow.graph.variable_scope_object import kept_by_graph

_COUNTS_KEY = ("__layer_names",)


def class_name(layer: type) -> str:
    """The name of a class in small letters, with underscores."""
    return snake_case(layer.__name__)


def snake_case(name: str) -> str:
    """A name in small letters, with underscores: LayerNorm, layer_norm."""
    spaced = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    name = re.sub(r"([a-z])([A-Z])", r"\1_\2", spaced).lower()
    return f"private{name}" if name.startswith("_") else name


def numbered(name: str) -> str:
    """The name with a number that no layer of the default graph was given yet."""
    counts: Counter[str] = kept_by_graph(_COUNTS_KEY, Counter)
    counts[name] += 1
    return f"{name}_{counts[name]}"
