"""BundleWriter: tensors as the data file and the index of a V2 checkpoint.

Source of the format: TensorFlow's `tensorflow/core/util/tensor_bundle/tensor_bundle.h`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from dataflow.checkpoints.disk_file import DiskFile
from dataflow.checkpoints.ordered_code import slice_key
from dataflow.checkpoints.places import (
    data_path,
    index_path,
    remove,
    settle_folder,
    temporary,
    write_whole,
)
from dataflow.checkpoints.reader import shards_of
from dataflow.checkpoints.slices import Slice
from dataflow.checkpoints.table_writing import table
from dataflow.checkpoints.variants import SavedVariant, pack
from dataflow.checkpoints.varints import varint
from dataflow.errors import InvalidArgumentError, UnimplementedError
from dataflow.proto.tensor_bundle_pb2 import BundleEntryProto, BundleHeaderProto
from dataflow.values import dtypes
from dataflow.values.crc32c import crc32c, masked
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_VERSION = 1


class BundleWriter:
    """Writes a checkpoint with one data file; nothing is seen of it before `finish`.

    Args:
      prefix: What the names of the files begin with.

    Raises:
      OSError: The folder cannot be written to.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        # The folder, but none above it: a mistake in a path is seen.
        with contextlib.suppress(FileExistsError):
            os.mkdir(os.path.dirname(prefix) or ".")
        self._entries: dict[bytes, BundleEntryProto] = {}
        self._temporary = temporary(data_path(prefix, 0, 1))
        self._file = DiskFile(self._temporary)
        self._size = 0

    def add(self, name: str, dtype: DType, value: Any) -> None:
        """Adds a tensor.

        Raises:
          InvalidArgumentError: There is one of that name.
        """
        self._write(name.encode(), dtype, np.asarray(value))

    def add_slice(self, name: str, shape: list[int], part: Slice, dtype: DType, value: Any) -> None:
        """Adds a slice of a tensor.

        Args:
          name: Name of the whole.
          shape: Shape of the whole.
          part: The slice.
          dtype: Element type.
          value: The values of the slice.

        Raises:
          InvalidArgumentError: The slice is there already.
        """
        if part.is_whole(shape):
            self.add(name, dtype, value)
            return
        entry = self._entries.setdefault(name.encode(), BundleEntryProto())
        entry.dtype = _number(dtype)
        entry.shape.CopyFrom(TensorShape(shape).as_proto())
        entry.slices.append(part.to_proto())
        self._write(slice_key(name, part), dtype, np.asarray(value))

    def finish(self) -> None:
        """Puts the files in place: the index last, which says which data belong to it."""
        self._file.settle()
        publish(self._prefix, [self._temporary], self._entries)

    def abandon(self) -> None:
        """Leaves nothing behind."""
        self._file.close()
        remove(self._temporary)

    def _write(self, key: bytes, dtype: DType, value: Any) -> None:
        if key in self._entries:
            raise InvalidArgumentError(
                None, None, f"Adding duplicate key: {key.decode(errors='backslashreplace')}"
            )
        entry = BundleEntryProto(dtype=_number(dtype), offset=self._size)
        entry.shape.CopyFrom(TensorShape(list(value.shape)).as_proto())
        if dtype == dtypes.string:
            crc = self._write_strings(value)
        elif dtype == dtypes.variant and all(isinstance(v, SavedVariant) for v in value.flat):
            data, crc = pack(value.flat)
            self._file.write(data)
            self._size += len(data)
        elif not dtype.size:
            raise UnimplementedError(
                None,
                None,
                f"A {dtype.name} tensor cannot be saved: {key.decode(errors='backslashreplace')}",
            )
        else:
            numbers = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
            crc = self._file.write(numbers.data)
            self._size += len(numbers)
        entry.size = self._size - entry.offset
        entry.crc32c = masked(crc)
        self._entries[key] = entry

    def _write_strings(self, value: Any) -> int:
        """Lengths, their checksum, and the bytes; the checksum sees lengths as fixed numbers."""
        items = [item if isinstance(item, bytes) else str(item).encode() for item in value.flat]
        sizes = [len(item) for item in items]
        crc = crc32c(
            b"".join(size.to_bytes(4 if size < 1 << 32 else 8, "little") for size in sizes)
        )
        check = masked(crc).to_bytes(4, "little")
        text = b"".join(items)
        lengths = b"".join(varint(size) for size in sizes)
        self._file.write(lengths + check)
        self._size += len(lengths) + len(check) + len(text)
        return self._file.write(text, crc32c(check, crc))


def _number(dtype: DType) -> Any:
    """The type in messages; Any, as generated hints want a class that is none at run time."""
    return dtype.as_datatype_enum


def publish(prefix: str, data: Iterable[str], entries: Mapping[bytes, BundleEntryProto]) -> None:
    """Gives data files their names and writes the index.

    A checkpoint of that name stays whole until the new index is there: the data files get another
    number of shards in their names than its have, and so take none of their places.

    Args:
      prefix: The checkpoint.
      data: The data files, by shard.
      entries: The index.
    """
    files = list(data)
    shards, old = len(files), shards_of(prefix)
    if shards == old:
        shards += 1
    for shard, file in enumerate(files):
        os.replace(file, data_path(prefix, shard, shards))
    settle_folder(prefix)
    header = BundleHeaderProto(num_shards=shards, endianness=BundleHeaderProto.LITTLE)
    header.version.producer = _VERSION
    messages = {b"": header, **entries}
    write_whole(
        index_path(prefix),
        table((key, messages[key].SerializeToString()) for key in sorted(messages)),
    )
    for shard in range(old):
        remove(data_path(prefix, shard, old))
