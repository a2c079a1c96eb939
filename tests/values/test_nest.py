"""`nest` against TensorFlow's: values, types of what is rebuilt, and error texts."""

from __future__ import annotations

import collections
import types
from collections.abc import Callable
from typing import Any

import attr
import numpy as np
import pytest
from tensorflow.python.util import nest as tf_nest

from dataflow.library import shallow_nest as nest_shallow
from dataflow.values import nest
from tests.words import as_in_tensorflow_1

OURS = types.SimpleNamespace(**{**vars(nest), **vars(nest_shallow)})
Point = collections.namedtuple("Point", "x y")
Other = collections.namedtuple("Other", "x y")
SameName = collections.namedtuple("Point", "x y")  # type: ignore[name-match]


@attr.s
class Record:
    first = attr.ib()
    second = attr.ib()


class Unread:
    """A class of attrs without attributes to be read."""

    __attrs_attrs__ = None

    def __repr__(self) -> str:
        return "Unread()"


class Tuple(tuple):
    pass


class List(list):
    pass


class Frozen(collections.abc.Mapping):
    """A mapping that cannot be changed."""

    def __init__(self, pairs: Any) -> None:
        self.held = dict(pairs)

    def __getitem__(self, key: Any) -> Any:
        return self.held[key]

    def __iter__(self) -> Any:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)

    def __repr__(self) -> str:
        return f"Frozen({self.held})"


class Custom:
    """A class of the nest protocol."""

    def __init__(self, tag: str, a: Any, b: Any) -> None:
        self.tag, self.a, self.b = tag, a, b

    def __tf_flatten__(self) -> Any:
        return (self.tag,), (self.a, self.b)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: Any) -> Custom:
        return cls(metadata[0], *components)

    def __repr__(self) -> str:
        return f"Custom({self.tag}, {self.a}, {self.b})"


STRUCTURES: dict[str, Any] = {
    "none": None,
    "list": [1, [2, (3,)]],
    "dict": {"b": 1, "a": {"z": 2, "c": 3}},
    "ordered": collections.OrderedDict([("b", 1), ("a", 2)]),
    "default": collections.defaultdict(list, {"b": 1, "a": 2}),
    "frozen": Frozen({"b": 1, "a": 2}),
    "namedtuple": Point(1, [2, 3]),
    "attrs": Record(1, [2]),
    "attrs unread": Unread(),
    "string": "abc",
    "bytes": b"a",
    "bytearray": bytearray(b"ab"),
    "array": np.ones(2),
    "set": {1, 2},
    "frozenset": frozenset([1]),
    "range": range(3),
    "keys": {"b": 1, "a": 2}.keys(),
    "values": {"b": 1, "a": 2}.values(),
    "items": {"b": 1}.items(),
    "deque": collections.deque([1, 2]),
    "tuple subclass": Tuple([1, 2]),
    "list subclass": List([1]),
    "mixed keys": {"a": 1, 2: 3},
    "empty list": [],
    "empty dict": {},
    "custom": Custom("t", 1, [2]),
    "deep": [{"k": Point((1, 2), {"m": []})}, (), [[[4]]]],
}

SAME: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "longer": ([1, 2], [1, 2, 3], {}),
    "list tuple": ([1, 2], (1, 2), {}),
    "list tuple unchecked": ([1, 2], (1, 2), {"check_types": False}),
    "atom list": (1, [1], {}),
    "list atom": ([1], 1, {}),
    "inner": ([1, [2]], [[1], 2], {}),
    "keys": ({"a": 1}, {"b": 1}, {}),
    "keys unchecked": ({"a": 1}, {"b": 1}, {"check_types": False}),
    "fewer keys": ({"a": 1, "b": 2}, {"a": 1}, {}),
    "namedtuples": (Point(1, 2), Other(1, 2), {}),
    "namedtuples unchecked": (Point(1, 2), Other(1, 2), {"check_types": False}),
    "namedtuples of one name": (Point(1, 2), SameName(1, 2), {}),
    "namedtuple tuple": (Point(1, 2), (1, 2), {}),
    "namedtuple tuple unchecked": (Point(1, 2), (1, 2), {"check_types": False}),
    "namedtuple dict unchecked": (Point(1, 2), {"x": 1, "y": 2}, {"check_types": False}),
    "ordered dict": (collections.OrderedDict(a=1), {"a": 2}, {}),
    "atoms": ("abc", 3, {}),
    "deep": ([1, {"a": (2, 3)}], [1, {"a": (2, [3])}], {}),
    "empty": ([], [], {}),
    "empty full": ([], [1], {}),
    "none": (None, None, {}),
    "none list": (None, [1], {}),
    "attrs": (Record(1, 2), Record(3, 4), {}),
    "attrs list": (Record(1, 2), [3, 4], {}),
    "list subclass": (List([1]), [1], {}),
    "tuple subclass": (Tuple([1]), (1,), {}),
    "second is longer": ([[1, 2]], [[1, 2], 3], {}),
    "dict list": ({"a": 1}, [1], {}),
    "list dict unchecked": ([1], {"a": 1}, {"check_types": False}),
    "list array": ([0, 1], np.array([0, 1]), {}),
}

