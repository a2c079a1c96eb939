"""What a fetch argument asks for: its tensors and operations, and how its results are packed."""

from __future__ import annotations

import functools
import operator
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dataflow.errors import InaccessibleTensorError
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.session.conversions import (
    ATTRS,
    COMPOSITE,
    DICT,
    NAME,
    SEQUENCE,
    TENSOR,
    find_conversion,
    kind_of,
    kinds,
)

Builder = Callable[[list[Any]], Any]
"""From the values of `FetchMap.elements` to a result of the form of the fetch argument."""


@dataclass(frozen=True, slots=True)
class FetchMap:
    """A resolved fetch argument."""

    elements: tuple[Tensor | Operation, ...]
    """What is asked for, each once."""
    build: Builder
    leaves: tuple[Any, ...]
    """The objects the argument was made of."""


def map_fetches(graph: Graph, fetches: Any) -> FetchMap:
    """Resolves a fetch argument: any nesting of tensors, operations, names, variables, ...

    Raises:
      TypeError: A leaf is None or of a type that cannot be fetched.
      ValueError: A leaf is not in the graph.
      InaccessibleTensorError: A leaf may not be fetched.
    """
    mapper = _Mapper(graph)
    with graph.as_default():
        build = mapper.map(fetches)
    elements = tuple(mapper.elements)
    for element in elements:
        if not graph.is_fetchable(element):
            op = element.op if isinstance(element, Tensor) else element
            raise InaccessibleTensorError(
                f"Operation {op.name} has been marked as not fetchable. Typically this happens "
                "when it is defined in another function or code block. Use return values, explicit "
                "Python locals or TensorFlow collections to access it."
            )
    return FetchMap(elements, build, tuple(mapper.leaves))


def add_structure_key(fetches: Any, tokens: list[Any]) -> bool:
    """Appends tokens that tell fetch arguments apart, without resolving anything.

    Arguments with the same tokens ask for the same, as long as the objects they are made of live.

    Returns:
      False if what the argument asks for may differ from call to call.
    """
    cls = fetches.__class__
    kind = kinds.get(cls) or kind_of(cls)
    if kind in (TENSOR, COMPOSITE):
        tokens.append(id(fetches))
        return True
    if kind == SEQUENCE:
        tokens.append(cls)
        tokens.append(len(fetches))
        for child in fetches:
            if kinds.get(child.__class__) == TENSOR:
                tokens.append(id(child))
            elif not add_structure_key(child, tokens):
                return False
        return True
    if kind == NAME:
        tokens.append(fetches)
        return True
    if kind == DICT:
        tokens += (cls, len(fetches), getattr(fetches, "default_factory", None))
        for key, child in fetches.items():
            tokens += (key.__class__, key)
            if not add_structure_key(child, tokens):
                return False
        return True
    if kind == ATTRS:
        tokens.append(cls)
        return all(add_structure_key(child, tokens) for child in _attrs_values(fetches))
    return False


class _Mapper:
    """Walks a fetch argument."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._index_of: dict[int, int] = {}
        self.elements: list[Tensor | Operation] = []
        self.leaves: list[Any] = []

    def map(self, fetch: Any) -> Builder:
        if fetch is None:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}". '
                "Cannot be None"
            )
        if isinstance(fetch, (list, tuple)):
            return self._sequence(fetch)
        if isinstance(fetch, Mapping):
            return self._mapping(fetch)
        if kind_of(type(fetch)) == ATTRS:
            cls: Any = type(fetch)
            builders = [self.map(child) for child in _attrs_values(fetch)]
            return lambda values: cls(*[build(values) for build in builders])
        return self._leaf(fetch)

    def _sequence(self, fetch: Any) -> Builder:
        build = self._items(fetch)
        cls: Any = type(fetch)
        if issubclass(cls, list):
            return build
        if cls is tuple:
            return lambda values: tuple(build(values))
        return lambda values: cls(*build(values))

    def _mapping(self, fetch: Mapping[Any, Any]) -> Builder:
        make: Any = type(fetch)
        if isinstance(fetch, defaultdict):
            make = functools.partial(defaultdict, fetch.default_factory)
        keys = tuple(fetch.keys())
        build = self._items(fetch.values())
        if make is dict:
            return lambda values: dict(zip(keys, build(values), strict=True))
        # A generator, not a list: what a mapping's class is called with in TensorFlow.
        return lambda values: make(pair for pair in zip(keys, build(values), strict=True))

    def _items(self, fetches: Any) -> Builder:
        """A builder of the list of results of several fetches."""
        builders = [self.map(child) for child in fetches]
        indices = [build.index for build in builders if isinstance(build, _Pick)]
        if len(indices) < len(builders):
            return lambda values: [build(values) for build in builders]
        if len(indices) > 1:
            pick = operator.itemgetter(*indices)
            return lambda values: list(pick(values))
        return lambda values: [values[index] for index in indices]

    def _leaf(self, fetch: Any) -> Builder:
        self.leaves.append(fetch)
        conversion = find_conversion(fetch)
        if conversion is None:
            return _Pick(self._element(fetch))
        parts, contract = conversion.fetch(fetch)
        indices = [self._element(part) for part in parts]
        if not indices:
            return lambda values: None
        return lambda values: contract([values[index] for index in indices])

    def _element(self, fetch: Any) -> int:
        """The index of the graph element that a leaf stands for."""
        try:
            element = self._graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a '
                f"string or Tensor. ({error})"
            ) from None
        except (ValueError, KeyError) as error:
            raise ValueError(
                f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})"
            ) from None
        index = self._index_of.setdefault(id(element), len(self.elements))
        if index == len(self.elements):
            self.elements.append(element)
        return index


class _Pick:
    """Builder of one element's value."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def __call__(self, values: list[Any]) -> Any:
        return values[self.index]


def _attrs_values(fetch: Any) -> list[Any]:
    return [getattr(fetch, attribute.name) for attribute in type(fetch).__attrs_attrs__]
