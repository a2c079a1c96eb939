"""Structures seen through a shallower one, and paths to atoms: the rest of TF's `nest`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from dataflow.values import nest
from dataflow.values.composite_tensor import CompositeTensor

Path = tuple[Any, ...]
"""Keys, indices and field names that lead from a structure to one of its parts."""

NO_STRUCTURE: Final = (
    "If shallow structure is a sequence, input must also be a sequence. Input has type: {}."
)
OTHER_TYPES: Final = (
    "The two structures don't have the same sequence type. Input structure has type {input_type}, "
    "while shallow structure has type {shallow_type}."
)
OTHER_LENGTHS: Final = (
    "The two structures don't have the same sequence length. Input structure has length "
    "{input_length}, while shallow structure has length {shallow_length}."
)
FEWER_ITEMS: Final = (
    "The input_tree has fewer items than the shallow_tree. Input structure has length "
    "{input_size}, while shallow structure has length {shallow_size}."
)
OTHER_KEYS: Final = (
    "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the "
    "following keys that are not in the input_tree: {}."
)


def assert_shallow_structure(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> None:
    """Checks that `input_tree` is `shallow_tree` with deeper structures in place of atoms.

    Args:
      shallow_tree: The shallower structure.
      input_tree: The deeper one.
      check_types: Whether sequences must agree in type.
      expand_composites: Whether sparse tensors are taken apart.
      check_subtrees_length: Whether `input_tree` may have no other items than `shallow_tree`.

    Raises:
      TypeError: `input_tree` has an atom where `shallow_tree` has a structure, or types differ.
      ValueError: Lengths or keys differ.
    """
    if not nest.nested_test(expand_composites)(shallow_tree):
        return
    if not nest.nested_test(expand_composites)(input_tree):
        raise TypeError(NO_STRUCTURE.format(type(input_tree)))
    if check_types and not _same_kind(shallow_tree, input_tree):
        raise TypeError(
            OTHER_TYPES.format(input_type=type(input_tree), shallow_type=type(shallow_tree))
        )
    shallow_items = list(nest.sorted_items(shallow_tree))
    input_items = list(nest.sorted_items(input_tree))
    if check_subtrees_length and len(shallow_items) != len(input_items):
        raise ValueError(
            OTHER_LENGTHS.format(input_length=len(input_items), shallow_length=len(shallow_items))
        )
    if len(input_items) < len(shallow_items):
        raise ValueError(
            FEWER_ITEMS.format(input_size=len(input_items), shallow_size=len(shallow_items))
        )
    if isinstance(shallow_tree, Mapping):
        absent = set(shallow_tree) - set(input_tree)
        if absent:
            raise ValueError(OTHER_KEYS.format(sorted(absent)))
    below = dict(input_items)
    for key, shallow_child in shallow_items:
        assert_shallow_structure(
            shallow_child, below[key], check_types, expand_composites, check_subtrees_length
        )


def flatten_up_to(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> list[Any]:
    """The parts of `input_tree` that stand where `shallow_tree` has atoms.

    Raises:
      TypeError: Types differ, see `assert_shallow_structure`.
      ValueError: Lengths or keys differ.
    """
    pairs = flatten_with_tuple_paths_up_to(
        shallow_tree, input_tree, check_types, expand_composites, check_subtrees_length
    )
    return [value for _, value in pairs]


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> list[tuple[Path, Any]]:
    """Like `flatten_up_to`, each part with the path to it."""
    assert_shallow_structure(
        shallow_tree, input_tree, check_types, expand_composites, check_subtrees_length
    )
    return list(_parts(shallow_tree, input_tree, nest.nested_test(expand_composites), ()))


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """The atoms of a structure, each with the path to it."""
    return list(_parts(structure, structure, nest.nested_test(expand_composites), ()))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """The atoms of a structure, each with the path to it as one string."""
    pairs = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), atom) for path, atom in pairs]


def yield_flat_paths(structure: Any, expand_composites: bool = False) -> Iterator[Path]:
    """The paths to the atoms of a structure."""
    for path, _ in flatten_with_tuple_paths(structure, expand_composites):
        yield path


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Applies a function to the parts of `inputs` that stand where `shallow_tree` has atoms.

    Args:
      shallow_tree: The structure of the result.
      func: Takes one part of each input.
      *inputs: Structures at least as deep as `shallow_tree`.
      **kwargs: `check_types`, `expand_composites`; others go to `func`.

    Raises:
      TypeError: Types differ, see `assert_shallow_structure`.
      ValueError: No input is given, or lengths or keys differ.
    """

    def without_path(path: Path, *parts: Any, **others: Any) -> Any:
        return func(*parts, **others)

    return map_structure_with_tuple_paths_up_to(shallow_tree, without_path, *inputs, **kwargs)


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Like `map_structure_up_to`; the function takes the path in front of the parts."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    columns = [
        flatten_with_tuple_paths_up_to(shallow_tree, tree, check_types, expand_composites)
        for tree in inputs
    ]
    paths = [path for path, _ in columns[0]]
    parts = [[part for _, part in column] for column in columns]
    results = [func(*row, **kwargs) for row in zip(paths, *parts, strict=True)]
    return nest.pack_sequence_as(shallow_tree, results, expand_composites)


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Like `nest.map_structure`; the function takes the path in front of the atoms."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Like `map_structure_with_tuple_paths`, paths being strings joined by "/"."""

    def with_string(path: Path, *atoms: Any, **others: Any) -> Any:
        return func("/".join(map(str, path)), *atoms, **others)

    return map_structure_with_tuple_paths_up_to(structure[0], with_string, *structure, **kwargs)


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """A structure of booleans that says where to go on flattening.

    Args:
      traverse_fn: Says of a structure whether to look inside: a boolean, or one for each child in
        a structure of the same kind.
      structure: What to traverse.
      expand_composites: Whether sparse tensors are taken apart.

    Raises:
      TypeError: `traverse_fn` returns something else.
    """
    answer = traverse_fn(structure)
    nested = nest.nested_test(expand_composites)
    if not nested(structure):
        if not isinstance(answer, bool):
            raise TypeError(
                f"traverse_fn returned structure: {answer} for non-structure: {structure}"
            )
        return answer
    children = [child for _, child in nest.sorted_items(structure)]
    if isinstance(answer, bool):
        if not answer:
            return False
        wanted = [True] * len(children)
    elif not nested(answer):
        raise TypeError(f"traverse_fn returned a non-bool scalar: {answer} for input: {structure}")
    else:
        assert_shallow_structure(answer, structure, expand_composites=expand_composites)
        wanted = [value for _, value in nest.sorted_items(answer)]
        if not all(isinstance(value, bool) for value in wanted):
            raise TypeError(
                f"traverse_fn didn't return a depth=1 structure of bools.  saw: {answer}  for "
                f"structure: {structure}"
            )
    return nest.sequence_like(
        structure,
        [
            get_traverse_shallow_structure(traverse_fn, child, expand_composites) if go else False
            for go, child in zip(wanted, children, strict=True)
        ],
    )


