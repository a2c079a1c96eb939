"""Datasets in folders, as TensorFlow's `Dataset.save` writes them and `load` reads them.

A folder has a description, and a folder of each run that wrote to it; that has one for each shard,
with a file of records. Each component of an element is a record, the message of a tensor.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.errors import DataLossError, NotFoundError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.dataset import UNKNOWN, Dataset, Element, Stage
from dataflow.kernels.datasets.interleaving import inner_dataset
from dataflow.kernels.datasets.mapping import mapped
from dataflow.kernels.datasets.run import Call, Captured, Run, when_dropped
from dataflow.kernels.parsing.descriptors import Field
from dataflow.kernels.parsing.messages import serialized, values_of
from dataflow.kernels.parsing.tensors import read_tensor, write_tensor
from dataflow.kernels.parsing.wire import MalformedError
from dataflow.records.framing import FrameReader
from dataflow.records.options import TFRecordOptions
from dataflow.records.reading import open_bytes
from dataflow.records.writing import TFRecordWriter
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape
from dataflow.values.system_errors import system_errors

COMPRESSIONS: Final = ("", "GZIP")
_DESCRIPTION: Final = "snapshot.metadata"
_VERSION: Final = 2
_FILE: Final = "00000000.snapshot"
_SHARD: Final = re.compile(r"\d{8,}\.shard")
_RUN: Final = re.compile(rb"\d{1,20}")
_RUN_ID, _CREATED, _VERSION_OF, _TYPES, _COUNT, _IS_WHOLE = 2, 3, 4, 5, 6, 1000
_KINDS: Final = {
    _RUN_ID: "bytes",
    _CREATED: "int64",
    _VERSION_OF: "int64",
    _TYPES: "enum",
    _COUNT: "int64",
    _IS_WHOLE: "bool",
}


@dataclass(frozen=True, slots=True)
class Description:
    """What a folder says of the dataset in it."""

    run: str
    """The folder of the run that wrote it."""
    count: int
    """How many elements there are, or `UNKNOWN`."""
    is_whole: bool
    """Whether the run has come to its end."""


def description_of(folder: str) -> Description:
    """What a folder says.

    Raises:
      NotFoundError: It has no description.
      DataLossError: The description is damaged, or of another version of the format.
    """
    path = os.path.join(folder, _DESCRIPTION)
    if not os.path.exists(path):
        raise NotFoundError(None, None, f"Could not find metadata file [{folder}]")
    with system_errors(), open(path, "rb") as file:
        data = file.read()
    try:
        found = values_of(data, _KINDS)
    except MalformedError:
        raise DataLossError(None, None, f"{path} is damaged") from None
    runs, versions = found[_RUN_ID], found[_VERSION_OF]
    # The name of a folder in this one, and of no other.
    if not runs or not _RUN.fullmatch(runs[-1]) or versions[-1:] != [_VERSION]:
        raise DataLossError(None, None, f"{path} describes no dataset of version {_VERSION}")
    count = found[_COUNT][-1] if found[_COUNT] else 0
    run = os.path.join(folder, runs[-1].decode())
    return Description(run, max(count, UNKNOWN), found[_IS_WHOLE][-1:] == [True])


def _describe(folder: str, run: str, types: Sequence[DType], count: int, is_whole: bool) -> None:
    values: dict[int, list[Any]] = {
        _RUN_ID: [run.encode()],
        _CREATED: [time.time_ns() // 1000],
        _VERSION_OF: [_VERSION],
        _TYPES: [dtype.as_datatype_enum for dtype in types],
        _COUNT: [count],
        _IS_WHOLE: [is_whole],
    }
    fields = [
        (Field(number, _KINDS[number], dtypes.int64, None, number == _TYPES), each)
        for number, each in values.items()
    ]
    path = os.path.join(folder, _DESCRIPTION)
    # Who reads sees the old one or the new one.
    with open(f"{path}.{run}", "wb") as file:
        file.write(serialized(fields))
    os.replace(file.name, path)


class StoringDataset(Dataset):
    """Elements that are written to a folder as they come."""

    kind = "SaveV2"
    __slots__ = ("compression", "folder", "shard")

    def __init__(
        self, source: Dataset, folder: str, compression: str, shard: Captured | None
    ) -> None:
        """Takes the folder, and what gives the shard of an element; all are of one if None."""
        super().__init__(source.types, source.shapes, source)
        self.folder = folder
        self.compression = compression
        self.shard = shard

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self, run: Run) -> Stage:
        call = None if self.shard is None else run.function(self.shard, self.kind)
        return _StoringStage(run, self.inputs[0].start(run), self, call)


class _Files:
    """The files that a run writes."""

    def __init__(self, folder: str, compression: str) -> None:
        self._folder = folder
        self._compression = compression
        self._writers: dict[int, TFRecordWriter] = {}

    def of_shard(self, shard: int) -> TFRecordWriter:
        writer = self._writers.get(shard)
        if writer is None:
            folder = os.path.join(self._folder, f"{shard:08d}.shard")
            os.makedirs(folder)
            options = TFRecordOptions(self._compression)
            writer = TFRecordWriter(os.path.join(folder, _FILE), options)
            self._writers[shard] = writer
        return writer

    def close(self) -> None:
        while self._writers:
            self._writers.popitem()[1].close()


class _StoringStage(Stage):
    __slots__ = ("_call", "_count", "_dataset", "_files", "_name", "_source")

    def __init__(self, run: Run, source: Stage, dataset: StoringDataset, call: Call | None) -> None:
        super().__init__(run, source)
        self.is_direct = source.is_direct and not (call is not None and call.may_wait)
        self._source: Stage | None = source
        self._dataset = dataset
        self._call = call
        self._count = 0
        self._name = str(secrets.randbits(63))
        self._files: _Files | None = None

    def next(self) -> Element | None:
        if self._source is None:
            return None
        dataset = self._dataset
        with system_errors():
            if self._files is None:
                os.makedirs(dataset.folder, exist_ok=True)
                _describe(dataset.folder, self._name, dataset.types, 0, False)
                files = _Files(os.path.join(dataset.folder, self._name), dataset.compression)
                when_dropped(self, files.close)
                self._files = files
            element = self._source.next()
            if element is None:
                self._source = None
                self._files.close()
                _describe(dataset.folder, self._name, dataset.types, self._count, True)
                return None
            writer = self._files.of_shard(self._shard(element))
            for dtype, value in zip(dataset.types, element, strict=True):
                writer.write(write_tensor(np.asarray(value), dtype))
        self._count += 1
        return element

    def _shard(self, element: Element) -> int:
        if self._call is None:
            return 0
        found = mapped(self._call, element)
        if len(found) != 1 or np.shape(found[0]) or np.asarray(found[0]).dtype != np.int64:
            raise invalid("`shard_func` must return a scalar int64.")
        if found[0] < 0:
            raise invalid(f"`shard_func` gave {found[0]}, which is the number of no shard.")
        return int(found[0])


class StoredDataset(Dataset):
    """The elements in a folder, as a function makes them of a dataset of its shards."""

    kind = "Load"
    __slots__ = ("compression", "description", "reader")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        description: Description,
        compression: str,
        reader: Captured,
    ) -> None:
        """Takes what the folder says, and the function."""
        super().__init__(types, shapes)
        self.description = description
        self.compression = compression
        self.reader = reader

    def cardinality(self) -> int:
        return self.description.count

    def start(self, run: Run) -> Stage:
        folder = self.description.run
        with system_errors():
            names = sorted(filter(_SHARD.fullmatch, os.listdir(folder)))
        files = [os.path.join(folder, name, _FILE) for name in names]
        shards = [_ShardDataset(self.types, self.shapes, f, self.compression) for f in files]
        found = inner_dataset(run.function(self.reader, self.kind), (_ListDataset(shards),))
        if found.types != self.types:
            raise invalid("`reader_func` gives elements of other types than were asked for.")
        return found.start(run)


class SnapshotDataset(StoringDataset):
    """Elements that are written to a folder, unless that has them all: then they are read."""

    kind = "SnapshotV2"
    __slots__ = ("reader",)

    def __init__(
        self, source: Dataset, folder: str, compression: str, shard: Captured, reader: Captured
    ) -> None:
        """Takes the folder, and the functions that say how elements are spread and read."""
        super().__init__(source, folder, compression, shard)
        self.reader = reader

    def start(self, run: Run) -> Stage:
        try:
            found = description_of(self.folder)
        except NotFoundError:
            return super().start(run)
        if not found.is_whole:
            return super().start(run)
        stored = StoredDataset(self.types, self.shapes, found, self.compression, self.reader)
        return stored.start(run)


class _ListDataset(Dataset):
    """Datasets, one after the other."""

    kind = "SnapshotNestedDatasetReader"
    __slots__ = ("datasets",)

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        super().__init__((dtypes.variant,), (TensorShape(()),))
        self.datasets = datasets

    def cardinality(self) -> int:
        return len(self.datasets)

    def start(self, run: Run) -> Stage:
        return _ListStage(run, self.datasets)


class _ListStage(Stage):
    __slots__ = ("_datasets",)

    def __init__(self, run: Run, datasets: Sequence[Dataset]) -> None:
        super().__init__(run)
        self._datasets = iter(datasets)

    def next(self) -> Element | None:
        dataset = next(self._datasets, None)
        return None if dataset is None else (dataset,)


class _ShardDataset(Dataset):
    """The elements of a shard."""

    kind = "SnapshotDatasetReader"
    __slots__ = ("compression", "path")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        path: str,
        compression: str,
    ) -> None:
        super().__init__(types, shapes)
        self.path = path
        self.compression = compression

    def start(self, run: Run) -> Stage:
        return _ShardStage(run, self)


class _ShardStage(Stage):
    __slots__ = ("_dataset", "_reader")

    def __init__(self, run: Run, dataset: _ShardDataset) -> None:
        super().__init__(run)
        self._dataset = dataset
        self._reader = FrameReader(open_bytes(dataset.path, dataset.compression), dataset.path)

    def next(self) -> Element | None:
        self.run.check()
        dataset = self._dataset
        found: list[Any] = []
        for place, (dtype, shape) in enumerate(zip(dataset.types, dataset.shapes, strict=True)):
            record = self._reader.next()
            if record is None:
                if place:
                    raise DataLossError(None, None, f"{dataset.path} ends within an element")
                return None
            try:
                kind, value = read_tensor(record)
            except MalformedError:
                raise DataLossError(None, None, f"{dataset.path} holds no tensors") from None
            if kind is not dtype or not shape.is_compatible_with(np.shape(value)):
                raise invalid(
                    f"{dataset.path} has a {kind.name} of shape {list(np.shape(value))} where a "
                    f"{dtype.name} of shape {shape} was asked for."
                )
            found.append(value)
        return tuple(found)
