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


RULES: Final[dict[str, tuple[Rule, ...]]] = {
    "Mul": (_neutral(_is_one, on_left=True),),
    "RealDiv": (_neutral(_is_one, on_left=False),),
    "Div": (_neutral(_is_one, on_left=False),),
    "FloorDiv": (_neutral(_is_one, on_left=False, kinds="iu"),),
    "Add": (_neutral(_adds_nothing, on_left=True),),
    "AddV2": (_neutral(_adds_nothing, on_left=True),),
    "Sub": (_neutral(_is_positive_zero, on_left=False),),
    "Pow": (_power,),
    "Cast": (_same_type,),
    "Identity": (_passes_on,),
    "IdentityN": (_pass_on_each,),
    "StopGradient": (_passes_on,),
    "PreventGradient": (_passes_on,),
}
"""By op type, in the order in which they are tried."""
