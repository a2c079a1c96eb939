"""What all readers can do: each method adds an op on the reader's handle to the graph."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library.queues.queue_base import QueueBase
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


class ReaderBase:
    """Gives records, key and value, of work units, mostly files, whose names a queue has."""

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False) -> None:
        """Wraps a reader's handle.

        Args:
          reader_ref: The handle, the output of the reader's op.
          supports_serialize: Whether it can tell its place.
        """
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The reader's handle."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether the reader can tell its place."""
        return self._supports_serialize

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next record: key and value, string scalars.

        Args:
          queue: The queue, or its handle, of names; it is waited for while it is empty.
          name: Name of the operation.

        Raises:
          OutOfRangeError: When run, the queue is closed, and no file is left.
        """
        return self._apply("ReaderRead", _handle(queue), name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next records of a file: keys and values, string vectors.

        Args:
          queue: The queue, or its handle, of names; it is waited for while it is empty.
          num_records: How many at most, an int64 scalar; there is at least one.
          name: Name of the operation.

        Raises:
          OutOfRangeError: When run, the queue is closed, and no file is left.
        """
        return self._apply("ReaderReadUpTo", _handle(queue), num_records, name=name)

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """How many records the reader has given, an int64 scalar."""
        made: Tensor = self._apply("ReaderNumRecordsProduced", name=name)
        return made

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many files the reader has read to their end, an int64 scalar."""
        made: Tensor = self._apply("ReaderNumWorkUnitsCompleted", name=name)
        return made

    def serialize_state(self, name: str | None = None) -> Tensor:
        """The reader's place as a string scalar.

        Raises:
          UnimplementedError: When run, it is no `WholeFileReader` or `IdentityReader`.
        """
        made: Tensor = self._apply("ReaderSerializeState", name=name)
        return made

    def restore_state(self, state: Any, name: str | None = None) -> Operation:
        """An operation that puts the reader at a place.

        Args:
          state: What `serialize_state` gave.
          name: Name of the operation.
        """
        state = convert_to_tensor(state, dtypes.string)
        made: Operation = self._apply("ReaderRestoreState", state, name=name)
        return made

    def reset(self, name: str | None = None) -> Operation:
        """An operation that puts the reader back to its start."""
        made: Operation = self._apply("ReaderReset", name=name)
        return made

    def _apply(self, op_type: str, *inputs: Any, name: str | None) -> Any:
        """Adds an op for handles of this kind: those of old graphs are references."""
        is_new = self._reader_ref.dtype == dtypes.resource
        form = f"{op_type}V2" if is_new else op_type
        return apply_op(form, self._reader_ref, *inputs, name=name)


def _handle(queue: Any) -> Any:
    return queue.queue_ref if isinstance(queue, QueueBase) else queue


def make_reader(op_type: str, name: str | None, **attrs: Any) -> Tensor:
    """Adds the op of a reader, and gives its handle."""
    return single(op_type, name=name, **attrs)
