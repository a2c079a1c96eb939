"""Nested structures of elements: tuples, mappings and attrs classes; lists are tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dataflow.graph.sparse_tensor import SparseTensorValue
from dataflow.values import nest


def is_nested(value: Any) -> bool:
    """True for a structure, False for what is one component of an element."""
    if isinstance(value, SparseTensorValue):
        return False
    return isinstance(value, (tuple, Mapping)) or nest.is_attrs(value)


def _children(structure: Any) -> list[Any]:
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted_keys(structure)]
    if nest.is_attrs(structure):
        return [getattr(structure, a.name) for a in type(structure).__attrs_attrs__]
    return list(structure)


def sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    """The keys in the order in which a mapping is walked.

    Raises:
      TypeError: They cannot be sorted.
    """
    try:
        return sorted(mapping)
    except TypeError as error:
        raise TypeError("nest only supports dicts with sortable keys.") from error


def flatten(structure: Any) -> list[Any]:
    """The components of an element, in order."""
    if not is_nested(structure):
        return [structure]
    return [atom for child in _children(structure) for atom in flatten(child)]


def pack(structure: Any, flat: Sequence[Any]) -> Any:
    """Components in the form of a structure.

    Raises:
      ValueError: There are too many or too few.
    """
    count = len(flatten(structure))
    if count != len(flat):
        raise ValueError(
            f"Argument `structure` had {count} elements, but argument `flat_sequence` had "
            f"{len(flat)} elements. Received structure: {structure}, flat_sequence: {flat}."
        )
    remaining = iter(flat)
    return map_atoms(lambda _: next(remaining), structure)


def map_atoms(function: Callable[[Any], Any], structure: Any) -> Any:
    """A structure with what a function makes of each component."""
    if not is_nested(structure):
        return function(structure)
    made = [map_atoms(function, child) for child in _children(structure)]
    return _like(structure, made)


def map_atoms_of(function: Callable[..., Any], *structures: Any) -> Any:
    """A structure with what a function makes of the components of several, which are alike.

    Raises:
      ValueError: They have different numbers of components.
    """
    columns = [flatten(structure) for structure in structures]
    if any(len(column) != len(columns[0]) for column in columns):
        raise ValueError(
            "The two structures don't have the same number of elements: "
            + " vs. ".join(str(structure) for structure in structures)
        )
    return pack(structures[0], [function(*parts) for parts in zip(*columns, strict=True)])


def assert_same_structure(first: Any, second: Any, check_types: bool = True) -> None:
    """Refuses structures of two forms.

    Args:
      first: A structure.
      second: The other one.
      check_types: Whether sequences must be of one type.

    Raises:
      ValueError: They have different numbers of components, keys, or parts.
      TypeError: They have sequences of different types.
    """
    different = "The two structures don't have the same nested structure."
    counts = len(flatten(first)), len(flatten(second))
    if counts[0] != counts[1]:
        raise ValueError(
            f"{different}\n\nFirst structure: {first}\n\nSecond structure: {second}\n\nThey have "
            f"{counts[0]} and {counts[1]} components."
        )
    if is_nested(first) != is_nested(second):
        raise ValueError(f"{different} Only one of {first} and {second} is a structure.")
    if not is_nested(first):
        return
    if check_types:
        if type(first) is not type(second):
            raise TypeError(
                "The two structures don't have the same sequence type. First structure has type "
                f"{type(first)}, while second structure has type {type(second)}."
            )
        if isinstance(first, Mapping) and set(first) != set(second):
            raise ValueError(
                "The two dictionaries don't have the same set of keys. First structure has keys "
                f"{list(first)}, while second structure has keys {list(second)}."
            )
    parts, others = _children(first), _children(second)
    if len(parts) != len(others):
        raise ValueError(f"{different} {first} and {second} have different lengths.")
    for part, other in zip(parts, others, strict=True):
        assert_same_structure(part, other, check_types)


def _like(structure: Any, made: Sequence[Any]) -> Any:
    if isinstance(structure, Mapping):
        by_key = dict(zip(sorted_keys(structure), made, strict=True))
        ordered = {key: by_key[key] for key in structure}
        return ordered if type(structure) is dict else nest.sequence_like(structure, made)
    if nest.is_namedtuple(structure) or nest.is_attrs(structure):
        return type(structure)(*made)
    return tuple(made)


def flatten_up_to(shallow: Any, structure: Any, check_types: bool = False) -> list[Any]:
    """The parts of a structure that stand where another one has its components.

    Args:
      shallow: The other one.
      structure: The structure.
      check_types: Whether sequences must be of one type.

    Raises:
      TypeError: The other one is deeper, or has sequences of other types.
      ValueError: They have different keys or lengths.
    """
    if not is_nested(shallow):
        return [structure]
    if not is_nested(structure):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"'{type(structure).__name__}'."
        )
    if check_types and type(shallow) is not type(structure):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(structure)}, while shallow structure has type {type(shallow)}."
        )
    if isinstance(shallow, Mapping) and (check_types or isinstance(structure, Mapping)):
        if set(shallow) != set(structure):
            raise ValueError(
                "The two structures don't have the same keys. Input structure has keys "
                f"{list(structure)}, while shallow structure has keys {list(shallow)}."
            )
        pairs = [(shallow[key], structure[key]) for key in sorted_keys(shallow)]
    else:
        inner = _children(structure)
        if len(_children(shallow)) != len(inner):
            raise ValueError(
                "The two structures don't have the same sequence length. Input structure has "
                f"length {len(inner)}, while shallow structure has length "
                f"{len(_children(shallow))}."
            )
        pairs = list(zip(_children(shallow), inner, strict=True))
    return [atom for part, whole in pairs for atom in flatten_up_to(part, whole, check_types)]
