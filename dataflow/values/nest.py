"""Nested structures: flatten, map and rebuild lists, tuples, dicts, attrs classes.

Sequences (but not strings), namedtuples, mappings, mapping views, attrs classes and classes with
`__tf_flatten__` and `__tf_unflatten__` are structures; everything else is an atom. Mappings are
walked in the order of their sorted keys.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Mapping, MappingView, MutableMapping, Sequence
from typing import Any

from dataflow.values.composite_tensor import CompositeTensor


def is_nested(seq: Any) -> bool:
    """True if `seq` is a structure, False if it is an atom."""
    if isinstance(seq, (list, tuple, dict)):
        return True
    if isinstance(seq, (str, bytes)):
        return False
    return isinstance(seq, (Sequence, Mapping, MappingView)) or is_attrs(seq) or _is_custom(seq)


def is_nested_or_composite(structure: Any) -> bool:
    """True for a structure and for a tensor made of several tensors."""
    return is_nested(structure) or isinstance(structure, CompositeTensor)


def is_attrs(value: Any) -> bool:
    """True for an instance of an attrs class, also of one whose attributes are not to be had."""
    return hasattr(type(value), "__attrs_attrs__")


def is_namedtuple(value: Any, strict: bool = False) -> bool:
    """True for a namedtuple; with `strict`, not for an instance of a class derived from one."""
    if not isinstance(value, tuple):
        return False
    if strict and type(value).__base__ is not tuple:
        return False
    fields = getattr(value, "_fields", None)
    return isinstance(fields, Sequence) and all(isinstance(field, str) for field in fields)


def same_namedtuples(first: Any, second: Any) -> bool:
    """True if two namedtuples have types of one name and the same fields."""
    return bool(type(first).__name__ == type(second).__name__ and first._fields == second._fields)


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The atoms of a structure, in order; an atom gives a list of itself.

    Args:
      structure: An atom or a structure.
      expand_composites: Whether sparse tensors are taken apart into their tensors.

    Raises:
      TypeError: The keys of a mapping cannot be sorted.
    """
    atoms: list[Any] = []
    _flatten_into(structure, nested_test(expand_composites), atoms)
    return atoms


