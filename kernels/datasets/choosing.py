"""Datasets with some of the elements of others, again and again, or one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dataflow.errors import FailedPreconditionError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.dataset import INFINITE, UNKNOWN, Dataset, Element, Stage
from dataflow.kernels.datasets.run import Run
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_ENOUGH: Final = 1 << 62


class CountedDataset(Dataset):
    """Base of those that are described by a number."""

    __slots__ = ("count",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        count: int,
    ) -> None:
        """Takes the number."""
        super().__init__(types, shapes, source)
        self.count = count


class TakeDataset(CountedDataset):
    """The first elements; all, if the number is negative."""

    kind = "Take"
    __slots__ = ()

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count == UNKNOWN:
            return 0 if self.count == 0 else UNKNOWN
        if count == INFINITE:
            return self.count if self.count >= 0 else INFINITE
        return count if self.count < 0 else min(count, self.count)

    def start(self, run: Run) -> Stage:
        if self.count == 0:
            return EmptyStage(run)
        source = self.inputs[0].start(run)
        return source if self.count < 0 else _TakeStage(run, source, self.count)


class EmptyStage(Stage):
    """Is at its end."""

    __slots__ = ()

    def next(self) -> Element | None:
        return None


class _TakeStage(Stage):
    __slots__ = ("_left", "_source")

    def __init__(self, run: Run, source: Stage, count: int) -> None:
        super().__init__(run, source)
        self.table, self.gives_many = source.table, source.gives_many
        self._source: Stage | None = source
        self._left = count

    def take(self, most: int) -> Sequence[Any]:
        if self._source is None or not self._left:
            return ()
        taken = self._source.take(min(most, self._left))
        self._left -= len(taken)
        return taken

    def next(self) -> Element | None:
        if self._source is None:
            return None
        element = self._source.next() if self._left else None
        self._left -= 1
        if element is None:
            self._source = None
        return element


class SkipDataset(CountedDataset):
    """The elements behind the first ones; none, if the number is negative."""

    kind = "Skip"
    __slots__ = ()

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count < 0:
            return count if self.count >= 0 else 0
        return 0 if self.count < 0 else max(0, count - self.count)

    def start(self, run: Run) -> Stage:
        if self.count < 0:
            return EmptyStage(run)
        source = self.inputs[0].start(run)
        return source if self.count == 0 else _SkipStage(run, source, self.count)


class _SkipStage(Stage):
    __slots__ = ("_left", "_source")

    def __init__(self, run: Run, source: Stage, count: int) -> None:
        super().__init__(run, source)
        self._source = source
        self._left = count

    def next(self) -> Element | None:
        while self._left > 0:
            self.run.check()
            if self._source.next() is None:
                self._left = 0
                return None
            self._left -= 1
        return self._source.next()


class RepeatDataset(CountedDataset):
    """All elements so many times; without end, if the number is negative."""

    kind = "Repeat"
    __slots__ = ()

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if self.count < 0:
            return 0 if count == 0 else INFINITE
        if self.count == 0:
            return 0
        return count if count < 0 else min(count * self.count, _ENOUGH)

    def start(self, run: Run) -> Stage:
        if self.count == 0:
            return EmptyStage(run)
        return _RepeatStage(run, self.inputs[0], self.count)


class _RepeatStage(Stage):
    __slots__ = ("_dataset", "_is_first", "_left", "_source")

    def __init__(self, run: Run, dataset: Dataset, count: int) -> None:
        source = dataset.start(run)
        super().__init__(run, source)
        self.table, self.gives_many = source.table, source.gives_many
        self._dataset = dataset
        self._source: Stage | None = source
        self._left = count
        self._is_first = True

    def next(self) -> Element | None:
        while self._left:
            element = self._begun().next()
            if element is not None:
                self._is_first = False
                return element
            self._end()
        return None

    def take(self, most: int) -> Sequence[Any]:
        while self._left:
            taken = self._begun().take(most)
            if taken:
                self._is_first = False
                return taken
            self._end()
        return ()

    def _begun(self) -> Stage:
        self.run.check()
        if self._source is None:
            self._source = self._dataset.start(self.run)
            self._is_first = True
        return self._source

    def _end(self) -> None:
        self._source = None
        self._left -= 1
        if self._is_first and self._left < 0:
            # It would never have any.
            self._left = 0


_HINT: Final = -1
"""`tf.data.experimental.SHARD_HINT`."""


class ShardDataset(Dataset):
    """Each n-th element."""

    kind = "Shard"
    __slots__ = ("index", "num_shards", "require_non_empty")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        num_shards: int,
        index: int,
        require_non_empty: bool = False,
    ) -> None:
        """Takes the distance, and the place of the first element.

        Raises:
          InvalidArgumentError: They do not fit together.
        """
        super().__init__(types, shapes, source)
        self.num_shards, self.index = num_shards, index
        self.require_non_empty = require_non_empty
        if self.is_hint:
            return
        if num_shards <= 0:
            raise invalid(
                f"Number of shards must be greater than zero (currently num_shards = {num_shards})."
            )
        if index < 0 or index >= num_shards:
            raise invalid(
                f"Index must be between 0 and {num_shards - 1} (currently index = {index})."
            )

    @property
    def is_hint(self) -> bool:
        """True if a worker's own numbers are to stand here."""
        return self.num_shards == self.index == _HINT

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count < 0:
            return count
        return count // self.num_shards + (self.index < count % self.num_shards)

    def start(self, run: Run) -> Stage:
        if self.is_hint:
            raise FailedPreconditionError(
                None,
                None,
                "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
                "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
                "`tf.data.experimental.AutoShardPolicy.HINT` policy, or tf.data service with "
                "`tf.data.experimental.service.ShardingPolicy.HINT` processing mode.",
            )
        return _ShardStage(run, self.inputs[0].start(run), self)


