"""tf.train.summary_iterator: the events of an event file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import DecodeError

from dataflow.errors import DataLossError
from dataflow.proto.event_pb2 import Event
from dataflow.records.reading import RecordIterator


class _Events(Iterator[Event]):
    def __init__(self, path: Any) -> None:
        self._path = path
        self._records = RecordIterator(path)

    def __next__(self) -> Event:
        at, record = self._records.offset, next(self._records)
        try:
            return Event.FromString(record)
        except DecodeError:
            raise DataLossError(
                None, None, f"{self._path}; the record at {at} is whole, but is no Event."
            ) from None


def summary_iterator(path: Any) -> Iterator[Event]:
    """Iterates over the events of a file; goes on after the end if the file has grown.

    Args:
      path: An event file.

    Raises:
      NotFoundError: There is no such file.
      DataLossError: While iterating: the file is damaged.
    """
    return _Events(path)