def flatten_dict_items(dictionary: Mapping[Any, Any]) -> dict[Any, Any]:
    """A dictionary whose keys may be structures, as one from atom to atom (or to a structure).

    Raises:
      TypeError: `dictionary` is no mapping.
      ValueError: A key and its value have different numbers of atoms, or a key comes twice.
    """
    if not isinstance(dictionary, Mapping):
        raise TypeError("input must be a dictionary")
    flat: dict[Any, Any] = {}
    for key, value in dictionary.items():
        if is_nested(key):
            keys, values = flatten(key), flatten(value)
            if len(keys) != len(values):
                raise ValueError(
                    f"Could not flatten dictionary. Key had {len(keys)} elements, but value had "
                    f"{len(values)} elements. Key: {keys}, value: {values}."
                )
        else:
            keys, values = [key], [value]
        for flat_key, flat_value in zip(keys, values, strict=True):
            if flat_key in flat:
                raise ValueError(f"Could not flatten dictionary: key {flat_key} is not unique.")
            flat[flat_key] = flat_value
    return flat


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """The inverse of `flatten`: the structure with its atoms replaced by those of a sequence.

    Args:
      structure: An atom or a structure.
      flat_sequence: As many atoms as `structure` has.
      expand_composites: Whether sparse tensors stand for their tensors.

    Raises:
      TypeError: `flat_sequence` is no sequence, or the keys of a mapping cannot be sorted.
      ValueError: The numbers of atoms differ.
    """
    nested = nested_test(expand_composites)
    if not nested(flat_sequence):
        raise TypeError("flat_sequence must be a sequence")
    if not nested(structure):
        if len(flat_sequence) != 1:
            raise ValueError(
                f"Structure is a scalar but len(flat_sequence) == {len(flat_sequence)} > 1"
            )
        return flat_sequence[0]
    try:
        used, packed = _pack_from(structure, flat_sequence, 0, nested)
    except IndexError:
        used = -1
    if used != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {len(flatten(structure, expand_composites))} "
            f"elements, but flat_sequence had {len(flat_sequence)} elements.  Structure: "
            f"{structure}, flat_sequence: {flat_sequence}."
        )
    return sequence_like(structure, packed)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Applies a function to the atoms of structures and packs the results like the first one.

    Args:
      func: Takes one atom of each structure.
      *structure: Structures of one form.
      **kwargs: `check_types` (True): whether sequences must agree in type; `expand_composites`
        (False): whether sparse tensors are taken apart.

    Raises:
      TypeError: `func` cannot be called, or types of sequences differ.
      ValueError: No structure is given, the structures differ, or a keyword is unknown.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: "
            f"`{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    atoms = [flatten(item, expand_composites) for item in structure]
    results = [func(*row) for row in zip(*atoms, strict=True)]
    return pack_sequence_as(structure[0], results, expand_composites)


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that two structures are nested in the same way.

    Args:
      nest1: An atom or a structure.
      nest2: An atom or a structure.
      check_types: Whether sequences must agree in type and mappings in keys.
      expand_composites: Whether sparse tensors are taken apart.

    Raises:
      TypeError: Types of sequences differ.
      ValueError: The structures differ otherwise.
    """
    try:
        _compare(nest1, nest2, bool(check_types), nested_test(expand_composites))
    except _Different as difference:
        raise difference.kind(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_typed(nest1)}\n\nSecond structure: {_typed(nest2)}\n\n"
            f"More specifically: {difference.text}\n"
            f"Entire first structure:\n{_outline(nest1)}\n"
            f"Entire second structure:\n{_outline(nest2)}"
        ) from None


def sequence_like(instance: Any, args: Sequence[Any]) -> Any:
    """A structure of the type of `instance` that holds `args`, for mappings in sorted key order.

    Raises:
      TypeError: The keys of a mapping cannot be sorted, or its class takes no pairs.
    """
    cls: Any = type(instance)
    if isinstance(instance, Mapping):
        values = dict(zip(_sorted_keys(instance), args, strict=True))
        pairs = [(key, values[key]) for key in instance]
        if isinstance(instance, collections.defaultdict):
            return cls(instance.default_factory, pairs)
        if isinstance(instance, MutableMapping):
            rebuilt = cls()
            for key, value in pairs:
                rebuilt[key] = value
            return rebuilt
        return cls(pairs)
    if isinstance(instance, (MappingView, range)):
        return list(args)
    if is_namedtuple(instance) or is_attrs(instance):
        return cls(*args)
    if isinstance(instance, CompositeTensor):
        return instance._with_components(args)
    if _is_custom(instance):
        return instance.__tf_unflatten__(instance.__tf_flatten__()[0], tuple(args))
    return cls(args)


def nested_test(expand_composites: bool) -> Callable[[Any], bool]:
    """The test that tells structures from atoms."""
    return is_nested_or_composite if expand_composites else is_nested


def sorted_items(structure: Any) -> Iterator[tuple[Any, Any]]:
    """The (key, child) pairs of a structure; keys are indices, mapping keys or attribute names."""
    if isinstance(structure, Mapping):
        for key in _sorted_keys(structure):
            yield key, structure[key]
    elif is_attrs(structure):
        for attribute in type(structure).__attrs_attrs__:
            yield attribute.name, getattr(structure, attribute.name)
    elif is_namedtuple(structure):
        for field in structure._fields:
            yield field, getattr(structure, field)
    else:
        yield from enumerate(_children(structure))


def _children(structure: Any) -> Any:
    """The children of a structure, as something to iterate over."""
    if isinstance(structure, (list, tuple)):
        return structure
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure.keys())]
    if is_attrs(structure):
        names = (attribute.name for attribute in type(structure).__attrs_attrs__)
        return [getattr(structure, name) for name in names]
    if isinstance(structure, CompositeTensor):
        return structure._components()
    if _is_custom(structure):
        return structure.__tf_flatten__()[1]
    return structure


def _flatten_into(structure: Any, nested: Callable[[Any], bool], atoms: list[Any]) -> None:
    if not nested(structure):
        atoms.append(structure)
        return
    for child in _children(structure):
        _flatten_into(child, nested, atoms)


def _pack_from(
    structure: Any, flat: Any, start: int, nested: Callable[[Any], bool]
) -> tuple[int, list[Any]]:
    packed = []
    for _, child in sorted_items(structure):
        if nested(child):
            start, atoms = _pack_from(child, flat, start, nested)
            packed.append(sequence_like(child, atoms))
        else:
            packed.append(flat[start])
            start += 1
    return start, packed


class _Different(Exception):
    """Two structures differ; carries the class of the error to raise."""

    def __init__(self, kind: type[Exception], text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


def _compare(first: Any, second: Any, check_types: bool, nested: Callable[[Any], bool]) -> None:
    nested_first = nested(first)
    if nested_first != nested(second):
        sequence, atom = (first, second) if nested_first else (second, first)
        raise _Different(
            ValueError,
            f'Substructure "{_typed(sequence)}" is a sequence, while substructure '
            f'"{_typed(atom)}" is not',
        )
    if not nested_first:
        return
    if check_types:
        _compare_types(first, second)
    children = list(_children(first)), list(_children(second))
    for one, other in zip(*children, strict=False):
        _compare(one, other, check_types, nested)
    if len(children[0]) != len(children[1]):
        raise _Different(
            ValueError,
            "The two structures don't have the same number of elements. First structure: "
            f"{_typed(first)}. Second structure: {_typed(second)}",
        )


def _compare_types(first: Any, second: Any) -> None:
    if is_namedtuple(first, strict=True) and is_namedtuple(second, strict=True):
        same = same_namedtuples(first, second)
    else:
        same = type(first) is type(second) or any(
            isinstance(first, kind) and isinstance(second, kind) for kind in (list, Mapping)
        )
    if not same:
        raise _Different(
            TypeError,
            "The two namedtuples don't have the same sequence type. First structure "
            f"{_typed(first)} has type {type(first).__name__}, while second structure "
            f"{_typed(second)} has type {type(second).__name__}",
        )
    if isinstance(first, Mapping) and set(first) != set(second):
        raise _Different(
            ValueError,
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f"{_typed(list(first))}, while second structure has keys {_typed(list(second))}",
        )


def _is_custom(value: Any) -> bool:
    return hasattr(type(value), "__tf_flatten__") and hasattr(type(value), "__tf_unflatten__")


def _sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping.keys())
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


class _Dot:
    """Stands for an atom in an outline of a structure."""

    def __repr__(self) -> str:
        return "."


def _outline(structure: Any) -> str:
    return str(map_structure(lambda _: _Dot(), structure))


def _typed(value: Any) -> str:
    return f"type={type(value).__name__} str={value}"
