"""Which operations and tensors are computed from others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.graph.operation import Operation


def depends_on(item: Any, tensors: Iterable[Any]) -> bool:
    """True if an operation or tensor is computed from one of the tensors, or is one."""
    return bool(dependent([item], tensors))


def dependent(items: Iterable[Any], tensors: Iterable[Any]) -> list[Any]:
    """Those of some operations and tensors that are computed from one of the tensors, or are one.

    What an operation waits for counts like what it takes: a variable is read after its update.
    """
    items, sources = list(items), {id(each) for each in tensors}
    after: dict[Operation, list[Operation]] = {}
    found: dict[Operation, None] = {}
    waiting = [each if isinstance(each, Operation) else each.op for each in items]
    seen = set(waiting)
    while waiting:
        op = waiting.pop()
        if any(id(each) in sources for each in op.inputs):
            found[op] = None
        for before in (*(each.op for each in op.inputs), *op.control_inputs):
            after.setdefault(before, []).append(op)
            if before not in seen:
                seen.add(before)
                waiting.append(before)
    waiting = list(found)
    while waiting:
        for op in after.get(waiting.pop(), ()):
            if op not in found:
                found[op] = None
                waiting.append(op)
    return [
        each
        for each in items
        if id(each) in sources or (each if isinstance(each, Operation) else each.op) in found
    ]
