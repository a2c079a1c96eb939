"""Merging the checkpoints that devices have written, each its own, into one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from dataflow.checkpoints.places import data_path, index_path, remove
from dataflow.checkpoints.reader import BundleReader
from dataflow.checkpoints.writer import publish
from dataflow.errors import InvalidArgumentError, NotFoundError
from dataflow.proto.tensor_bundle_pb2 import BundleEntryProto


def merge(
    prefixes: Sequence[str],
    merged: str,
    delete_old_dirs: bool = True,
    allow_missing_files: bool = False,
) -> None:
    """Makes one checkpoint of several; their data files are renamed, not copied.

    Args:
      prefixes: The checkpoints.
      merged: Prefix of the one.
      delete_old_dirs: Removes their folders, if nothing else is in them.
      allow_missing_files: Leaves out those that are not there.

    Raises:
      InvalidArgumentError: One is not there, or two have a tensor of one name.
    """
    entries: dict[bytes, BundleEntryProto] = {}
    data: list[str] = []
    taken: list[str] = []
    for prefix in prefixes:
        try:
            reader = BundleReader(prefix)
        except NotFoundError:
            if allow_missing_files:
                continue
            raise InvalidArgumentError(
                None, None, f"allow_missing_files was set to false and {prefix} did not exist."
            ) from None
        taken.append(prefix)
        places: dict[int, int] = {}
        for key in reader.names():
            entry = reader.entry(key)
            assert entry is not None
            if not entry.slices:
                if entry.shard_id not in places:
                    places[entry.shard_id] = len(data)
                    data.append(data_path(prefix, entry.shard_id, reader.header.num_shards))
                entry.shard_id = places[entry.shard_id]
            _add(entries, key, entry)
    os.makedirs(os.path.dirname(merged) or ".", exist_ok=True)
    publish(merged, data, entries)
    for prefix in taken:
        remove(index_path(prefix))
    if delete_old_dirs:
        for folder in {os.path.dirname(prefix) for prefix in taken}:
            # What else is there is not ours.
            with contextlib.suppress(OSError):
                os.rmdir(folder)


def _add(entries: dict[bytes, BundleEntryProto], key: bytes, entry: BundleEntryProto) -> None:
    there = entries.get(key)
    if there is None:
        entries[key] = entry
    elif there.slices and there.dtype == entry.dtype and there.shape == entry.shape:
        there.slices.extend(entry.slices)
    else:
        raise InvalidArgumentError(
            None, None, f"Two of the checkpoints to merge have a tensor {key.decode()}"
        )