CALLS: dict[str, Callable[[Any], Any]] = {
    "pack": lambda n: n.pack_sequence_as([1, (2, 3)], [10, 20, 30]),
    "pack short": lambda n: n.pack_sequence_as([1, (2, 3)], [10, 20]),
    "pack long": lambda n: n.pack_sequence_as([1, (2, 3)], [10, 20, 30, 40]),
    "pack atom": lambda n: n.pack_sequence_as(1, [10]),
    "pack atom long": lambda n: n.pack_sequence_as(1, [10, 20]),
    "pack string": lambda n: n.pack_sequence_as([1, 2], "ab"),
    "pack array": lambda n: n.pack_sequence_as([1], np.array([4])),
    "pack int": lambda n: n.pack_sequence_as(1, 5),
    "pack long text": lambda n: n.pack_sequence_as("x" * 200, list(range(100))),
    "pack dict": lambda n: n.pack_sequence_as({"b": 1, "a": 2}, [10, 20]),
    "pack mixed": lambda n: n.pack_sequence_as({"b": 1, 3: 2}, [10, 20]),
    "map two": lambda n: n.map_structure(
        lambda a, b: a + b, {"a": 1, "b": (2,)}, {"a": 1, "b": (2,)}
    ),
    "map mismatch": lambda n: n.map_structure(lambda a, b: a, [1], [1, 2]),
    "map unchecked": lambda n: n.map_structure(
        lambda a, b: a + b, ((1,), 2), [[1], 2], check_types=False
    ),
    "map not callable": lambda n: n.map_structure(3, [1]),
    "map nothing": lambda n: n.map_structure(lambda: 1),
    "map keywords": lambda n: n.map_structure(lambda a: 1, [1], foo=1, bar=2),
    "items": lambda n: n.flatten_dict_items({(4, 5, (6, 8)): ("a", "b", ("c", "d"))}),
    "items value list": lambda n: n.flatten_dict_items({4: [1, 2]}),
    "items other nesting": lambda n: n.flatten_dict_items({(4, (5, 6)): [1, [2, 3]]}),
    "items short": lambda n: n.flatten_dict_items({(4, 5): ("a",)}),
    "items atom": lambda n: n.flatten_dict_items({(4, 5): 3}),
    "items twice": lambda n: n.flatten_dict_items({(4, 4): (1, 2)}),
    "items twice apart": lambda n: n.flatten_dict_items({4: 1, (4, 5): (1, 2)}),
    "items no dict": lambda n: n.flatten_dict_items([1]),
    "shallow keys": lambda n: n.assert_shallow_structure({"a": 1, "b": 2}, {"a": 1, "c": 2}),
    "shallow long": lambda n: n.assert_shallow_structure(["a", "b"], ["c", ["d", "e"], "f"]),
    "shallow short": lambda n: n.assert_shallow_structure(["a", "b"], ["a"]),
    "shallow atom": lambda n: n.assert_shallow_structure(["a", "b"], 3),
    "shallow tuple": lambda n: n.assert_shallow_structure(["a", "b"], ("a", "b")),
    "shallow dict short": lambda n: n.assert_shallow_structure({"a": 1, "b": 2}, {"a": 1}),
    "shallow unchecked": lambda n: n.assert_shallow_structure(["a"], ("a",), check_types=False),
    "shallow namedtuple": lambda n: n.assert_shallow_structure(Point(1, 2), Other(1, 2)),
    "up to": lambda n: n.flatten_up_to([[True, True], [False, True]], [[[2], [3]], [[4], [5]]]),
    "up to atom": lambda n: n.flatten_up_to(0, [0, 1]),
    "up to too deep": lambda n: n.flatten_up_to([0, 1], 0),
    "up to dict": lambda n: n.flatten_up_to({"a": 0}, {"a": [1, 2]}),
    "up to paths": lambda n: n.flatten_with_tuple_paths_up_to(
        {"a": 0, "b": Point(1, 2)}, {"a": [1, 2], "b": Point(3, [4])}
    ),
    "map up to": lambda n: n.map_structure_up_to(
        Point(1, 2), lambda a, b: (a, b), Point(3, [4, 5]), Point(1, {"x": 2})
    ),
    "map up to nothing": lambda n: n.map_structure_up_to([1, 2], lambda a: a),
    "map paths up to": lambda n: n.map_structure_with_tuple_paths_up_to(
        [1, {"a": 2}], lambda p, a: (p, a), [5, {"a": 7}]
    ),
    "map string paths": lambda n: n.map_structure_with_paths(
        lambda p, a, b: (p, a, b), {"a": [1, 2]}, {"a": [3, 4]}
    ),
    "map paths": lambda n: n.map_structure_with_tuple_paths(
        lambda p, a: (p, a), {"a": [1, Point(5, 6)]}
    ),
    "paths": lambda n: list(n.yield_flat_paths({"a": [1, Point(5, 6)], "b": 3})),
    "with paths": lambda n: n.flatten_with_tuple_paths({"a": [1, Point(5, 6)], "b": 3}),
    "with strings": lambda n: n.flatten_with_joined_string_paths({"a": [1, Point(5, 6)]}, "."),
    "traverse": lambda n: n.get_traverse_shallow_structure(
        lambda s: not isinstance(s, tuple), [1, (2, 3), [4]]
    ),
    "traverse some": lambda n: n.get_traverse_shallow_structure(
        lambda s: [True, False, True] if isinstance(s, list) else True, [(1,), (2, 3), [4, 5, 6]]
    ),
    "traverse no bool": lambda n: n.get_traverse_shallow_structure(lambda s: 3, [1, (2, 3)]),
    "traverse deep": lambda n: n.get_traverse_shallow_structure(
        lambda s: [[1], True] if isinstance(s, list) else True, [[1], 2]
    ),
    "traverse atom": lambda n: n.get_traverse_shallow_structure(lambda s: [True], 3),
    "list to tuple": lambda n: n.list_to_tuple([1, [2, {"a": [3]}], Point([1], 2)]),
}


