"""Arithmetic that changes nothing or can be said shorter; exact for NaN, -0.0 and infinities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.passes.algebra.rewriter import Rewriter
from dataflow.passes.algebra.symbolic_shapes import broadcast_dims
from dataflow.passes.graphs.node_graph import Edge, Node

Rule = Callable[[Rewriter, Node], None]
"""Simplifies a node if it can."""


def _fill(value: np.ndarray) -> Any:
    """The number that all elements of a constant are, to the bit; None if there is none."""
    if value.dtype.kind not in "iufcb" or not value.size or value.size > 4096:
        return None
    first = value.reshape(-1)[0]
    if value.size > 1 and not (value == first).all():
        return None
    # An array of zeros of both signs is of no one value.
    return None if first == 0 and value.size > 1 and np.signbit(value).any() else first


def _is_one(number: Any) -> bool:
    return bool(number == 1)


def _is_positive_zero(number: Any) -> bool:
    return bool(number == 0) and not _is_signed(number)


def _adds_nothing(number: Any) -> bool:
    # 0.0 + -0.0 is 0.0: in floating point only -0.0 leaves every number as it is.
    return bool(number == 0) and (number.dtype.kind in "iu" or _is_signed(number))


def _is_signed(number: Any) -> bool:
    return bool(number.dtype.kind == "f" and np.signbit(number))


def _neutral(is_neutral: Callable[[Any], bool], on_left: bool, kinds: str = "iuf") -> Rule:
    """Takes away an operand that leaves the other one as it is."""

    def rule(rewriter: Rewriter, node: Node) -> None:
        edges = node.data_edges()
        for kept, other in ((edges[0], edges[1]), (edges[1], edges[0]))[: 2 if on_left else 1]:
            value = rewriter.constant(other)
            if value is None or value.dtype.kind not in kinds:
                continue
            number = _fill(value)
            if number is not None and is_neutral(number) and _keeps_shape(rewriter, kept, value):
                rewriter.bypass(node, kept)
                return

    return rule


def _keeps_shape(rewriter: Rewriter, kept: Edge, value: np.ndarray) -> bool:
    if not value.shape:
        return True
    dims = rewriter.shapes.of(kept)
    return dims is not None and broadcast_dims(dims, value.shape, lambda: -2) == dims


def _twice(rewriter: Rewriter, node: Node) -> None:
    """f(f(x)) is x."""
    (edge,) = node.data_edges()
    inner = edge.src
    if inner.op == node.op and not inner.control_edges():
        (source,) = inner.data_edges()
        if rewriter.may_take(edge, source):
            rewriter.bypass(node, source)


def _add_negated(rewriter: Rewriter, node: Node) -> None:
    """x + -y is x - y, and -x + y is y - x."""
    if not _is_number(node):
        return
    edges = node.data_edges()
    if edges[0].src.op != "Neg" and edges[1].src.op != "Neg":
        return
    for value, negated in ((edges[0], edges[1]), (edges[1], edges[0])):
        (source,) = _negation(rewriter, negated) or (None,)
        if source is None:
            continue
        if not rewriter.retype(node, "Sub", {"T": node.attrs["T"]}):
            return
        rewriter.take(negated, source)
        value.dst_input, negated.dst_input = 0, 1
        return


def _subtract_negated(rewriter: Rewriter, node: Node) -> None:
    """x - -y is x + y."""
    if not _is_number(node):
        return
    negated = node.data_edges()[1]
    found = _negation(rewriter, negated)
    if found and rewriter.retype(node, "AddV2", {"T": node.attrs["T"]}):
        rewriter.take(negated, found[0])


def _negation(rewriter: Rewriter, edge: Edge) -> tuple[Edge] | None:
    """What a negation that serves one node only negates."""
    node = edge.src
    if node.op != "Neg" or len(node.out_edges) != 1:
        return None
    (source,) = node.data_edges()
    return (source,) if rewriter.may_take(edge, source) else None


def _is_number(node: Node) -> bool:
    return bool(node.attrs["T"].is_floating or node.attrs["T"].is_integer)


def _power(rewriter: Rewriter, node: Node) -> None:
    """x ** 1 is x, x ** 2 is x * x, x ** -1 is 1 / x."""
    base, exponent = node.data_edges()
    value = rewriter.constant(exponent)
    if value is None or not node.attrs["T"].is_floating:
        return
    number = _fill(value)
    if number is None or not _keeps_shape(rewriter, base, value):
        return
    if number == 1:
        rewriter.bypass(node, base)
    elif number == 2:
        rewriter.retype(node, "Square", {"T": node.attrs["T"]}, drop=exponent)
    elif number == -1:
        rewriter.retype(node, "Reciprocal", {"T": node.attrs["T"]}, drop=exponent)


def _same_type(rewriter: Rewriter, node: Node) -> None:
    if node.attrs["SrcT"] is node.attrs["DstT"]:
        rewriter.bypass(node, node.data_edges()[0])


def _passes_on(rewriter: Rewriter, node: Node) -> None:
    """One that takes a tensor over a device stays, as in TensorFlow: it was put there."""
    (edge,) = node.data_edges()
    own = node.assigned_device
    on_the_way = edge.src.assigned_device != own and any(
        user.dst.assigned_device not in (own, "") for user in node.out_edges
    )
    if not on_the_way:
        rewriter.bypass(node, edge)


def _pass_on_each(rewriter: Rewriter, node: Node) -> None:
    rewriter.bypass_each(node, node.data_edges())


def _of_one(rewriter: Rewriter, node: Node) -> None:
    """A sum or a concatenation of one tensor is that tensor."""
    if node.attrs["N"] == 1:
        rewriter.bypass(node, node.data_edges()[1 if node.op == "Concat" else 0])


def _choose(rewriter: Rewriter, node: Node) -> None:
    """A choice that is made already."""
    condition, first, second = node.data_edges()
    value = rewriter.constant(condition)
    if value is None or not value.size or not (value == value.reshape(-1)[0]).all():
        return
    chosen, other = (first, second) if value.reshape(-1)[0] else (second, first)
    sizes, others = rewriter.shapes.of(chosen), rewriter.shapes.of(other)
    if sizes is None or sizes != others:
        return
    if value.shape and broadcast_dims(sizes, value.shape, lambda: -2) != sizes:
        return
    rewriter.bypass(node, chosen)


RULES: Final[dict[str, tuple[Rule, ...]]] = {
    "Mul": (_neutral(_is_one, on_left=True),),
    "RealDiv": (_neutral(_is_one, on_left=False),),
    "Div": (_neutral(_is_one, on_left=False),),
    "FloorDiv": (_neutral(_is_one, on_left=False, kinds="iu"),),
    "Add": (_neutral(_adds_nothing, on_left=True), _add_negated),
    "AddV2": (_neutral(_adds_nothing, on_left=True), _add_negated),
    "Sub": (_neutral(_is_positive_zero, on_left=False), _subtract_negated),
    "Pow": (_power,),
    "Neg": (_twice,),
    "LogicalNot": (_twice,),
    "Invert": (_twice,),
    "Cast": (_same_type,),
    "Identity": (_passes_on,),
    "IdentityN": (_pass_on_each,),
    "StopGradient": (_passes_on,),
    "PreventGradient": (_passes_on,),
    "AddN": (_of_one,),
    "ConcatV2": (_of_one,),
    "Concat": (_of_one,),
    "Select": (_choose,),
    "SelectV2": (_choose,),
}
"""By op type, in the order in which they are tried."""
