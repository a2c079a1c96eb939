"""Refuses results that have more dimensions than a tensor may have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.values.shapes import MAX_RANK, RankError


def bounded(call: Callable[..., Any]) -> Callable[..., Any]:
    """The callable of a kernel with one result, which is looked at before anyone works with it."""

    def run(*inputs: Any) -> Any:
        result = call(*inputs)
        rank = getattr(result, "ndim", 0)
        if rank > MAX_RANK:
            raise RankError("The result", rank)
        return result

    return run
