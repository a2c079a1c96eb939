"""Which operations and tensors are computed from others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.graph.operation import Operation


def depends_on(item: Any, tensors: Iterable[Any]) -> bool:
    """True if an operation or tensor is computed from one of the tensors, or is one."""
    sources = {id(each) for each in tensors}
    seen: set[int] = set()
    waiting = list(item.inputs) if isinstance(item, Operation) else [item]
    while waiting:
        tensor = waiting.pop()
        if id(tensor) in sources:
            return True
        op = tensor.op
        if id(op) not in seen:
            seen.add(id(op))
            waiting.extend(op.inputs)
    return False
