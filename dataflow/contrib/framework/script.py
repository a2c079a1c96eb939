"""py_func of tf.contrib.framework: structures of tensors go to a Python function and come back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dataflow.library.py_func import py_func as _py_func
from dataflow.library.shallow_nest import assert_shallow_structure, map_structure_up_to
from dataflow.values import nest
from dataflow.values.shapes import as_shape


def py_func(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    output_types: Any = None,
    output_shapes: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Wraps a Python function as an operation that calls it with arrays; see `tf.py_func`.

    Args:
      func: Takes arrays where tensors are given, and gives a structure as `output_types`.
      args: A list or tuple of structures of tensors.
      kwargs: Structures of tensors by argument.
      output_types: A structure of element types, or a function that gives it for the arguments.
      output_shapes: The shapes likewise; None if they are not known.
      stateful: Whether `func` may give others for equal arrays.
      name: Name of the operation.

    Returns:
      A structure of tensors.

    Raises:
      TypeError: If `args` is no list or `kwargs` no dictionary.
      ValueError: If `output_shapes` has another structure. When run, see `tf.py_func`; what `func`
        gives with another structure is an InvalidArgumentError.
    """
    if not isinstance(args, list | tuple):
        raise TypeError(f"args must be list and not {type(args)}. args: {args}")
    kwargs = {} if kwargs is None else kwargs
    if not isinstance(kwargs, dict):
        raise TypeError(f"kwargs must be dict and not {type(kwargs)}. args: {kwargs}")
    if callable(output_types):
        output_types = output_types(*args, **kwargs)
    if callable(output_shapes):
        output_shapes = output_shapes(*args, **kwargs)
    given = (args, kwargs)

    def called(*arrays: Any) -> list[Any]:
        positional, named = nest.pack_sequence_as(given, list(arrays))
        found = func(*positional, **named)
        assert_shallow_structure(output_types, found)
        return nest.flatten(found)

    values = _py_func(called, nest.flatten(given), nest.flatten(output_types), stateful, name)
    if output_shapes is not None:
        shapes = map_structure_up_to(output_types, as_shape, output_shapes)
        for value, shape in zip(values, nest.flatten(shapes), strict=True):
            value.set_shape(shape)
    return nest.pack_sequence_as(output_types, values)
