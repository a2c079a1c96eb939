"""Kernel of Einstein summation: diagonals, sums, then one matrix product over all batch axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dataflow import dtypes
from dataflow.errors import InvalidArgumentError
from dataflow.kernels.invalid import invalid
from dataflow.kernels.precision import widened
from dataflow.kernels.registry import FLOATS, KernelNode, kernel
from dataflow.kernels.shape_text import shape_text

Labels = tuple[Any, ...]
"""Labels of an array's axes: characters, and ints for the axes of an ellipsis, from the last."""

_TYPES = (*FLOATS, dtypes.int32, dtypes.int64, dtypes.complex64, dtypes.complex128)


@dataclass(frozen=True, slots=True)
class _Equation:
    operands: tuple[str, ...]
    output: str


@kernel("Einsum", dtypes={"T": _TYPES})
def einsum(node: KernelNode, xp: Any) -> Callable[..., Any]:
    inputs, output = node.attr("equation").decode().split("->")
    equation = _Equation(tuple(inputs.split(",")), output)
    return widened(lambda *arrays: _compute(equation, arrays, xp), node.output_dtypes[0])


def _compute(equation: _Equation, arrays: Sequence[Any], xp: Any) -> Any:
    labelled = [
        _labels(subscripts, array.ndim, position)
        for position, (subscripts, array) in enumerate(zip(equation.operands, arrays, strict=True))
    ]
    _check_sizes(labelled, arrays)
    dots = max((sum(isinstance(s, int) for s in labels) for labels in labelled), default=0)
    output = _output_labels(equation.output, dots)
    operands = []
    for i, (labels, array) in enumerate(zip(labelled, arrays, strict=True)):
        others = {*output, *(s for j, other in enumerate(labelled) if j != i for s in other)}
        operands.append(_reduced(labels, array, others, xp))
    if len(operands) == 1:
        labels, result = operands[0]
    else:
        labels, result = _product(operands[0], operands[1], set(output), xp)
    return _arranged(labels, result, output, xp)


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


def _check_sizes(labelled: Sequence[Labels], arrays: Sequence[Any]) -> None:
    sizes: dict[Any, int] = {}
    for labels, array in zip(labelled, arrays, strict=True):
        for axis, (label, size) in enumerate(zip(labels, array.shape, strict=True)):
            if not isinstance(label, int) and sizes.setdefault(label, size) != size:
                raise invalid(
                    f"Expected dimension {sizes[label]} at axis {axis} of the input shaped "
                    f"{shape_text(array.shape)} but got dimension {size}"
                )


def _reduced(labels: Labels, array: Any, kept: set[Any], xp: Any) -> tuple[Labels, Any]:
    """Takes diagonals of repeated labels, and sums over those that nothing else has."""
    position = 0
    while position < len(labels):
        label = labels[position]
        if label in labels[:position]:
            first = labels.index(label)
            # The diagonal becomes the last axis.
            array = xp.diagonal(array, axis1=first, axis2=position)
            without = [s for i, s in enumerate(labels) if i not in (first, position)]
            labels, position = (*without, label), 0
        else:
            position += 1
    summed = tuple(i for i, s in enumerate(labels) if s not in kept)
    if summed:
        array = array.sum(axis=summed, dtype=array.dtype)
        labels = tuple(s for s in labels if s in kept)
    return labels, array


def _product(
    x: tuple[Labels, Any], y: tuple[Labels, Any], output: set[Any], xp: Any
) -> tuple[Labels, Any]:
    """One matmul; the axes of dots stay apart from each other, so that they broadcast."""
    labels_x, array_x = x
    labels_y, array_y = y
    dots = tuple(sorted({s for s in (*labels_x, *labels_y) if isinstance(s, int)}))
    common = [s for s in labels_x if s in labels_y and not isinstance(s, int)]
    batch = tuple(s for s in common if s in output)
    inner = tuple(s for s in common if s not in output)
    free_x = tuple(s for s in labels_x if s not in labels_y and not isinstance(s, int))
    free_y = tuple(s for s in labels_y if s not in labels_x and not isinstance(s, int))
    left = _as_matrices(labels_x, array_x, (*dots, *batch), free_x, inner, xp)
    right = _as_matrices(labels_y, array_y, (*dots, *batch), inner, free_y, xp)
    try:
        product = xp.matmul(left, right)
    except ValueError:
        raise _incompatible(array_x, array_y) from None
    sizes = dict(zip((*labels_x, *labels_y), (*array_x.shape, *array_y.shape), strict=True))
    free = (*free_x, *free_y)
    shape = (*product.shape[:-2], *(sizes[s] for s in free))
    return (*dots, *batch, *free), product.reshape(shape)


def _incompatible(x: Any, y: Any) -> InvalidArgumentError:
    return invalid(
        "In[0] and In[1] must have compatible batch dimensions: "
        f"{shape_text(x.shape)} vs. {shape_text(y.shape)}"
    )


def _as_matrices(
    labels: Labels, array: Any, batch: Labels, rows: Labels, columns: Labels, xp: Any
) -> Any:
    """The array as a stack of matrices; batch axes it lacks have size 1."""
    order = [labels.index(s) for s in (*batch, *rows, *columns) if s in labels]
    sizes = dict(zip(labels, array.shape, strict=True))
    row_count = int(np.prod([sizes[s] for s in rows], dtype=np.int64))
    column_count = int(np.prod([sizes[s] for s in columns], dtype=np.int64))
    stack = tuple(sizes.get(s, 1) for s in batch)
    return xp.transpose(array, order).reshape((*stack, row_count, column_count))


def _arranged(labels: Labels, array: Any, output: Labels, xp: Any) -> Any:
    """Puts axes into the order of the result; an axis it has twice becomes a diagonal."""
    once = tuple(dict.fromkeys(output))
    array = xp.transpose(array, [labels.index(s) for s in once])
    labels = once
    for position, label in enumerate(output):
        if labels[position : position + 1] == (label,):
            continue
        first = labels.index(label)
        array = _on_diagonal(array, first, position, xp)
        labels = (*labels[:position], label, *labels[position:])
    return array


def _on_diagonal(array: Any, axis: int, position: int, xp: Any) -> Any:
    """Adds an axis at `position`: the values stand where it equals `axis`, zeros elsewhere."""
    size = array.shape[axis]
    expanded = xp.expand_dims(array, position)
    mask_shape = [1] * expanded.ndim
    mask_shape[axis] = mask_shape[position] = size
    mask = xp.eye(size, dtype=bool).reshape(mask_shape)
    return xp.where(mask, expanded, expanded.dtype.type(0))
