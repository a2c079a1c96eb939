"""Records of many files in random order, as an object."""

from __future__ import annotations

from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.ops.array.split import split
from dataflow.ops.basic.single import single
from dataflow.records.options import TFRecordCompressionType, TFRecordOptions


class RecordInput:
    """Gives records of TFRecord files in random order, epoch after epoch."""

    def __init__(
        self,
        file_pattern: Any,
        batch_size: int = 1,
        buffer_size: int = 1,
        parallelism: int = 1,
        shift_ratio: float = 0,
        seed: int = 0,
        name: str | None = None,
        batches: int | None = None,
        compression_type: Any = None,
    ) -> None:
        """Says what is read.

        Args:
          file_pattern: Which files; there may be wildcards.
          batch_size: How many records a batch has.
          buffer_size: How many records are looked at for the next one.
          parallelism: Taken for compatibility: files are read one after the other.
          shift_ratio: By which share of their number the files move on with each epoch.
          seed: Of the order.
          name: The operation's name.
          batches: How many batches are taken at once; None for one, which is no list then.
          compression_type: A `TFRecordCompressionType`; None for no compression.
        """
        self._batch_size = batch_size if batches is None else batch_size * batches
        self._batches = batches
        self._name = name
        if compression_type is None:
            compression_type = TFRecordCompressionType.NONE
        self._attrs = {
            "file_pattern": file_pattern,
            "file_buffer_size": buffer_size,
            "file_parallelism": parallelism,
            "file_shuffle_shift_ratio": shift_ratio,
            "batch_size": self._batch_size,
            "file_random_seed": seed,
            "compression_type": TFRecordOptions.get_compression_type_string(
                TFRecordOptions(compression_type)
            ),
        }

    def get_yield_op(self) -> Any:
        """A vector of records at each run; with `batches`, a list of lists of scalars."""
        records = single("RecordInput", name=self._name, **self._attrs)
        if self._batches is None:
            return records
        with name_scope(self._name):
            parts = split(records, self._batch_size, 0)
            batches: list[list[Any]] = [[] for _ in range(self._batches)]
            for place, part in enumerate(parts):
                batches[place % self._batches].append(single("Reshape", part, []))
            return batches
