"""Moves of elements that move nothing, undo each other, or belong into a product."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from dataflow.passes.algebra.arithmetic import Rule
from dataflow.passes.algebra.rewriter import Rewriter
from dataflow.passes.algebra.symbolic_shapes import Dims, is_known
from dataflow.passes.graphs.node_graph import Edge, Node


def _order(rewriter: Rewriter, node: Node) -> list[int] | None:
    """The constant permutation of a Transpose."""
    value = rewriter.constant(node.data_edges()[1])
    if value is None or value.ndim != 1:
        return None
    order: list[int] = value.tolist()
    return order if sorted(order) == list(range(len(order))) else None


def _transpose(rewriter: Rewriter, node: Node) -> None:
    """The identity goes away; of two in a row one is left."""
    order = _order(rewriter, node)
    if order is None:
        return
    values, axes = node.data_edges()
    if order == list(range(len(order))):
        rewriter.bypass(node, values)
        return
    inner = values.src
    if inner.op != "Transpose":
        return
    first = _order(rewriter, inner)
    source = inner.data_edges()[0]
    if first is None or len(first) != len(order) or not rewriter.may_take(values, source):
        return
    both = [first[axis] for axis in order]
    if both == list(range(len(both))):
        rewriter.bypass(node, source)
    elif rewriter.constant_input(axes, np.array(both, axes.dtype.as_numpy_dtype)):
        rewriter.take(values, source)


def _transposed_operands(rewriter: Rewriter, node: Node) -> None:
    """A product reads its operands in either order."""
    flags = ("transpose_a", "transpose_b") if node.op == "MatMul" else ("adj_x", "adj_y")
    if node.output_types[0].is_complex and node.op != "MatMul":
        # There the flag conjugates as well.
        return
    for flag, edge in zip(flags, node.data_edges(), strict=False):
        inner = edge.src
        if inner.op != "Transpose":
            continue
        order = _order(rewriter, inner)
        if order is None or len(order) < 2:
            continue
        rank = len(order)
        if order != [*range(rank - 2), rank - 1, rank - 2]:
            continue
        source = inner.data_edges()[0]
        if rewriter.may_take(edge, source):
            node.attrs = {**node.attrs, flag: not node.attrs[flag]}
            rewriter.take(edge, source)


def _reshape(rewriter: Rewriter, node: Node) -> None:
    """To the shape that is there already; of two in a row the first one goes away."""
    values, target = node.data_edges()
    inner = values.src
    if inner.op == "Reshape" and rewriter.may_take(values, inner.data_edges()[0]):
        rewriter.take(values, inner.data_edges()[0])
    elif rewriter.is_given(target):
        # Whoever wrote this shape down meant something by it.
        return
    sizes, wanted = rewriter.shapes.of(values), rewriter.shapes.vector(target)
    if sizes is not None and wanted is not None and _is_same(sizes, wanted):
        rewriter.bypass(node, values)
        return
    if rewriter.constant(target) is None and wanted is not None:
        _known_target(rewriter, target, sizes, wanted)


def _is_same(sizes: Sequence[int], wanted: Sequence[int]) -> bool:
    if len(sizes) != len(wanted):
        return False
    different = [i for i, n in enumerate(wanted) if n != sizes[i]]
    if not different:
        return -1 not in wanted
    # -1 stands for the one size that is missing, unless there are no elements to tell it from.
    (place, *more) = different
    others = [n for i, n in enumerate(sizes) if i != place]
    return not more and wanted[place] == -1 and min(others, default=1) > 0


def _known_target(rewriter: Rewriter, target: Edge, sizes: Dims, wanted: Sequence[int]) -> None:
    """Writes a shape down; one size that is not known may be left to the others."""
    if not is_known(tuple(wanted)):
        if sizes is None or not _is_sound(list(sizes), list(wanted)):
            return
        wanted = [n if n >= 0 else -1 for n in wanted]
    rewriter.constant_input(target, np.array(wanted, target.dtype.as_numpy_dtype))


def _is_sound(sizes: list[int], wanted: list[int]) -> bool:
    """True if both have one and the same size that is not known, and as many elements."""
    (symbol, *more) = [n for n in wanted if n < 0]
    if more or symbol == -1 or sizes.count(symbol) != 1:
        return False
    sizes.remove(symbol)
    wanted.remove(symbol)
    return min(sizes, default=1) > 0 and math.prod(sizes) == math.prod(wanted)


def _unpacked(rewriter: Rewriter, node: Node) -> None:
    """Packing, or joining, all the parts that something was cut into, in their order."""
    edges = node.data_edges()
    if node.op == "ConcatV2":
        *edges, axis = edges
        place = rewriter.constant(axis)
        cut_op, number = ("Split", None if place is None else int(place))
    else:
        cut_op, number = ("Unpack", node.attrs["axis"])
    inner = edges[0].src
    if number is None or inner.op != cut_op or len(inner.output_types) != len(edges):
        return
    if any(e.src is not inner or e.src_output != i for i, e in enumerate(edges)):
        return
    if cut_op == "Split":
        axis, source = inner.data_edges()
        place = rewriter.constant(axis)
        if place is None or int(place) != number:
            return
    else:
        (source,) = inner.data_edges()
        if inner.attrs["axis"] != number:
            return
    if not inner.control_edges():
        rewriter.bypass(node, source)


def _packed(rewriter: Rewriter, node: Node) -> None:
    """The parts of something that was packed of tensors of one shape are those tensors."""
    packed = node.data_edges()[0].src
    if packed.op != "Pack" or packed.attrs["axis"] != node.attrs["axis"]:
        return
    sources = packed.data_edges()
    if len(sources) != len(node.output_types) or packed.control_edges():
        return
    sizes = rewriter.shapes.of(sources[0])
    if sizes is None or any(rewriter.shapes.of(source) != sizes for source in sources):
        return
    rewriter.bypass_each(node, sources)


def _repeated_once(rewriter: Rewriter, node: Node) -> None:
    """Tile: each dimension once. Pad: by nothing."""
    values, amounts = node.data_edges()[:2]
    amount = rewriter.constant(amounts)
    if amount is not None and (amount == (1 if node.op == "Tile" else 0)).all():
        rewriter.bypass(node, values)


def _broadcast(rewriter: Rewriter, node: Node) -> None:
    values, target = node.data_edges()
    sizes, wanted = rewriter.shapes.of(values), rewriter.shapes.vector(target)
    if sizes is not None and sizes == wanted and -1 not in wanted:
        rewriter.bypass(node, values)


def _whole_slice(rewriter: Rewriter, node: Node) -> None:
    values, begin, size = node.data_edges()
    first, sizes = rewriter.constant(begin), rewriter.constant(size)
    if first is None or sizes is None or first.any():
        return
    dims = rewriter.shapes.of(values)
    if (
        dims is not None
        and len(dims) == len(sizes)
        and all(n == -1 or n == have for n, have in zip(sizes.tolist(), dims, strict=True))
    ):
        rewriter.bypass(node, values)


def _whole_strided_slice(rewriter: Rewriter, node: Node) -> None:
    """`x[:]`, `x[:, :]`, `x[...]`."""
    attrs = node.attrs
    values, *bounds = node.data_edges()
    begin, end, steps = (rewriter.constant(bound) for bound in bounds)
    if begin is None or end is None or steps is None or (steps != 1).any():
        return
    if attrs["new_axis_mask"] or attrs["shrink_axis_mask"]:
        return
    open_ended = attrs["begin_mask"] & attrs["end_mask"] | attrs["ellipsis_mask"]
    every = (1 << len(steps)) - 1
    if open_ended & every != every:
        return
    dims = rewriter.shapes.of(values)
    if dims is not None and len(steps) <= len(dims) + bool(attrs["ellipsis_mask"]):
        rewriter.bypass(node, values)


RULES: Final[dict[str, tuple[Rule, ...]]] = {
    "Transpose": (_transpose,),
    "MatMul": (_transposed_operands,),
    "BatchMatMul": (_transposed_operands,),
    "BatchMatMulV2": (_transposed_operands,),
    "BatchMatMulV3": (_transposed_operands,),
    "Reshape": (_reshape,),
    "Pack": (_unpacked,),
    "ConcatV2": (_unpacked,),
    "Unpack": (_packed,),
    "Tile": (_repeated_once,),
    "Pad": (_repeated_once,),
    "PadV2": (_repeated_once,),
    "BroadcastTo": (_broadcast,),
    "Slice": (_whole_slice,),
    "StridedSlice": (_whole_strided_slice,),
}
"""By op type, in the order in which they are tried."""
