"""The ops, one file per family: schema, shape function, gradient and docstring together."""

from __future__ import annotations

# Its ops have no public functions that would import it; the passes put them into graphs.
import dataflow.ops.plumbing  # noqa: F401

__all__: list[str] = []
