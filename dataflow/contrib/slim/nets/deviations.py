"""What weights of nets begin as."""

from __future__ import annotations

from dataflow.variables.initializers import TruncatedNormal


def trunc_normal(stddev: float) -> TruncatedNormal:
    """Draws from a normal distribution around 0, no further away than twice its deviation."""
    return TruncatedNormal(0.0, stddev)
