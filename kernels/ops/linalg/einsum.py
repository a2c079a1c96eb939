"""Kernel of Einstein summation: diagonals, sums, then one matrix product over all batch axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dataflow.kernels.contract.element_types import COMPLEX, FLOATS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import widened
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.linalg.matmul import Multiply
from dataflow.values import dtypes

Labels = tuple[Any, ...]
"""Labels of an array's axes: characters, and ints for the axes of an ellipsis: -1 is its last."""

_TYPES = (*FLOATS, dtypes.int32, dtypes.int64, *COMPLEX)


@kernel("Einsum", dtypes={"T": _TYPES}, grows=True)
def einsum(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return einsum_by(node, xp, xp.matmul)


def einsum_by(node: KernelNode, xp: Any, multiply: Multiply) -> Callable[..., Any]:
    """The callable of `Einsum`, by a function that multiplies stacks of matrices."""
    inputs, output = node.attr("equation").decode().split("->")
    subscripts = inputs.split(",")
    plans: dict[tuple[int, ...], _Contraction] = {}

    def run(*arrays: Any) -> Any:
        ranks = tuple(array.ndim for array in arrays)
        plan = plans.get(ranks)
        if plan is None:
            plan = plans[ranks] = _plan(subscripts, output, ranks)
        return _compute(plan, arrays, xp, multiply)

    return widened(run, node.output_dtypes[0])


@dataclass(frozen=True, slots=True)
class _Factor:
    """How to reduce an operand to axes that are each there once and needed."""

    diagonals: tuple[tuple[int, int], ...]
    """Pairs of axes to take the diagonal of, in turn; it becomes the last axis."""
    summed: tuple[int, ...]
    labels: Labels
    """Labels of the axes that are left."""


@dataclass(frozen=True, slots=True)
class _Matrices:
    """How to turn an operand into a stack of matrices: the axes that become each part."""

    order: tuple[int, ...]
    batch: tuple[int | None, ...]
    """None for an axis that the operand lacks: there it has size 1."""
    rows: tuple[int, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Contraction:
    """What to do with operands of given ranks."""

    equal: tuple[tuple[tuple[int, int], ...], ...]
    """Groups of (operand, axis) that have one label and so one size."""
    operands: tuple[_Factor, ...]
    matrices: tuple[_Matrices, _Matrices] | None
    """For a product of two operands."""
    order: tuple[int, ...]
    """Of the axes of the product, to those of the result."""
    repeats: tuple[tuple[int, int], ...]
    """(axis, place): further axes of the result that have the label of an axis before them."""


def _plan(subscripts: Sequence[str], output: str, ranks: Sequence[int]) -> _Contraction:
    labelled = [
        _labels(s, rank, i) for i, (s, rank) in enumerate(zip(subscripts, ranks, strict=True))
    ]
    dots_rank = max(sum(isinstance(s, int) for s in labels) for labels in labelled)
    result = _output_labels(output, dots_rank)
    operands = []
    for i, labels in enumerate(labelled):
        others = {s for j, other in enumerate(labelled) if j != i for s in other}
        operands.append(_operand(labels, others | set(result)))
    once = tuple(dict.fromkeys(result))
    matrices = None
    made = operands[0].labels
    if len(operands) == 2:
        matrices, made = _product(operands[0].labels, operands[1].labels, set(result))
    return _Contraction(
        equal=_groups(labelled),
        operands=tuple(operands),
        matrices=matrices,
        order=tuple(made.index(s) for s in once),
        repeats=_repeats(once, result),
    )


def _labels(subscripts: str, rank: int, position: int) -> Labels:
    before, dots, after = subscripts.partition("...")
    named = len(before) + len(after)
    if not dots and rank != named:
        raise invalid(f"Expected input {position} to have rank {named} but got: {rank}")
    if rank < named:
        raise invalid(f"Expected input {position} to have rank at least {named} but got: {rank}")
    return (*before, *range(named - rank, 0), *after)


def _output_labels(subscripts: str, dots_rank: int) -> Labels:
    before, dots, after = subscripts.partition("...")
    if not dots and dots_rank:
        raise invalid(
            f"Output contains {dots_rank} broadcasting dimension(s) but no ellipsis (...) was "
            "found in the output subscripts."
        )
    return (*before, *range(-dots_rank, 0), *after)


def _groups(labelled: Sequence[Labels]) -> tuple[tuple[tuple[int, int], ...], ...]:
    places: dict[str, list[tuple[int, int]]] = {}
    for i, labels in enumerate(labelled):
        for axis, label in enumerate(labels):
            if not isinstance(label, int):
                places.setdefault(label, []).append((i, axis))
    return tuple(tuple(group) for group in places.values() if len(group) > 1)


def _operand(labels: Labels, needed: set[Any]) -> _Factor:
    diagonals = []
    position = 0
    while position < len(labels):
        label = labels[position]
        first = labels.index(label)
        if first == position:
            position += 1
            continue
        diagonals.append((first, position))
        rest = tuple(s for i, s in enumerate(labels) if i not in (first, position))
        labels, position = (*rest, label), 0
    summed = tuple(i for i, s in enumerate(labels) if s not in needed)
    return _Factor(tuple(diagonals), summed, tuple(s for s in labels if s in needed))


def _product(x: Labels, y: Labels, output: set[Any]) -> tuple[tuple[_Matrices, _Matrices], Labels]:
    """The matrices to multiply, and the labels of the product's axes.

    The axes of dots stay apart from each other in the stack, so that they broadcast.
    """
    dots = sorted({s for s in (*x, *y) if isinstance(s, int)})
    common = [s for s in x if s in y and not isinstance(s, int)]
    batch = (*dots, *(s for s in common if s in output))
    inner = tuple(s for s in common if s not in output)
    free_x = tuple(s for s in x if s not in y and not isinstance(s, int))
    free_y = tuple(s for s in y if s not in x and not isinstance(s, int))
    matrices = (_matrices(x, batch, free_x, inner), _matrices(y, batch, inner, free_y))
    return matrices, (*batch, *free_x, *free_y)


def _matrices(labels: Labels, batch: Labels, rows: Labels, columns: Labels) -> _Matrices:
    def axes(of: Labels) -> tuple[int, ...]:
        return tuple(labels.index(s) for s in of if s in labels)

    return _Matrices(
        order=axes((*batch, *rows, *columns)),
        batch=tuple(labels.index(s) if s in labels else None for s in batch),
        rows=axes(rows),
        columns=axes(columns),
    )


def _repeats(once: Labels, result: Labels) -> tuple[tuple[int, int], ...]:
    labels = once
    repeats = []
    for position, label in enumerate(result):
        if position >= len(labels) or labels[position] != label:
            repeats.append((labels.index(label), position))
            labels = (*labels[:position], label, *labels[position:])
    return tuple(repeats)


def _compute(plan: _Contraction, arrays: Sequence[Any], xp: Any, multiply: Multiply) -> Any:
    for group in plan.equal:
        operand, axis = group[0]
        size = arrays[operand].shape[axis]
        for operand, axis in group[1:]:
            if arrays[operand].shape[axis] != size:
                raise _unequal(size, axis, arrays[operand])
    reduced = [_reduced(o, array, xp) for o, array in zip(plan.operands, arrays, strict=True)]
    result = reduced[0]
    if plan.matrices is not None:
        result = _multiplied(plan.matrices, reduced, xp, multiply)
    result = xp.transpose(result, plan.order)
    for axis, position in plan.repeats:
        result = _on_diagonal(result, axis, position, xp)
    return result


def _unequal(size: int, axis: int, array: Any) -> Exception:
    return invalid(
        f"Expected dimension {size} at axis {axis} of the input shaped "
        f"{shape_text(array.shape)} but got dimension {array.shape[axis]}"
    )


def _reduced(operand: _Factor, array: Any, xp: Any) -> Any:
    for axis1, axis2 in operand.diagonals:
        array = xp.diagonal(array, axis1=axis1, axis2=axis2)
    return array.sum(axis=operand.summed, dtype=array.dtype) if operand.summed else array


def _multiplied(
    matrices: tuple[_Matrices, _Matrices], arrays: Sequence[Any], xp: Any, multiply: Multiply
) -> Any:
    stacks = []
    free: list[int] = []
    for side, (how, array) in enumerate(zip(matrices, arrays, strict=True)):
        shape = array.shape
        rows, columns = [shape[i] for i in how.rows], [shape[i] for i in how.columns]
        batch = [1 if i is None else shape[i] for i in how.batch]
        turned = xp.transpose(array, how.order)
        stacks.append(turned.reshape((*batch, math.prod(rows), math.prod(columns))))
        free += columns if side else rows
    try:
        product = multiply(*stacks)
    except ValueError:
        raise invalid(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{shape_text(arrays[0].shape)} vs. {shape_text(arrays[1].shape)}"
        ) from None
    return product.reshape((*product.shape[:-2], *free))


def _on_diagonal(array: Any, axis: int, position: int, xp: Any) -> Any:
    """Adds an axis at `position`: the values stand where it equals `axis`, zeros elsewhere."""
    size = array.shape[axis]
    expanded = xp.expand_dims(array, position)
    mask_shape = [1] * expanded.ndim
    mask_shape[axis] = mask_shape[position] = size
    mask = xp.eye(size, dtype=bool).reshape(mask_shape)
    return xp.where(mask, expanded, expanded.dtype.type(0))
