"""How values of a type are fetched and fed: the registry behind `Session.run`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.values.composite_tensor import CompositeTensor

FetchFunction = Callable[[Any], tuple[list[Any], Callable[[list[Any]], Any]]]
FeedFunction = Callable[[Any, Any], Iterable[tuple[Any, Any]]]
FeedKeysFunction = Callable[[Any], list[Any]]


@dataclass(frozen=True, slots=True)
class Conversion:
    """What `Session.run` does with values of a type; see the registration function."""

    type: type
    fetch: FetchFunction
    feed: FeedFunction | None
    feed_keys: FeedKeysFunction | None


def _fetch_components(fetch: Any) -> Any:
    return list(fetch._components()), fetch._value_of_components


def _feed_components(feed: Any, value: Any) -> list[tuple[Any, Any]]:
    return list(zip(feed._components(), feed._components_of_value(value), strict=False))


def _component_keys(feed: Any) -> list[Any]:
    return list(feed._components())


# The first match counts; user types stand in front of these.
_CONVERSIONS: Final[list[Conversion]] = [
    Conversion(CompositeTensor, _fetch_components, _feed_components, _component_keys),
]
_user_types = 0

# What is known of a class without looking at the value. The first three are leaves that always
# stand for the same graph elements, so what was resolved for one may be kept.
TENSOR: Final = 1
"""A tensor, an operation or an object, such as a variable, that stands for one."""
NAME: Final = 2
"""A string."""
COMPOSITE: Final = 3
"""Several tensors in one."""
SEQUENCE: Final = 4
"""A list, tuple or namedtuple."""
DICT: Final = 5
ATTRS: Final = 6
"""An instance of an attrs class."""
OTHER: Final = 7

kinds: Final[dict[type, int]] = {}
"""Kinds of the classes seen so far; `kind_of` fills it in."""


def kind_of(cls: type) -> int:
    """The kind of a class, for deciding what may be remembered of its instances."""
    kind = kinds.get(cls)
    if kind is None:
        kind = kinds[cls] = _classify(cls)
    return kind


def _classify(cls: type) -> int:
    if issubclass(cls, (list, tuple)):
        return SEQUENCE
    if issubclass(cls, dict):
        return DICT
    if getattr(cls, "__attrs_attrs__", None) is not None:
        return ATTRS
    if any(issubclass(cls, entry.type) for entry in _CONVERSIONS[:_user_types]):
        return OTHER
    if issubclass(cls, CompositeTensor):
        return COMPOSITE
    if issubclass(cls, (Tensor, Operation)) or hasattr(cls, "_as_graph_element"):
        return TENSOR
    if issubclass(cls, (str, bytes)):
        return NAME
    return OTHER


def find_conversion(value: Any) -> Conversion | None:
    """The conversion of a value, None if it stands for itself."""
    for entry in _CONVERSIONS:
        if isinstance(value, entry.type):
            return entry
    return None


def register_session_run_conversion_functions(
    tensor_type: type,
    fetch_function: FetchFunction,
    feed_function: FeedFunction | None = None,
    feed_function_for_partial_run: FeedKeysFunction | None = None,
) -> None:
    """Lets `Session.run` fetch and feed values of a type of the program's own.

    Args:
      tensor_type: The type.
      fetch_function: Of a value: the tensors to fetch, and a function from their arrays to the
        result.
      feed_function: Of a key of the type and the fed value: pairs of a tensor and its value.
      feed_function_for_partial_run: Of a key of the type: the tensors it feeds.

    Raises:
      ValueError: The type, or one derived from it, is registered already.
    """
    global _user_types
    if any(issubclass(entry.type, tensor_type) for entry in _CONVERSIONS) or tensor_type is object:
        raise ValueError(f"{tensor_type} has already been registered so ignore it.")
    entry = Conversion(tensor_type, fetch_function, feed_function, feed_function_for_partial_run)
    _CONVERSIONS.insert(0, entry)
    _user_types += 1
    kinds.clear()
