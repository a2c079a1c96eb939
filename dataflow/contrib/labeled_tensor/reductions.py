"""Labeled tensors that are summed up, multiplied and folded, constants, and other types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.library.map_fn as functional
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.cast as basic_cast
import dataflow.ops.basic.constant as basic_constant
import dataflow.ops.linalg.matmul as linalg_matmul
import dataflow.ops.math.check as math_check
from dataflow.contrib.labeled_tensor.arrangement import pack, squeeze, unpack
from dataflow.contrib.labeled_tensor.axes import Axes, Axis, as_axis
from dataflow.contrib.labeled_tensor.tensors import (
    LabeledTensor,
    convert_to_labeled_tensor,
    get_axis_order,
    identity,
)
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity as same
from dataflow.ops.reductions import reduce, statistics
from dataflow.values import dtypes


def map_fn(fn: Callable[[Any], Any], labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """What a function of labeled tensors makes of each place of the first axis.

    Args:
      fn: The function.
      labeled_tensor: The tensor.
      name: The name scope: "lt_map_fn".
    """
    with name_scope(name, "lt_map_fn", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        first, *others = given.axes.values()
        apart = unpack(given)
        if given.dtype == dtypes.string:
            return pack([fn(each) for each in apart], first, name=scope)
        example = fn(apart[0])
        mapped = functional.map_fn(
            lambda each: fn(LabeledTensor(each, others)).tensor, given.tensor, dtype=example.dtype
        )
        return identity(LabeledTensor(mapped, [first, *example.axes.values()]), name=scope)


def foldl(
    fn: Callable[[Any, Any], Any],
    labeled_tensor: Any,
    initial_value: Any,
    name: str | None = None,
) -> LabeledTensor:
    """What a function makes of what it made before, and of the next place of the first axis.

    Args:
      fn: The function of labeled tensors.
      labeled_tensor: The tensor.
      initial_value: What it begins with; the result has its axes.
      name: The name scope: "lt_foldl".
    """
    with name_scope(name, "lt_foldl", [labeled_tensor, initial_value]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        start = convert_to_labeled_tensor(initial_value)
        others = list(given.axes.values())[1:]
        folded = functional.foldl(
            lambda so_far, each: (
                fn(LabeledTensor(so_far, start.axes), LabeledTensor(each, others)).tensor
            ),
            given.tensor,
            initializer=start.tensor,
        )
        return identity(LabeledTensor(folded, start.axes), name=scope)


def matmul(a: Any, b: Any, name: str | None = None) -> LabeledTensor:
    """The product of vectors and matrices, over the axis that both have.

    Args:
      a: Of one or two axes.
      b: Of one or two axes.
      name: The name scope: "lt_matmul".

    Returns:
      A labeled tensor whose axes are the others of a and of b, or those of b first if the order of
      the scope says so.

    Raises:
      NotImplementedError: They have more axes, or two in common.
      ValueError: They have none in common, or it is not the same axis for both.
    """
    with name_scope(name, "lt_matmul", [a, b]) as scope:
        first, second = convert_to_labeled_tensor(a), convert_to_labeled_tensor(b)
        ranks = len(first.axes), len(second.axes)
        if max(ranks) > 2:
            raise NotImplementedError(
                "matmul currently requires inputs with rank 2 or less, but inputs have ranks "
                f"{ranks[0]!r} and {ranks[1]!r}"
            )
        if not min(ranks):
            raise ValueError(
                "matmul currently requires inputs with at least rank 1, but inputs have ranks "
                f"{ranks[0]!r} and {ranks[1]!r}"
            )
        common = _common_axis(first.axes, second.axes)
        axes = [
            axis for each in (first, second) for axis in each.axes.values() if axis.name != common
        ]
        names, order = [axis.name for axis in axes], get_axis_order()
        if order is not None and [each for each in order if each in names] != names:
            first, second, axes = second, first, axes[::-1]
        gone = [place for place, each in enumerate((first, second)) if len(each.axes) == 1]
        left, right = first.tensor, second.tensor
        if 0 in gone:
            left = array_shape.reshape(left, (1, -1))
        if 1 in gone:
            right = array_shape.reshape(right, (-1, 1))
        product: Any = linalg_matmul.matmul(
            left,
            right,
            transpose_a=0 not in gone and next(iter(first.axes)) == common,
            transpose_b=1 not in gone and list(second.axes)[1] == common,
        )
        if gone:
            product = array_shape.squeeze(product, gone)
        return LabeledTensor(same(product, name=scope), axes)


def _common_axis(first: Axes, second: Axes) -> str:
    common = set(first) & set(second)
    if len(common) > 1:
        raise NotImplementedError(
            f"matmul does not yet support summing over multiple shared axes: {common!r}. Use "
            "transpose and reshape to create a single shared axis to sum over."
        )
    if not common:
        raise ValueError(
            "there must have exactly one axis in common between input to matmul: "
            f"{first.keys()!r}, {second.keys()!r}"
        )
    (name,) = common
    if first[name] != second[name]:
        raise ValueError(
            f"axis {name!r} does not match on input arguments: {first[name].value!r} vs "
            f"{second[name].value!r}"
        )
    return name


def define_reduce_op(
    op_name: str, reduce_fn: Callable[..., Tensor]
) -> Callable[..., LabeledTensor]:
    """Makes of a reduction of tensors one of labeled tensors.

    Its argument `axes` has the names of the axes that are reduced, all if None; one of a name with
    a label stays, with one place of this label, or with no known size if that is None.
    """

    def op(labeled_tensor: Any, axes: Any = None, name: str | None = None) -> LabeledTensor:
        with name_scope(name, f"lt_{op_name}", [labeled_tensor]) as scope:
            given = convert_to_labeled_tensor(labeled_tensor)
            wanted = list(given.axes) if axes is None else axes
            wanted = [wanted] if isinstance(wanted, str | tuple) else list(wanted)
            gone = [each for each in wanted if isinstance(each, str)]
            kept = {
                each[0]: Axis(each[0], None if each[1] is None else [each[1]])
                for each in wanted
                if not isinstance(each, str)
            }
            for each in (*gone, *kept):
                if each not in given.axes:
                    raise ValueError(f"Axis {each} not in axes {given.axes}")
            reduced = {each: Axis(each, 1) for each in gone} | kept
            places = [place for place, each in enumerate(given.axes) if each in reduced]
            values = reduce_fn(given.tensor, places, keepdims=True)
            whole = LabeledTensor(values, list({**given.axes, **reduced}.values()))
            return squeeze(whole, gone, name=scope)

    op.__doc__ = f"`{op_name}` of a labeled tensor, along axes of names."
    op.__name__ = op_name
    return op


reduce_all = define_reduce_op("reduce_all", reduce.reduce_all)
reduce_any = define_reduce_op("reduce_any", reduce.reduce_any)
reduce_logsumexp = define_reduce_op("reduce_logsumexp", statistics.reduce_logsumexp)
reduce_max = define_reduce_op("reduce_max", reduce.reduce_max)
reduce_mean = define_reduce_op("reduce_mean", reduce.reduce_mean)
reduce_min = define_reduce_op("reduce_min", reduce.reduce_min)
reduce_prod = define_reduce_op("reduce_prod", reduce.reduce_prod)
reduce_sum = define_reduce_op("reduce_sum", reduce.reduce_sum)


def constant(
    value: Any, dtype: Any = None, axes: Any = None, name: str | None = None
) -> LabeledTensor:
    """A constant: of the shape that axes have, if none is only a name."""
    with name_scope(name, "lt_constant", [value]) as scope:
        given = list(axes.values()) if isinstance(axes, Axes) else list(axes or ())
        shape = None
        if not any(isinstance(each, str) for each in given):
            given = list(map(as_axis, given))
            shape = [axis.size for axis in given]
        return LabeledTensor(basic_constant.constant(value, dtype, shape, name=scope), given)


def zeros_like(labeled_tensor: Any, dtype: Any = None, name: str | None = None) -> LabeledTensor:
    """Zeros with the axes of a tensor."""
    with name_scope(name, "lt_zeros_like", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        return LabeledTensor(array_fill.zeros_like(given.tensor, dtype, name=scope), given.axes)


def ones_like(labeled_tensor: Any, dtype: Any = None, name: str | None = None) -> LabeledTensor:
    """Ones with the axes of a tensor."""
    with name_scope(name, "lt_ones_like", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        return LabeledTensor(array_fill.ones_like(given.tensor, dtype, name=scope), given.axes)


def cast(labeled_tensor: Any, dtype: Any = None, name: str | None = None) -> LabeledTensor:
    """The values as those of another type."""
    with name_scope(name, "lt_cast", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        return LabeledTensor(basic_cast.cast(given.tensor, dtype, name=scope), given.axes)


def verify_tensor_all_finite(
    labeled_tensor: Any, message: str, name: str | None = None
) -> LabeledTensor:
    """The same values; the step fails with the message if one is not finite."""
    with name_scope(name, "lt_verify_tensor_all_finite", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        checked = math_check.verify_tensor_all_finite(given.tensor, msg=message, name=scope)
        return LabeledTensor(checked, given.axes)