def outcome(function: Callable[[Any], Any], module: Any) -> Any:
    try:
        value = function(module)
    except Exception as error:
        return type(error), str(error)
    return type(value), repr(value)


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize("call", ["is_nested", "flatten"])
def test_structure(name: str, call: str) -> None:
    structure = STRUCTURES[name]
    assert outcome(lambda n: getattr(n, call)(structure), OURS) == outcome(
        lambda n: getattr(n, call)(structure), tf_nest
    )


@pytest.mark.parametrize("name", STRUCTURES)
def test_map_rebuilds_the_type(name: str) -> None:
    structure = STRUCTURES[name]

    def mapped(module: Any) -> Any:
        return module.map_structure(lambda atom: (atom,), structure)

    assert outcome(mapped, OURS) == outcome(mapped, tf_nest)


@pytest.mark.parametrize("name", SAME)
def test_same_structure(name: str) -> None:
    first, second, options = SAME[name]

    def compare(module: Any) -> Any:
        return module.assert_same_structure(first, second, **options)

    assert outcome(compare, OURS) == outcome(compare, tf_nest)


@pytest.mark.parametrize("name", CALLS)
def test_call(name: str) -> None:
    expected = outcome(CALLS[name], tf_nest)
    if expected[0] != "ok" and isinstance(expected[1], str):
        expected = expected[0], as_in_tensorflow_1(expected[1])
    assert outcome(CALLS[name], OURS) == expected


def test_default_factory_survives() -> None:
    mapped = nest.map_structure(lambda atom: atom, collections.defaultdict(list, a=1))
    assert mapped["new"] == []
