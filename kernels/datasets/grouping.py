"""Datasets that bring together elements by a key, or keep one of each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.datasets.dataset import INFINITE, UNKNOWN, Dataset, Element, Stage
from dataflow.kernels.datasets.interleaving import inner_dataset
from dataflow.kernels.datasets.mapping import mapped
from dataflow.kernels.datasets.run import Captured, Run
from dataflow.kernels.datasets.sources import ListDataset
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


def _number(results: Sequence[Any], what: str) -> int:
    if len(results) != 1 or np.ndim(results[0]) or np.asarray(results[0]).dtype != np.int64:
        raise invalid(f"`{what}` must return a scalar int64.")
    return int(results[0])


class GroupByWindowDataset(Dataset):
    """What a function makes of windows of elements that have the same key."""

    kind = "GroupByWindow"
    __slots__ = ("key", "reduce", "window_size", "wrap")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        key: Captured,
        reduce: Captured,
        window_size: Captured,
        wrap: Callable[[Dataset], Any],
    ) -> None:
        """Takes the functions.

        Args:
          types: Element types.
          shapes: Shapes.
          source: Where elements come from.
          key: Makes a key of an element.
          reduce: Makes a dataset of a key and a dataset of elements.
          window_size: Says of a key how many elements a window has.
          wrap: Makes a dataset the argument of a function.
        """
        super().__init__(types, shapes, source)
        self.key, self.reduce, self.window_size = key, reduce, window_size
        self.wrap = wrap

    def start(self, run: Run) -> Stage:
        return _GroupByWindowStage(run, self)


class _GroupByWindowStage(Stage):
    __slots__ = ("_dataset", "_groups", "_inner", "_key", "_reduce", "_sizes", "_source", "_window")

    def __init__(self, run: Run, dataset: GroupByWindowDataset) -> None:
        source = dataset.inputs[0].start(run)
        super().__init__(run, source)
        self._source: Stage | None = source
        self._dataset = dataset
        self._key = run.function(dataset.key, dataset.kind)
        self._reduce = run.function(dataset.reduce, dataset.kind)
        self._window = run.function(dataset.window_size, dataset.kind)
        self._groups: dict[int, list[Element]] = {}
        self._sizes: dict[int, int] = {}
        self._inner: Stage | None = None
        self.is_direct = False

    def next(self) -> Element | None:
        while True:
            self.run.check()
            if self._inner is not None:
                element = self._inner.next()
                if element is not None:
                    return element
                self._inner = None
            if self._source is not None:
                self._take()
            elif self._groups:
                self._flush(min(self._groups))
            else:
                return None

    def _take(self) -> None:
        assert self._source is not None
        element = self._source.next()
        if element is None:
            self._source = None
            return
        key = _number(self._key(element), "key_func")
        size = self._sizes.get(key)
        if size is None:
            size = _number(self._window((np.int64(key),)), "window_size_func")
            if size <= 0:
                raise invalid(f"Window size must be greater than zero, but got {size}.")
            self._sizes[key] = size
        group = self._groups.setdefault(key, [])
        group.append(element)
        if len(group) >= size:
            self._flush(key)

    def _flush(self, key: int) -> None:
        source = self._dataset.inputs[0]
        window = ListDataset(source.types, source.shapes, self._groups.pop(key))
        arguments = (np.int64(key), self._dataset.wrap(window))
        self._inner = inner_dataset(self._reduce, arguments).start(self.run)

    def is_ready(self) -> bool:
        return self._source is not None and self._source.is_ready()


class GroupByReducerDataset(Dataset):
    """What functions make of all elements that have the same key, one element for each key."""

    kind = "GroupByReducer"
    __slots__ = ("finalize", "init", "key", "reduce")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        key: Captured,
        init: Captured,
        reduce: Captured,
        finalize: Captured,
    ) -> None:
        """Takes the functions.

        Args:
          types: Element types.
          shapes: Shapes.
          source: Where elements come from.
          key: Makes a key of an element.
          init: Makes the first state of a key.
          reduce: Makes a state of a state and an element.
          finalize: Makes an element of the last state.
        """
        super().__init__(types, shapes, source)
        self.key, self.init, self.reduce, self.finalize = key, init, reduce, finalize

    def start(self, run: Run) -> Stage:
        return _GroupByReducerStage(run, self)


class _GroupByReducerStage(Stage):
    __slots__ = ("_dataset", "_source", "_states")

    def __init__(self, run: Run, dataset: GroupByReducerDataset) -> None:
        source = dataset.inputs[0].start(run)
        super().__init__(run, source)
        self._source: Stage | None = source
        self._dataset = dataset
        self._states: dict[int, Element] = {}
        functions = (dataset.key, dataset.init, dataset.reduce, dataset.finalize)
        waits = any(run.function(function, dataset.kind).may_wait for function in functions)
        self.is_direct = source.is_direct and not waits

    def next(self) -> Element | None:
        dataset = self._dataset
        function = partial(self.run.function, kind=dataset.kind)
        key_of, init = function(dataset.key), function(dataset.init)
        reduce, states = function(dataset.reduce), self._states
        while self._source is not None:
            element = self._source.next()
            if element is None:
                self._source = None
                break
            key = _number(key_of(element), "key_func")
            state = states.get(key)
            if state is None:
                state = mapped(init, (np.int64(key),))
            states[key] = mapped(reduce, state + element)
        if not states:
            return None
        return mapped(function(dataset.finalize), states.pop(min(states)))


class UniqueDataset(Dataset):
    """Each element when it comes for the first time."""

    kind = "Unique"
    __slots__ = ()

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], source: Dataset
    ) -> None:
        """Takes elements of one component.

        Raises:
          InvalidArgumentError: They have several, or of a type that is not compared.
        """
        if len(source.types) != 1:
            raise invalid("UniqueDataset only supports inputs with a single component.")
        if source.types[0].name not in ("int32", "int64", "string"):
            raise invalid(
                "UniqueDataset only supports inputs with a single `tf.int32`, `tf.int64`, or "
                f"`tf.string` component, got {type_name(source.types[0])}."
            )
        super().__init__(types, shapes, source)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        return count if count in (0, INFINITE) else UNKNOWN

    def start(self, run: Run) -> Stage:
        return _UniqueStage(run, self.inputs[0].start(run))


class _UniqueStage(Stage):
    __slots__ = ("_seen", "_source")

    def __init__(self, run: Run, source: Stage) -> None:
        super().__init__(run, source)
        self._source = source
        self._seen: set[Any] = set()

    def next(self) -> Element | None:
        while True:
            element = self._source.next()
            if element is None:
                return None
            value = np.asarray(element[0])
            key = value.shape, tuple(value.ravel().tolist())
            if key not in self._seen:
                self._seen.add(key)
                return element
            self.run.check()