class _ShardStage(Stage):
    __slots__ = ("_dataset", "_place", "_source")

    def __init__(self, run: Run, source: Stage, dataset: ShardDataset) -> None:
        super().__init__(run, source)
        self._source = source
        self._dataset = dataset
        self._place = 0

    def next(self) -> Element | None:
        dataset = self._dataset
        while True:
            element = self._source.next()
            if element is None:
                if dataset.require_non_empty and self._place < dataset.num_shards:
                    raise invalid(
                        "Could not apply FLAGS_sharding: the dataset has fewer elements "
                        f"({self._place}) than there are shards ({dataset.num_shards})."
                    )
                return None
            self._place += 1
            if (self._place - 1) % dataset.num_shards == dataset.index:
                return element
            self.run.check()


class ConcatenateDataset(Dataset):
    """The elements of one dataset, and then those of another."""

    kind = "Concatenate"
    __slots__ = ()

    def cardinality(self) -> int:
        first, second = (dataset.cardinality() for dataset in self.inputs)
        if INFINITE in (first, second):
            return INFINITE
        return UNKNOWN if UNKNOWN in (first, second) else first + second

    def start(self, run: Run) -> Stage:
        return _ConcatenateStage(run, self.inputs)


class _ConcatenateStage(Stage):
    __slots__ = ("_sources",)

    def __init__(self, run: Run, datasets: Sequence[Dataset]) -> None:
        sources = [dataset.start(run) for dataset in datasets]
        super().__init__(run, *sources)
        self._sources = sources

    def next(self) -> Element | None:
        while self._sources:
            element = self._sources[0].next()
            if element is not None:
                return element
            del self._sources[0]
        return None


class ZipDataset(Dataset):
    """The elements of several datasets side by side, until one ends."""

    kind = "Zip"
    __slots__ = ()

    def cardinality(self) -> int:
        counts = [dataset.cardinality() for dataset in self.inputs]
        known = [count for count in counts if count != INFINITE]
        if UNKNOWN in known:
            return 0 if 0 in known else UNKNOWN
        return min(known) if known else INFINITE

    def start(self, run: Run) -> Stage:
        return _ZipStage(run, [dataset.start(run) for dataset in self.inputs])


class _ZipStage(Stage):
    __slots__ = ("_sources",)

    def __init__(self, run: Run, sources: list[Stage]) -> None:
        super().__init__(run, *sources)
        self._sources = sources

    def next(self) -> Element | None:
        whole: Element = ()
        wrong: Exception | None = None
        for source in self._sources:
            # Others go on where one fails, so that they stay side by side.
            try:
                part = source.next()
            except Exception as error:
                wrong = wrong or error
                continue
            if part is None:
                self._sources = []
                return None
            whole += part
        if wrong is not None:
            raise wrong
        return whole or None


class AssertCardinalityDataset(CountedDataset):
    """All elements, of which there must be so many."""

    kind = "AssertCardinality"
    __slots__ = ()

    def cardinality(self) -> int:
        return self.count

    def start(self, run: Run) -> Stage:
        return _AssertCardinalityStage(run, self.inputs[0].start(run), self.count)


class _AssertCardinalityStage(Stage):
    __slots__ = ("_count", "_seen", "_source")

    def __init__(self, run: Run, source: Stage, count: int) -> None:
        super().__init__(run, source)
        self._source = source
        self._count = count
        self._seen = 0

    def next(self) -> Element | None:
        element = self._source.next()
        self._seen += element is not None
        if element is not None and self._count == INFINITE:
            return element
        if element is None and self._seen != self._count:
            self._fail(f"but contained only {_elements(self._seen)}.")
        if element is not None and self._seen > self._count:
            self._fail(f"but contained at least {_elements(self._seen)}.")
        return element

    def _fail(self, found: str) -> None:
        wanted = "an infinite number of elements"
        if self._count != INFINITE:
            wanted = _elements(self._count)
        raise FailedPreconditionError(
            None, None, f"Input dataset was expected to contain {wanted} {found}"
        )


def _elements(count: int) -> str:
    return f"{count} element{'' if count == 1 else 's'}"
