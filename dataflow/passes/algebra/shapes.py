"""What only depends on static shapes becomes constant, so that shape arithmetic vanishes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from dataflow.passes.algebra.arithmetic import Rule
from dataflow.passes.algebra.rewriter import Rewriter
from dataflow.passes.algebra.symbolic_shapes import Dims, is_known
from dataflow.passes.graphs.node_graph import Edge, Node


def _shape(rewriter: Rewriter, node: Node) -> None:
    for output, edge in enumerate(node.data_edges()):
        dims = rewriter.shapes.of(edge)
        if dims is None or not is_known(dims):
            continue
        dtype = node.output_types[output].as_numpy_dtype
        if max(dims, default=0) <= np.iinfo(dtype).max:
            rewriter.replace(node, output, np.array(dims, dtype))


def _size(rewriter: Rewriter, node: Node) -> None:
    dims = rewriter.shapes.of(node.data_edges()[0])
    if dims is None or not is_known(dims):
        return
    dtype = node.output_types[0].as_numpy_dtype
    size = int(np.prod(dims, dtype=object))
    if size <= np.iinfo(dtype).max:
        rewriter.replace(node, 0, np.array(size, dtype))


def _rank(rewriter: Rewriter, node: Node) -> None:
    dims = rewriter.shapes.of(node.data_edges()[0])
    if dims is not None:
        rewriter.replace(node, 0, np.array(len(dims), np.int32))


def _read(rewriter: Rewriter, node: Node) -> None:
    """Sizes that are read out of a shape of which not all are known."""
    dtype = node.output_types[0]
    edge = next((e for e in node.out_edges if e.src_output == 0), None)
    if edge is None or not dtype.is_integer:
        return
    if node.attrs["shrink_axis_mask"]:
        number = rewriter.shapes.number(edge)
        if number is not None and number >= 0:
            rewriter.replace(node, 0, np.array(number, dtype.as_numpy_dtype))
        return
    found = rewriter.shapes.vector(edge)
    if is_known(found):
        rewriter.replace(node, 0, np.array(found, dtype.as_numpy_dtype))


def _gradient_axes(rewriter: Rewriter, node: Node) -> None:
    """The axes along which the gradient of an operand that was repeated is summed up."""
    first, second = (rewriter.shapes.vector(edge) for edge in node.data_edges())
    if first is None or second is None or -1 in first or -1 in second:
        return
    dtype = node.output_types[0].as_numpy_dtype
    for output, (own, other) in enumerate(((first, second), (second, first))):
        axes = _repeated(own, other)
        if axes is None:
            continue
        # A size that is not known may be 1: then summing up or not is the same, but for the number
        # of dimensions.
        exact = first == second or (is_known(first) and is_known(second))
        if exact or _is_reshaped(node, output):
            rewriter.replace(node, output, np.array(axes, dtype))


def _aligned(own: Sequence[int], other: Sequence[int]) -> list[tuple[int, int]]:
    rank = max(len(own), len(other))
    filled = (tuple([1] * (rank - len(s))) + tuple(s) for s in (own, other))
    return list(zip(*filled, strict=True))


def _repeated(own: Sequence[int], other: Sequence[int]) -> list[int] | None:
    """The axes along which a tensor is repeated; None if that is not known."""
    if own == other:
        return []
    axes = []
    for axis, (m, n) in enumerate(_aligned(own, other)):
        if m == 1:
            axes.append(axis)
        elif m < 0 and n not in (m, 1):
            return None
    return axes


def _is_reshaped(node: Node, output: int) -> bool:
    """True if all that is summed along these axes is brought to the operand's shape."""
    for edge in node.out_edges:
        if edge.src_output != output:
            continue
        user = edge.dst
        if user.op != "Sum" or edge.dst_input != 1:
            return False
        if any(e.dst.op != "Reshape" or e.dst_input != 0 for e in user.out_edges):
            return False
    return True


def _reduce_nothing(rewriter: Rewriter, node: Node) -> None:
    """A reduction along no axis."""
    values, axes = node.data_edges()
    found = rewriter.constant(axes)
    if found is not None and found.shape == (0,):
        rewriter.bypass(node, values)


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


RULES: Final[dict[str, tuple[Rule, ...]]] = {
    "Shape": (_shape,),
    "ShapeN": (_shape,),
    "Size": (_size,),
    "Rank": (_rank,),
    "StridedSlice": (_read,),
    "BroadcastGradientArgs": (_gradient_axes,),
    "Sum": (_reduce_nothing,),
    "Mean": (_reduce_nothing,),
    "Max": (_reduce_nothing,),
    "Min": (_reduce_nothing,),
    "Prod": (_reduce_nothing,),
    "Reshape": (_reshape,),
}
"""By op type, in the order in which they are tried."""
