"""Records of many files in random order, epoch by epoch."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator
from typing import Final

from dataflow.errors import NotFoundError
from dataflow.kernels.readers.records import file_name
from dataflow.kernels.threads.stopping import look
from dataflow.records.globs import matching_paths
from dataflow.records.reading import RecordIterator
from dataflow.values.system_errors import system_errors


class RecordInput:
    """Gives each record once before it gives one again. Safe to use from many threads."""

    def __init__(
        self, pattern: bytes, seed: int, shift_ratio: float, buffer_size: int, compression: str
    ) -> None:
        """Finds no file yet.

        Args:
          pattern: Which files.
          seed: Of the order.
          shift_ratio: By which share of their number the files move on with each epoch.
          buffer_size: How many records are looked at for the next one.
          compression: "ZLIB", "GZIP" or "".
        """
        self._pattern: Final = pattern
        self._seed: Final = seed
        self._shift_ratio: Final = shift_ratio
        self._buffer_size: Final = max(buffer_size, 1)
        self._compression: Final = compression
        self._lock = threading.Lock()
        self._records: Iterator[bytes] | None = None
        self._left_over: list[bytes] = []

    def take(self, count: int) -> list[bytes]:
        """The next records.

        Raises:
          NotFoundError: There are no files, or none of them has a record.
          DataLossError: One is damaged.
        """
        with self._lock:
            taken, self._left_over = self._left_over, []
            try:
                while len(taken) < count:
                    look()
                    if self._records is None:
                        self._records = self._epochs()
                    taken.append(next(self._records))
            except BaseException:
                # A step that failed has had none; what a damaged file holds is read anew.
                self._left_over, self._records = taken, None
                raise
            self._left_over = taken[count:]
            return taken[:count]

    def _epochs(self) -> Iterator[bytes]:
        with system_errors():
            files = matching_paths(file_name(self._pattern))
        if not files:
            raise NotFoundError(None, None, f"Found no files at {os.fsdecode(self._pattern)}")
        epoch = 0
        while True:
            order = random.Random(self._seed + epoch)
            shuffled = list(files)
            order.shuffle(shuffled)
            shift = int(self._shift_ratio * epoch * len(files)) % len(files)
            count = 0
            for record in self._mixed(shuffled[shift:] + shuffled[:shift], order):
                count += 1
                yield record
            if not count:
                raise NotFoundError(None, None, f"Found no records in {os.fsdecode(self._pattern)}")
            epoch += 1

    def _mixed(self, files: list[str], order: random.Random) -> Iterator[bytes]:
        """The records of one epoch, each drawn of as many as the buffer holds."""
        held: list[bytes] = []
        for file in files:
            for record in RecordIterator(file, self._compression):
                look()
                if len(held) < self._buffer_size:
                    held.append(record)
                    continue
                place = order.randrange(len(held))
                drawn, held[place] = held[place], record
                yield drawn
        order.shuffle(held)
        yield from held
