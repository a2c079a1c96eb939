"""A graph as HTML: operations by scopes that fold, with types, devices, shapes and links to inputs.

It needs no script, no font and no network, and has a bounded length whatever the graph's.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph
    from dataflow.graph.operation import Operation
    from dataflow.graph.tensor import Tensor

MOST: Final = 1000
"""Operations that are shown; of the others their number is told, scope by scope."""
_OPEN: Final = 30
"""A scope of at most so many operations is shown unfolded, where it is the only one."""
_MOST_INPUTS: Final = 12
_COLORS: Final = ("#1a73e8", "#c5221f", "#188038", "#b06000", "#8430ce", "#00796b")

_STYLE: Final = """
.dataflow-graph{font:13px/1.5 system-ui,sans-serif;max-height:40em;overflow:auto}
.dataflow-graph details{margin-left:1em;border-left:1px solid #8884;padding-left:.5em}
.dataflow-graph summary{cursor:pointer;font-weight:600}
.dataflow-graph .op{margin-left:2em;text-indent:-1em}
.dataflow-graph .op:target{background:#fd66}
.dataflow-graph .type{font-weight:600}
.dataflow-graph .shape,.dataflow-graph .more{color:#777}
.dataflow-graph a{text-decoration:none}
"""

_numbers = itertools.count()
"""Two pictures on one page have different anchors."""


@dataclass(slots=True)
class _Scope:
    name: str
    ops: list[Operation] = field(default_factory=list)
    scopes: dict[str, _Scope] = field(default_factory=dict)
    size: int = 0


@dataclass(slots=True)
class _Drawing:
    """One picture: which operations have a line, and the colors of devices."""

    number: int
    anchors: dict[str, int]
    devices: dict[str, str] = field(default_factory=dict)
    drawn: int = 0

    def color(self, device: str) -> str:
        if device not in self.devices:
            self.devices[device] = _COLORS[len(self.devices) % len(_COLORS)]
        return self.devices[device]


def picture(graph: Graph) -> str:
    """The graph as a piece of HTML, as notebooks ask for."""
    ops = graph.get_operations()
    root = _by_scope(ops)
    drawing = _Drawing(next(_numbers), {op.name: index for index, op in enumerate(ops)})
    body = "".join(_inside(root, drawing))
    devices = ", ".join(
        f'<span style="color:{color}">{escape(device or "no device")}</span>'
        for device, color in drawing.devices.items()
    )
    return (
        f'<div class="dataflow-graph"><style>{_STYLE}</style>'
        f"<div><b>Graph</b> of {len(ops):,} operations; {devices or 'none'}</div>{body}</div>"
    )


def page(graph: Graph) -> str:
    """The graph as a page of its own."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Graph</title>'
        "<style>.dataflow-graph{max-height:none!important}</style></head>"
        f"<body>{picture(graph)}</body></html>\n"
    )


def _by_scope(ops: Sequence[Operation]) -> _Scope:
    root = _Scope("")
    # An operation that others are named below is the head of their scope.
    heads = {op.name.rpartition("/")[0] for op in ops}
    for op in ops:
        place = root
        path = op.name if op.name in heads else op.name.rpartition("/")[0]
        place.size += 1
        for part in path.split("/") if path else ():
            place = place.scopes.setdefault(part, _Scope(part))
            place.size += 1
        place.ops.append(op)
    return root


def _inside(scope: _Scope, drawing: _Drawing) -> Iterator[str]:
    # Names may have thousands of parts: no recursion.
    ahead: list[Iterator[str | _Scope]] = [_parts(scope, drawing)]
    while ahead:
        part = next(ahead[-1], None)
        if part is None:
            ahead.pop()
            if ahead:
                yield "</details>"
        elif isinstance(part, str):
            yield part
        else:
            unfolded = " open" if part.size <= _OPEN and len(ahead) == 1 else ""
            yield f"<details{unfolded}><summary>{escape(part.name)} "
            yield f'<span class="more">{part.size:,}</span></summary>'
            ahead.append(_parts(part, drawing))


def _parts(scope: _Scope, drawing: _Drawing) -> Iterator[str | _Scope]:
    """Its own operations, then the scopes in it; what is too much is counted only."""
    left_out = 0
    for op in scope.ops:
        if drawing.drawn >= MOST:
            left_out += 1
            continue
        drawing.drawn += 1
        yield _line(op, drawing)
    for inner in scope.scopes.values():
        if drawing.drawn >= MOST:
            left_out += inner.size
        else:
            yield inner
    if left_out:
        yield f'<div class="op more">... {left_out:,} more operations</div>'


def _line(op: Operation, drawing: _Drawing) -> str:
    name = escape(op.name.rpartition("/")[2])
    shapes = ", ".join(map(_described, op.outputs[:_MOST_INPUTS]))
    inputs = [_link(tensor, drawing) for tensor in op.inputs[:_MOST_INPUTS]]
    if len(op.inputs) > _MOST_INPUTS:
        inputs.append(f"{len(op.inputs) - _MOST_INPUTS} more")
    color = drawing.color(op.device)
    return (
        f'<div class="op" id="{_anchor(op.name, drawing)}" title="{escape(op.device)}">'
        f'<span class="type" style="color:{color}">{escape(op.type)}</span> {name}'
        f' <span class="shape">{escape(shapes)}</span>'
        f"{' &larr; ' + ', '.join(inputs) if inputs else ''}</div>"
    )


def _described(tensor: Tensor) -> str:
    return f"{tensor.dtype.name} {tensor.shape}"


def _link(tensor: Tensor, drawing: _Drawing) -> str:
    return f'<a href="#{_anchor(tensor.op.name, drawing)}">{escape(tensor.name)}</a>'


def _anchor(name: str, drawing: _Drawing) -> str:
    return f"dataflow-{drawing.number}-{drawing.anchors.get(name, 'outside')}"