def list_to_tuple(structure: Any) -> Any:
    """The structure with tuples in place of lists, at every depth."""
    if not nest.is_nested(structure):
        return structure
    children = [list_to_tuple(child) for _, child in nest.sorted_items(structure)]
    return (
        tuple(children) if isinstance(structure, list) else nest.sequence_like(structure, children)
    )


def _same_kind(shallow_tree: Any, input_tree: Any) -> bool:
    if isinstance(input_tree, type(shallow_tree)):
        return True
    if nest.is_namedtuple(shallow_tree) and nest.is_namedtuple(input_tree):
        return nest.same_namedtuples(shallow_tree, input_tree)
    return any(
        isinstance(shallow_tree, kind) and isinstance(input_tree, kind)
        for kind in (list, Mapping, CompositeTensor)
    )


def _parts(
    shallow_tree: Any, input_tree: Any, nested: Callable[[Any], bool], path: Path
) -> Iterator[tuple[Path, Any]]:
    if not nested(shallow_tree):
        yield path, input_tree
        return
    if isinstance(shallow_tree, CompositeTensor):
        path = (*path, type(shallow_tree).__name__)
    children = dict(nest.sorted_items(input_tree))
    for key, shallow_child in nest.sorted_items(shallow_tree):
        yield from _parts(shallow_child, children[key], nested, (*path, key))
