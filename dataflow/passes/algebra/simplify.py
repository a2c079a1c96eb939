"""Simplification: rules on arithmetic and static shapes, in one sweep over a graph."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from dataflow.passes.algebra import (
    arithmetic as simplify_arithmetic,
)
from dataflow.passes.algebra import (
    shapes as simplify_shapes,
)
from dataflow.passes.algebra.rewriter import Rewriter
from dataflow.passes.algebra.static_shapes import StaticShapes
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.order import topological_order
from dataflow.values.garbage import uncollected

_Rules = dict[str, tuple[simplify_arithmetic.Rule, ...]]


@dataclass(frozen=True, slots=True)
class SimplifyOptions:
    """Which kinds of rules are used."""

    arithmetic: bool = True
    """Algebra."""
    shapes: bool = True
    """What follows from static shapes."""
    order: bool = True
    """Control edges from nodes that only compute."""


DEFAULT_OPTIONS: Final = SimplifyOptions()


@dataclass(frozen=True, slots=True)
class Simplified:
    """A graph after the sweep."""

    graph: NodeGraph
    changed: bool = False
    added_constants: bool = False
    """Folding may find more to do."""


@uncollected
def simplify(
    graph: NodeGraph,
    targets: Collection[str] = (),
    unproven: Collection[str] = (),
    options: SimplifyOptions = DEFAULT_OPTIONS,
    *,
    in_place: bool = False,
) -> Simplified:
    """Applies the rules to each node, in the order in which nodes run.

    Values stay as they are to the bit, but for the sign of NaNs and for what `x ** -1` and
    `x ** 2` gain in precision. Nodes stay whose values nobody needs but that have an effect: state,
    checks, reads of variables. Reads and writes of state keep their order.

    Args:
      graph: Changed only if `in_place`.
      targets: Names of nodes that are to run though nobody uses them.
      unproven: Names of variables that may hold values of other shapes than they declare.
      options: Which rules are used.
      in_place: The caller gives the graph up.

    Returns:
      The simpler graph.
    """
    rules = _rules(options)
    if not options.order and not any(node.op in rules for node in graph.nodes()):
        return Simplified(graph)
    result = graph if in_place else graph.copy()
    rewriter = Rewriter(result, StaticShapes(unproven), targets)
    if options.order:
        rewriter.open_gates()
    for node in topological_order(result):
        found = rules.get(node.op)
        if found is not None:
            _apply(rewriter, node, found)
    rewriter.finish()
    return Simplified(result, rewriter.changed, rewriter.added_constants)


def _apply(
    rewriter: Rewriter, node: Node, rules: tuple[Callable[[Rewriter, Node], None], ...]
) -> None:
    op = node.op
    for rule in rules:
        if not node.out_edges or node.op != op or not rewriter.has_node(node):
            return
        rule(rewriter, node)


@lru_cache(maxsize=4)
def _rules(options: SimplifyOptions) -> _Rules:
    chosen: _Rules = {}
    sources = []
    if options.arithmetic:
        sources.append(simplify_arithmetic.RULES)
    if options.shapes:
        sources.append(simplify_shapes.RULES)
    for source in sources:
        for op, rules in source.items():
            chosen[op] = chosen.get(op, ()) + rules
    return chosen
