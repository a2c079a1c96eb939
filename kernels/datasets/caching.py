"""Elements that are kept, in memory or in a file, when they come for the first time."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from dataflow.checkpoints.places import index_path
from dataflow.checkpoints.reader import BundleReader
from dataflow.checkpoints.writer import BundleWriter
from dataflow.errors import AlreadyExistsError
from dataflow.kernels.datasets.dataset import Dataset, Element, Stage
from dataflow.kernels.datasets.run import Run, when_dropped
from dataflow.kernels.datasets.sources import ListStage
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape
from dataflow.values.system_errors import system_errors

_MOST = 10_000_000
"""Elements of a cached file, which decide how names of tensors are padded."""


class MemoryCache:
    """Where elements are kept once all of them have come."""

    def __init__(self) -> None:
        """Has kept nothing yet."""
        self.elements: list[Element] | None = None


class MemoryCacheDataset(Dataset):
    """Elements that are kept in memory once all of them have come."""

    kind = "Cache"
    __slots__ = ("cache",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        cache: MemoryCache | None = None,
    ) -> None:
        """Takes the place where they are kept; None for one of its own."""
        super().__init__(types, shapes, source)
        self.cache = cache or MemoryCache()

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self, run: Run) -> Stage:
        if self.cache.elements is not None:
            return ListStage(run, self.cache.elements)
        return _KeepingStage(run, self.inputs[0].start(run), self.cache)


class _KeepingStage(Stage):
    __slots__ = ("_cache", "_elements", "_source")

    def __init__(self, run: Run, source: Stage, cache: MemoryCache) -> None:
        super().__init__(run, source)
        self._source = source
        self._cache = cache
        self._elements: list[Element] = []

    def next(self) -> Element | None:
        element = self._source.next()
        if element is not None:
            self._elements.append(element)
        elif self._cache.elements is None:
            self._cache.elements = self._elements
        return element


class FileCacheDataset(Dataset):
    """Elements that are kept in a file once all of them have come."""

    kind = "Cache"
    __slots__ = ("prefix",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        prefix: str,
    ) -> None:
        """Takes what the names of the files begin with."""
        super().__init__(types, shapes, source)
        self.prefix = prefix

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self, run: Run) -> Stage:
        if os.path.exists(index_path(self.prefix)):
            with system_errors():
                return _FileStage(run, BundleReader(self.prefix), len(self.types))
        return _WritingStage(run, self.inputs[0].start(run), self)


def _name(place: int, component: int, components: int) -> str:
    return f"{place:>{len(str(_MOST - 1))}}_{component:>{len(str(components - 1))}}"


class _FileStage(Stage):
    __slots__ = ("_components", "_place", "_reader")

    def __init__(self, run: Run, reader: BundleReader, components: int) -> None:
        super().__init__(run)
        self._reader = reader
        self._components = components
        self._place = 0

    def next(self) -> Element | None:
        names = [_name(self._place, i, self._components) for i in range(self._components)]
        if self._reader.entry(names[0].encode()) is None:
            return None
        self._place += 1
        with system_errors():
            return tuple(self._reader.read(name)[()] for name in names)


class _WritingStage(Stage):
    __slots__ = ("_dataset", "_lock", "_place", "_source", "_writer")

    def __init__(self, run: Run, source: Stage, dataset: FileCacheDataset) -> None:
        super().__init__(run, source)
        self._source: Stage | None = source
        self._dataset = dataset
        self._writer: BundleWriter | None = None
        self._lock = f"{dataset.prefix}_0.lockfile"
        self._place = 0

    def next(self) -> Element | None:
        if self._source is None:
            return None
        if self._writer is None:
            self._begin()
        assert self._writer is not None
        element = self._source.next()
        with system_errors():
            if element is None:
                self._source = None
                self._writer.finish()
                os.unlink(self._lock)
                return None
            for component, value in enumerate(element):
                name = _name(self._place, component, len(element))
                self._writer.add(name, self._dataset.types[component], value)
        self._place += 1
        return element

    def _begin(self) -> None:
        with system_errors():
            try:
                with open(self._lock, "x") as lock:
                    lock.write(f"Created at: {int(time.time())}")
            except FileExistsError:
                with open(self._lock) as lock:
                    text = lock.read()
                raise AlreadyExistsError(
                    None,
                    None,
                    "There appears to be a concurrent caching iterator running - cache lockfile "
                    f"already exists ('{self._lock}'). If you are sure no other running TF "
                    "computations are using this cache prefix, delete the lockfile and "
                    f"re-initialize the iterator. Lockfile contents: {text}",
                ) from None
            writer = self._writer = BundleWriter(self._dataset.prefix)
        when_dropped(self, _Abandoning(writer, self._lock))


class _Abandoning:
    """Removes what was written in part."""

    def __init__(self, writer: Any, lock: str) -> None:
        self._writer = writer
        self._lock = lock

    def __call__(self) -> None:
        self._writer.abandon()
        if os.path.exists(self._lock):
            os.unlink(self._lock)
