"""Tensors whose axes have names, and the order of these."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from dataflow.contrib.labeled_tensor.axes import Axes, Axis, told
from dataflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from dataflow.graph.scopes import get_collection_ref, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.shape import reshape
from dataflow.ops.array.transpose import transpose as transposed
from dataflow.ops.basic.identity import identity as same
from dataflow.values.shapes import TensorShape

_ORDER = ("__axis_order",)


class AxisOrderError(ValueError):
    """Axes are in an order that does not fit."""


class LabeledTensor:
    """A tensor with an axis of a name for each dimension."""

    def __init__(self, tensor: Any, axes: Any) -> None:
        """Takes both.

        Args:
          tensor: The tensor.
          axes: `Axes`, or for each dimension an axis, a name with a size or labels, or only a name.

        Raises:
          ValueError: They are not as many as dimensions, or of other sizes.
        """
        shape = tensor.shape
        if not isinstance(axes, Axes):
            axes = Axes(
                (each, shape[place]) if isinstance(each, str) else each
                for place, each in enumerate(axes)
            )
        if len(shape) != len(axes):
            raise ValueError(
                f"Tensor rank was not equal to the number of axes: {shape!r}, {axes!r}"
            )
        for size, axis in zip(shape.as_list(), axes.values(), strict=True):
            if None not in (size, axis.size) and size != axis.size:
                raise ValueError(
                    f"Provided axis size {axis.size} does not match tensor dimension size "
                    f"{size}in tensor {tensor!r}"
                )
        self._tensor: Tensor = tensor
        self._axes: Axes = axes

    @property
    def tensor(self) -> Any:
        """The tensor."""
        return self._tensor

    @property
    def axes(self) -> Axes:
        """The axes by their names."""
        return self._axes

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self._tensor.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._tensor.shape

    @property
    def name(self) -> str:
        """The tensor's name."""
        return self._tensor.name

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self._tensor.shape

    def _as_graph_element(self) -> Any:
        return self._tensor

    def __getitem__(self, key: Any) -> LabeledTensor:
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) != len(self._axes):
            raise ValueError(
                f"indexer {keys!r} must have the same length as the Tensor rank "
                f"({len(self._axes)!r})"
            )
        return slice_function(self, dict(zip(self._axes, keys, strict=True)))

    def __pos__(self) -> LabeledTensor:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabeledTensor):
            return False
        return self._tensor is other._tensor and self._axes == other._axes

    def __hash__(self) -> int:
        return hash((id(self._tensor), self._axes))

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} '{self.name}' shape={self.shape} dtype={self.dtype.name}\n"
            f" axes=[{told(self._axes.values(), len(' axes=['))}]>"
        )


def _tensor_of(
    value: LabeledTensor, dtype: Any = None, name: Any = None, as_ref: Any = False
) -> Any:
    return convert_to_tensor(value.tensor, dtype=dtype, name=name)


register_tensor_conversion_function(LabeledTensor, _tensor_of)


