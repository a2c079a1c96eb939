"""BundleReader: the tensors of a V2 checkpoint.

Source of the format: TensorFlow's `tensorflow/core/util/tensor_bundle/tensor_bundle.h`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.checkpoints.disk_reading import read_into
from dataflow.checkpoints.ordered_code import slice_key
from dataflow.checkpoints.places import data_path, index_path
from dataflow.checkpoints.slices import Slice, overlap
from dataflow.checkpoints.table import Table
from dataflow.checkpoints.variants import unpack
from dataflow.checkpoints.varints import read_varint
from dataflow.errors import DataLossError, InvalidArgumentError, NotFoundError, UnimplementedError
from dataflow.proto.tensor_bundle_pb2 import BundleEntryProto, BundleHeaderProto
from dataflow.values import dtypes
from dataflow.values.crc32c import crc32c, masked
from dataflow.values.dtypes import DType, as_dtype

Allocate = Callable[[tuple[int, ...], Any], Any]


def missing(prefix: str) -> NotFoundError:
    """The error of a checkpoint that is not there."""
    return NotFoundError(
        None,
        None,
        "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
        f"{prefix}",
    )


def shards_of(prefix: str) -> int:
    """How many data files the checkpoint of a name has; 0 if there is none that can be read."""
    try:
        return BundleReader(prefix).header.num_shards
    except (NotFoundError, DataLossError, UnimplementedError):
        return 0


class BundleReader:
    """Reads a checkpoint whose index is there.

    Args:
      prefix: What the names of its files begin with.
      allocate: Makes arrays of a shape and numpy type.

    Raises:
      NotFoundError: There is none.
      DataLossError: A file is damaged; the error names it, and the tensor.
    """

    def __init__(self, prefix: str, allocate: Allocate = np.empty) -> None:
        self.prefix = prefix
        self._allocate = allocate
        path = index_path(prefix)
        if not os.path.isfile(path):
            raise missing(prefix)
        self._table = Table(path)
        self._values = dict(self._table)
        header = self._values.pop(b"", None)
        if header is None:
            raise self._table.damaged("the header is missing")
        try:
            self.header = BundleHeaderProto.FromString(header)
        except DecodeError as error:
            raise self._table.damaged(f"header: {error}") from None
        if self.header.version.min_consumer > 1:
            raise UnimplementedError(
                None,
                None,
                f"{path} needs a reader of version {self.header.version.min_consumer}; this one "
                "has version 1.",
            )

    def names(self) -> list[bytes]:
        """All keys, in order, those of slices among them."""
        return list(self._values)

    def entry(self, key: bytes) -> BundleEntryProto | None:
        """What the index says of a key, or None."""
        data = self._values.get(key)
        if data is None:
            return None
        try:
            entry = BundleEntryProto.FromString(data)
            as_dtype(entry.dtype)
        except (DecodeError, TypeError) as error:
            raise self._table.damaged(f"tensor {_text(key)}: {error}") from None
        return entry

    def tensors(self) -> dict[str, tuple[DType, list[int]]]:
        """Type and shape of each tensor, by name; of slices, of the whole."""
        found = {}
        for key in self._values:
            # The keys of slices begin with a zero.
            if not key.startswith(b"\0"):
                entry = self._known(key)
                try:
                    name = key.decode()
                except UnicodeDecodeError as error:
                    raise self._table.damaged(f"tensor {_text(key)}: {error}") from None
                found[name] = as_dtype(entry.dtype), _shape(entry)
        return found

    def read(self, name: str, part: Slice | None = None) -> Any:
        """The value of a tensor, or of a part of it.

        Raises:
          NotFoundError: There is no such tensor.
          InvalidArgumentError: Not all of it is in the checkpoint.
          DataLossError: The data are damaged.
        """
        key = name.encode()
        entry = self._known(key)
        shape = _shape(entry)
        wanted = [(0, size) for size in shape] if part is None else part.bounds(shape)
        if not entry.slices:
            value = self._load(key, entry)
            whole = part is None or part.is_whole(shape)
            return value if whole else _copy(value[tuple(slice(*b) for b in wanted)])
        out = self._allocate(
            tuple(end - start for start, end in wanted), _numpy_type(as_dtype(entry.dtype))
        )
        covered = 0
        for message in entry.slices:
            stored = Slice.of_proto(message)
            place = overlap(stored.bounds(shape), wanted)
            if place is None:
                continue
            slice_name = slice_key(name, stored)
            theirs = self._known(slice_name)
            value = self._load(slice_name, theirs)
            out[place[1]] = value[place[0]]
            covered += out[place[1]].size
        if covered < out.size:
            raise InvalidArgumentError(
                None,
                None,
                f"The checkpoint {self.prefix} has slices of {name}, which leave out a part of "
                f"what is asked for: {'all of it' if part is None else part.text()}",
            )
        return out

    def _known(self, key: bytes) -> BundleEntryProto:
        entry = self.entry(key)
        if entry is None:
            raise NotFoundError(None, None, f"Key {_text(key)} not found in checkpoint")
        return entry

    def _load(self, key: bytes, entry: BundleEntryProto) -> Any:
        path = data_path(self.prefix, entry.shard_id, self.header.num_shards)
        dtype, shape = as_dtype(entry.dtype), tuple(_shape(entry))
        try:
            if dtype in (dtypes.string, dtypes.variant):
                with open(path, "rb") as file:
                    file.seek(entry.offset)
                    unpacked = self._strings if dtype == dtypes.string else self._variants
                    return unpacked(file.read(entry.size), shape, key, path, entry)
            if entry.size != math.prod(shape) * dtype.size or not dtype.size:
                raise self._damaged(
                    key, path, f"{entry.size} bytes for {dtype.name} of shape {shape}"
                )
            value = self._allocate(shape, np.dtype(dtype.as_numpy_dtype))
            read, crc = read_into(path, entry.offset, value.reshape(-1).view(np.uint8))
        except FileNotFoundError:
            raise NotFoundError(None, None, f"{path}; No such file or directory") from None
        if read < entry.size:
            raise self._damaged(key, path, f"{read} bytes, not {entry.size}: the file ends there")
        self._check(key, path, entry, crc)
        if self.header.endianness == BundleHeaderProto.BIG:
            value.byteswap(inplace=True)
        return value

    def _strings(
        self, data: bytes, shape: tuple[int, ...], key: bytes, path: str, entry: BundleEntryProto
    ) -> Any:
        sizes, at, count = [], 0, math.prod(shape)
        try:
            for _ in range(count):
                size, at = read_varint(data, at)
                sizes.append(size)
        except ValueError as error:
            raise self._damaged(key, path, f"lengths of strings: {error}") from None
        crc = crc32c(b"".join(s.to_bytes(4 if s < 1 << 32 else 8, "little") for s in sizes))
        check = masked(crc).to_bytes(4, "little")
        if data[at : at + 4] != check:
            raise self._damaged(key, path, "The length checksum does not match")
        at += 4
        if at + sum(sizes) != len(data) or len(data) != entry.size:
            raise self._damaged(key, path, f"{len(data)} bytes do not hold strings of {sum(sizes)}")
        self._check(key, path, entry, crc32c(data[at:], crc32c(check, crc)))
        out = np.empty(count, object)
        for i, size in enumerate(sizes):
            out[i] = data[at : at + size]
            at += size
        return out.reshape(shape)

    def _variants(
        self, data: bytes, shape: tuple[int, ...], key: bytes, path: str, entry: BundleEntryProto
    ) -> Any:
        count = math.prod(shape)
        try:
            found, crc = unpack(data, count)
        except ValueError as error:
            raise self._damaged(key, path, str(error)) from None
        self._check(key, path, entry, crc)
        out = np.empty(count, object)
        out[:] = found
        return out.reshape(shape)

    def _check(self, key: bytes, path: str, entry: BundleEntryProto, crc: int) -> None:
        if masked(crc) != entry.crc32c:
            raise self._damaged(
                key,
                path,
                f"Checksum does not match: stored {entry.crc32c:08x} vs. calculated on the "
                f"restored bytes {masked(crc):08x}",
            )

    def _damaged(self, key: bytes, path: str, why: str) -> DataLossError:
        return DataLossError(
            None, None, f"TensorBundle at {self.prefix}: {path}: tensor {_text(key)}: {why}"
        )


def _shape(entry: BundleEntryProto) -> list[int]:
    return [dim.size for dim in entry.shape.dim]


def _numpy_type(dtype: DType) -> Any:
    return np.dtype(object if dtype in (dtypes.string, dtypes.variant) else dtype.as_numpy_dtype)


def _copy(value: Any) -> Any:
    return np.array(value)


def _text(key: bytes) -> str:
    return key.decode(errors="backslashreplace")
