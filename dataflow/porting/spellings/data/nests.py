"""tensorflow.python.data.util.nest: structures of elements, in which lists are tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.library.datasets import element_nest
from dataflow.library.datasets.element_nest import assert_same_structure as assert_same_structure
from dataflow.library.datasets.element_nest import flatten as flatten
from dataflow.library.datasets.element_nest import is_nested as is_nested
from dataflow.library.datasets.element_nest import is_nested as is_sequence

__all__ = [
    "assert_same_structure",
    "assert_shallow_structure",
    "flatten",
    "flatten_up_to",
    "is_nested",
    "is_sequence",
    "map_structure",
    "map_structure_up_to",
    "pack_sequence_as",
]


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """Components in the form of a structure.

    Raises:
      TypeError: They are in no sequence.
      ValueError: There are too many or too few.
    """
    if not isinstance(flat_sequence, (list, tuple)):
        raise TypeError(f"flat_sequence must be a sequence, not {flat_sequence!r}.")
    if not is_nested(structure) and len(flat_sequence) != 1:
        raise ValueError(
            f"Structure is a scalar but len(flat_sequence) == {len(flat_sequence)} > 1"
        )
    return element_nest.pack(structure, flat_sequence)


def map_structure(func: Callable[..., Any], *structure: Any, **check_types_dict: bool) -> Any:
    """What a function makes of the components of structures that are alike.

    Args:
      func: The function.
      *structure: The structures.
      **check_types_dict: `check_types`: whether sequences must be of one type.

    Raises:
      TypeError: `func` cannot be called, or sequences are of different types.
      ValueError: There is another argument, or none, or the structures have different forms.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = check_types_dict.pop("check_types", True)
    if check_types_dict:
        raise ValueError("Only valid keyword argument is check_types")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types)
    return element_nest.map_atoms_of(func, *structure)


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Refuses a structure that does not begin as another one.

    Raises:
      TypeError: The other one is deeper, or has sequences of other types.
      ValueError: They have different keys or lengths.
    """
    element_nest.flatten_up_to(shallow_tree, input_tree, check_types)


def flatten_up_to(shallow_tree: Any, input_tree: Any) -> list[Any]:
    """The parts of a structure that stand where another one has its components."""
    return element_nest.flatten_up_to(shallow_tree, input_tree, True)


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Sequence[Any]) -> Any:
    """What a function makes of the parts of structures where another one has its components.

    Raises:
      ValueError: There are no structures.
    """
    if not inputs:
        raise ValueError("Argument `inputs` is empty. Cannot map over no sequences.")
    columns = [flatten_up_to(shallow_tree, tree) for tree in inputs]
    return element_nest.pack(shallow_tree, [func(*row) for row in zip(*columns, strict=True)])