def convert_to_labeled_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A labeled tensor as it is, or a number as one without axes.

    Raises:
      ValueError: It is an array or a tensor that has axes, but no names of them.
    """
    axes = list(value.axes.values()) if isinstance(value, LabeledTensor) else []
    plain = value.tensor if isinstance(value, LabeledTensor) else value
    tensor = convert_to_tensor(plain, dtype=dtype, name=name)
    if len(tensor.shape) != len(axes):
        raise ValueError(
            "cannot automatically convert unlabeled arrays or tensors with rank>0 into "
            f"LabeledTensors: {plain!r}"
        )
    return LabeledTensor(tensor, axes)


def identity(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """The same values."""
    with name_scope(name, "lt_identity", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        return LabeledTensor(same(given.tensor, name=scope), given.axes)


def slice_function(
    labeled_tensor: Any, selection: Mapping[str, int | slice], name: str | None = None
) -> LabeledTensor:
    """What stands at places of axes; an axis of which one place is taken is gone.

    Args:
      labeled_tensor: The tensor.
      selection: Name of an axis -> the place, or a slice.
      name: The name scope: "lt_slice".
    """
    with name_scope(name, "lt_slice", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        places = [selection.get(each, slice(None)) for each in given.axes]
        axes: list[Any] = []
        for axis, place in zip(given.axes.values(), places, strict=True):
            if isinstance(place, slice):
                axes.append(axis.name if axis.labels is None else (axis.name, axis.labels[place]))
        return LabeledTensor(same(given.tensor[tuple(places)], name=scope), axes)


def transpose(
    labeled_tensor: Any, axis_order: Collection[str] | None = None, name: str | None = None
) -> LabeledTensor:
    """The axes in another order: that of the names, or the opposite one.

    Raises:
      ValueError: These are not all names.
    """
    with name_scope(name, "lt_transpose", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        before = list(given.axes)
        after = before[::-1] if axis_order is None else list(axis_order)
        if sorted(after) != sorted(before):
            raise ValueError(
                "The new axis order must have the same names as the original axes, but the new "
                f"order is {axis_order!r} while the original order is {before!r}"
            )
        moved = transposed(given.tensor, [before.index(each) for each in after], name=scope)
        return LabeledTensor(moved, [given.axes[each] for each in after])


def expand_dims(
    labeled_tensor: Any, axes: Collection[Any], name: str | None = None
) -> LabeledTensor:
    """More axes, of one place each.

    Args:
      labeled_tensor: The tensor.
      axes: The names of all axes that the result has, those of the tensor in their order; a new one
        may be a name with the label of its place.
      name: The name scope: "lt_expand_dims".

    Raises:
      AxisOrderError: Not all axes of the tensor are there, or in another order.
    """
    with name_scope(name, "lt_expand_dims", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        check_axis_order(given, [each if isinstance(each, str) else each[0] for each in axes])
        whole: list[Any] = []
        for each in axes:
            if each in given.axes:
                whole.append(given.axes[each])
            elif isinstance(each, str):
                whole.append(Axis(each, 1))
            else:
                whole.append(Axis(each[0], (each[1],)))
        sizes = [-1 if axis.size is None else axis.size for axis in whole]
        return LabeledTensor(reshape(given.tensor, sizes, name=scope), whole)


def get_axis_order() -> list[str] | None:
    """The order of the innermost `axis_order_scope`, or None."""
    orders = get_collection_ref(_ORDER)
    return orders[0] if orders else None


@contextmanager
def axis_order_scope(axis_order: list[str] | None = None) -> Iterator[list[str] | None]:
    """What is computed inside keeps axes in this order.

    Args:
      axis_order: The names, or None for none.
    """
    orders = get_collection_ref(_ORDER)
    before = get_axis_order()
    orders[:] = [axis_order]
    try:
        yield axis_order
    finally:
        orders[:] = [before]


def _order(given: Collection[str] | None) -> Collection[str]:
    order = get_axis_order() if given is None else given
    if order is None:
        raise AxisOrderError(
            "an explicit axis order must be provided with the axis_order argument or by using an "
            "axis_order_scope"
        )
    return order


def check_axis_order(labeled_tensor: Any, axis_order: Collection[str] | None = None) -> None:
    """Looks whether axes are in an order: the given one, or that of the scope.

    Raises:
      AxisOrderError: They are not, or one is not among its names, or there is no order.
    """
    given = convert_to_labeled_tensor(labeled_tensor)
    order = _order(axis_order)
    own = [each for each in order if each in given.axes]
    if len(own) < len(given.axes):
        raise AxisOrderError(
            f"not all axis names appear in the required axis order {order!r}: {given!r}"
        )
    if own != list(given.axes):
        raise AxisOrderError(
            "axes on a labeled tensor do not appear in the same order as the required axis order "
            f"{order!r}: {given!r}"
        )


def impose_axis_order(
    labeled_tensor: Any, axis_order: Collection[str] | None = None, name: str | None = None
) -> LabeledTensor:
    """The axes in an order, which may have more names: the given one, or that of the scope.

    Raises:
      AxisOrderError: There is no order.
    """
    with name_scope(name, "lt_impose_axis_order", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        own = [each for each in _order(axis_order) if each in given.axes]
        return transpose(given, own, name=scope)


def _merged(first: Sequence[str], second: Sequence[str]) -> list[str] | None:
    """All names, in an order that is that of both, or None if there is no such order."""
    found: list[str] = []
    rest = list(second)
    for each in first:
        if each in rest:
            place = rest.index(each)
            if any(other in first for other in rest[:place]):
                return None
            found += rest[:place]
            del rest[: place + 1]
        elif each in second:
            return None
        found.append(each)
    return found + rest


def align(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> tuple[LabeledTensor, LabeledTensor, Axes]:
    """Two tensors with the same names of axes, so that they broadcast, and what they broadcast to.

    Raises:
      ValueError: An axis of one name is another one in the second.
      AxisOrderError: The axes are in orders that contradict each other, or that of the scope.
    """
    values = [labeled_tensor_0, labeled_tensor_1]
    with name_scope(name, "lt_align", values) as scope:
        first, second = map(convert_to_labeled_tensor, values)
        for each in first.axes:
            if each in second.axes and first.axes[each] != second.axes[each]:
                raise ValueError(
                    f"Mismatched {each!r} axis on input tensors: {first.axes[each]!r} and "
                    f"{second.axes[each]!r}"
                )
        order = get_axis_order()
        if order is None:
            names = _joined(first.axes, second.axes)
        else:
            names = [each for each in order if each in first.axes or each in second.axes]
            check_axis_order(first, order)
            check_axis_order(second, order)
        whole = Axes(
            first.axes[each] if each in first.axes else second.axes[each] for each in names
        )
        return (
            expand_dims(first, names, name=f"{scope}0"),
            expand_dims(second, names, name=f"{scope}1"),
            whole,
        )


def _joined(first: Axes, second: Axes) -> list[str]:
    """All names, in an order that is that of both.

    Raises:
      AxisOrderError: There is none.
    """
    names = _merged(list(first), list(second))
    if names is None:
        raise AxisOrderError(
            "No consistent axis order allows for aligning tensors with axis orders "
            f"{first.keys()!r} and {second.keys()!r} without copying data. Use transpose or "
            "impose_axis_order to reorder axes on one of more of the inputs."
        )
    return names


def define_unary_op(
    op_name: str, elementwise_function: Callable[..., Tensor]
) -> Callable[..., LabeledTensor]:
    """Makes of a function of tensors, whose result has their shape, one of labeled tensors."""

    def op(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
        with name_scope(name, f"lt_{op_name}", [labeled_tensor]) as scope:
            given = convert_to_labeled_tensor(labeled_tensor)
            return LabeledTensor(elementwise_function(given.tensor, name=scope), given.axes)

    op.__doc__ = f"`{op_name}` of a labeled tensor, element by element."
    op.__name__ = op_name
    return op


def define_binary_op(
    op_name: str, elementwise_function: Callable[..., Tensor]
) -> Callable[..., LabeledTensor]:
    """Makes of a function of two tensors, which broadcast, one of labeled tensors."""

    def op(labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None) -> LabeledTensor:
        values = [labeled_tensor_0, labeled_tensor_1]
        with name_scope(name, f"lt_{op_name}", values) as scope:
            first, second, axes = align(*values)
            return LabeledTensor(
                elementwise_function(first.tensor, second.tensor, name=scope), axes
            )

    op.__doc__ = f"`{op_name}` of two labeled tensors, whose axes are aligned, element by element."
    op.__name__ = op_name
    return op
