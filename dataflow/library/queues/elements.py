"""What the elements of a queue are: types, shapes and names of their components."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from dataflow.values.shapes import TensorShape, as_shape


def as_type_list(types: Any) -> list[Any]:
    """Element types as a list; one stands for a queue of one component."""
    return list(types) if isinstance(types, (list, tuple)) else [types]


def as_shape_list(shapes: Any, types: Sequence[Any], partial: bool = False) -> Any:
    """Shapes as a list, or None; one stands for a queue of one component.

    Args:
      shapes: The shapes.
      types: Element types of the components.
      partial: Whether they may have unknown sizes; there must be one for each component then.

    Raises:
      TypeError: They are no sequence and no shape.
      ValueError: One is not known as far as it must be, or there are too many or too few.
    """
    if partial and (not isinstance(shapes, (tuple, list)) or None in shapes):
        raise ValueError("When providing partial shapes, a list of shapes must be provided.")
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (tuple, list)):
        raise TypeError("shapes must be a TensorShape or a list or tuple of TensorShapes.")
    if not partial and all(dim is None or isinstance(dim, int) for dim in shapes):
        shapes = [shapes]
    found = [as_shape(shape) for shape in shapes]
    if partial:
        if any(shape.rank is None for shape in found):
            raise ValueError(f"All shapes must have a defined rank: {found}")
    elif not all(shape.is_fully_defined() for shape in found):
        raise ValueError(f"All shapes must be fully defined: {found}")
    return found


def as_name_list(names: Any, types: Sequence[Any]) -> list[Any] | None:
    """Names as a list; one stands for a queue of one component.

    Raises:
      ValueError: There are more or fewer names than types.
    """
    if names is None:
        return None
    if not isinstance(names, (list, tuple)):
        names = [names]
    if len(names) != len(types):
        raise ValueError(
            "List of names must have the same length as the list "
            f"of dtypes, received len(names)={len(names)},"
            f"len(dtypes)={len(types)}"
        )
    return list(names)


def common_shape(shapes: Sequence[TensorShape]) -> TensorShape:
    """What is known of a shape that may be any of these."""
    return reduce(_common_of_two, shapes)


def _common_of_two(first: TensorShape, second: TensorShape) -> TensorShape:
    a, b = first.dims_tuple, second.dims_tuple
    if a is None or b is None or len(a) != len(b):
        return TensorShape(None)
    return TensorShape([m if m == n else None for m, n in zip(a, b, strict=True)])
