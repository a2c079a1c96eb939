"""Einstein summation: the Einsum op of one or two operands, and `einsum` of any number."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.linalg.einsum_gradient import einsum_gradient
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import (
    UNKNOWN,
    broadcast_shapes,
    merge_dim,
    with_rank,
    with_rank_at_least,
)
from dataflow.values.shapes import TensorShape

_ELLIPSIS = "..."


def _split_equation(equation: str, count: int) -> tuple[list[str], str]:
    """The subscripts of the operands and of the result.

    Raises:
      ValueError: The equation is not of the form the op takes, for that many operands.
    """
    sides = equation.split("->")
    if len(sides) != 2:
        raise ValueError(f"Expecting exactly one '->' in einsum equation: {equation}")
    operands = sides[0].split(",")
    if len(operands) not in (1, 2):
        raise ValueError(
            f"Expecting 1 or 2 input subscripts in equation '{equation}' but got: {len(operands)}"
        )
    if len(operands) != count:
        raise ValueError(
            f"Expected {len(operands)} inputs for equation {equation} but got: {count}"
        )
    labels = {*"".join(operands), "."}
    for subscripts in (*operands, sides[1]):
        _check_periods(subscripts)
    for label in sides[1]:
        if label not in labels:
            raise ValueError(
                f"Einsum output subscripts for equation '{equation}' has label '{label}' which is "
                "not present in the input subscripts"
            )
    return operands, sides[1]


def _check_periods(subscripts: str) -> None:
    periods = subscripts.count(".")
    if periods not in (0, len(_ELLIPSIS)):
        raise ValueError(
            f"Expected at most one ellipsis (...), but found {periods} periods (.) in the input "
            f"subscript: {subscripts}"
        )
    if periods and _ELLIPSIS not in subscripts:
        raise ValueError(f"Periods found outside of ellipsis in subscript: {subscripts}")


def _einsum_shape(c: InferenceContext) -> TensorShape:
    equation = c.attr("equation").decode()
    operands, output = _split_equation(equation, c.num_inputs)
    sizes: dict[str, int | None] = {}
    broadcast = TensorShape.of(())
    for i, subscripts in enumerate(operands):
        before, dots, after = subscripts.partition(_ELLIPSIS)
        labels = before + after
        try:
            check = with_rank_at_least if dots else with_rank
            dims = check(c.input(i), len(labels)).dims_tuple
        except ValueError as error:
            raise ValueError(f"{error}\n\t for {i}th input and equation: {equation}") from None
        if dims is None:
            broadcast = UNKNOWN
            for label in labels:
                sizes.setdefault(label, None)
            continue
        rest = len(dims) - len(after)
        for label, size in zip(labels, dims[: len(before)] + dims[rest:], strict=True):
            sizes[label] = merge_dim(sizes.get(label), size)
        broadcast = broadcast_shapes(broadcast, TensorShape.of(dims[len(before) : rest]))
    before, dots, after = output.partition(_ELLIPSIS)
    if not dots:
        _refuse_broadcast(broadcast, equation)
        return TensorShape.of(tuple(sizes[label] for label in output))
    if broadcast.dims_tuple is None:
        return UNKNOWN
    return TensorShape.of(
        (*(sizes[s] for s in before), *broadcast.dims_tuple, *(sizes[s] for s in after))
    )


def _refuse_broadcast(broadcast: TensorShape, equation: str) -> None:
    if broadcast.rank:
        raise ValueError(
            f"Shape must be at most rank 0 but is rank {broadcast.rank}\n\t for einsum equation "
            f"'{equation}' without ellipsis (...) in the output subscripts where input(s) have "
            "non-empty broadcasting shape"
        )


define_op(
    "Einsum",
    inputs="inputs: N * T",
    outputs="output: T",
    attrs=["equation: string", "N: int >= 1", "T: type"],
    shape=_einsum_shape,
    gradient=einsum_gradient,
    doc="The Einstein summation of one or two tensors.",
)


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums products over the indices that the result does not have: "ij,jk->ik" is a matmul.

    Args:
      equation: Labels of the axes of each operand and, after "->", of the result. Without "->" the
        result has the labels that occur once, in alphabetical order. "..." stands for any axes,
        that broadcast. A label twice in one operand takes its diagonal.
      *inputs: The operands.
      **kwargs: `name` of the operations; `optimize`, how the order of more than two operands is
        chosen, as for `numpy.einsum_path`.

    Raises:
      ValueError: The equation is malformed, or the operands do not fit it.
      TypeError: An unknown keyword is passed.

    >>> trace = tf.einsum("ii->", tf.constant([[1, 2], [3, 4]]))
    >>> with tf.Session() as session:
    ...     print(session.run(trace))
    5
    """
    name = kwargs.pop("name", None)
    optimize = kwargs.pop("optimize", "greedy")
    if kwargs:
        raise TypeError(f"invalid keyword arguments for this function: {', '.join(sorted(kwargs))}")
    with name_scope(name, "einsum", [equation, inputs]):
        operands = list(inputs)
        shapes = [_dims(operand) for operand in operands]
        subscripts, output = _resolved(equation, len(operands))
        if len(operands) <= 2:
            return _contract(operands, subscripts, output)
        path = _path(equation, subscripts, output, shapes, optimize)
        for positions in path:
            chosen = [operands.pop(p) for p in positions]
            labels = [subscripts.pop(p) for p in positions]
            remaining = set("".join([*subscripts, output]))
            together = "".join(labels)
            kept = sorted(set(together) & remaining, key=together.find) if operands else output
            operands.append(_contract(chosen, labels, "".join(kept)))
            subscripts.append("".join(kept))
        result: Tensor = operands[0]
        return result


def _dims(operand: Any) -> list[int | None] | None:
    shape = operand.shape
    if isinstance(shape, TensorShape):
        return None if shape.dims_tuple is None else list(shape.dims_tuple)
    return list(shape)


_DOTS = "0"
"""Stands for "..." in subscripts, so that each label is one character."""


def _contract(operands: Sequence[Any], subscripts: Sequence[str], output: str) -> Tensor:
    equation = f"{','.join(subscripts)}->{output}".replace(_DOTS, _ELLIPSIS)
    return single("Einsum", list(operands), equation=equation)


def _resolved(equation: str, count: int) -> tuple[list[str], str]:
    """Subscripts of operands and result, "..." written as one character.

    Raises:
      ValueError: The equation is malformed.
    """
    resolved = equation.replace(" ", "")
    has_dots = _ELLIPSIS in equation
    if has_dots:
        if _DOTS in resolved:
            raise ValueError(f'Invalid character "{_DOTS}" in equation: {equation}.')
        resolved = resolved.replace(_ELLIPSIS, _DOTS)
    allowed = f"a-zA-Z{_DOTS if has_dots else ''}"
    match = re.match(f"^([{allowed},]*)(->[{allowed}]*)?$", resolved)
    if match is None:
        raise ValueError(f"Indices have incorrect format: {resolved}")
    subscripts = match[1].split(",")
    if len(subscripts) != count:
        raise ValueError(
            f'Got {count} arguments for equation "{equation}", expecting {len(subscripts)}'
        )
    if match[2] is None:
        counts = Counter(match[1])
        return subscripts, "".join(s for s in sorted(counts) if s != "," and counts[s] == 1)
    output = match[2][2:]
    if len(set(output)) != len(output):
        raise ValueError(f"Invalid equation: {equation}")
    for label in output:
        if label != _DOTS and label not in match[1]:
            raise ValueError(f"Invalid equation: {equation}")
    return subscripts, output


def _path(
    equation: str,
    subscripts: Sequence[str],
    output: str,
    shapes: Sequence[list[int | None] | None],
    optimize: Any,
) -> list[tuple[int, ...]]:
    """Which two operands to contract in turn; positions from the last, results are appended."""
    sizes: dict[str, int] = defaultdict(lambda: 1)
    for i, (labels, shape) in enumerate(zip(subscripts, shapes, strict=True)):
        if shape is not None:
            for label, size in _label_sizes(equation, i, labels, shape):
                sizes[label] = max(sizes[label], size)
    letters = iter(s for s in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    dots = next(s for s in letters if s not in equation) if _DOTS in "".join(subscripts) else ""
    plain = [labels.replace(_DOTS, dots) for labels in subscripts]
    # Only the shapes count: these arrays hold one byte.
    stand_ins = [
        np.broadcast_to(np.int8(0), tuple(sizes[s] for s in labels)) for labels in subscripts
    ]
    path = np.einsum_path(
        f"{','.join(plain)}->{output.replace(_DOTS, dots)}", *stand_ins, optimize=optimize
    )[0][1:]
    steps: list[tuple[int, ...]] = []
    count = len(subscripts)
    for positions in path:
        ordered = sorted(positions, reverse=True)
        # Several at once are contracted in pairs, each with the result of the one before.
        while len(ordered) > 2:
            steps.append(tuple(ordered[:2]))
            ordered = [count - 2, *ordered[2:]]
            count -= 1
        steps.append(tuple(ordered))
        count -= len(ordered) - 1
    return steps


def _label_sizes(
    equation: str, position: int, labels: str, shape: list[int | None]
) -> list[tuple[str, int]]:
    """The known sizes of an operand's axes; "..." has the product of its axes."""
    start = labels.find(_DOTS)
    if start >= 0:
        if start != labels.rfind(_DOTS):
            shown = labels.replace(_DOTS, _ELLIPSIS)
            raise ValueError(f"Too many ellipses in input label {shown}.")
        if len(labels) > len(shape) + 1:
            raise ValueError(
                f"Too many named labels in {position}th subscript string of equation {equation} "
                f"for input shape {shape} "
            )
        end = start + len(shape) + 1 - len(labels)
        inner = [d for d in shape[start:end] if d]
        shape = [*shape[:start], int(np.prod(inner, dtype=np.int64)), *shape[end:]]
    elif len(labels) != len(shape):
        raise ValueError(
            f"Number of named labels in input #{position} of equation {equation} must be equal to "
            f"the number of dimensions in shape {shape}"
        )
    return [(s, d) for s, d in zip(labels, shape, strict=True) if d is not None]
