"""slim's parallel reading: several readers of files that fill one queue of records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.files.gfile import glob
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.library.queues.random_shuffle_queue import RandomShuffleQueue
from dataflow.library.readers.reader_base import ReaderBase
from dataflow.library.summaries.values import scalar
from dataflow.ops.basic.cast import cast
from dataflow.ops.reductions.sum import add_n
from dataflow.training.coordination.queue_runner import QueueRunner, add_queue_runner
from dataflow.training.inputs.producers import string_input_producer
from dataflow.values import dtypes as types


class ParallelReader(ReaderBase):
    """A reader that takes its records from a queue, which several readers fill.

    Args:
      reader_class: What makes a reader.
      common_queue: A queue of keys and values.
      num_readers: How many readers.
      reader_kwargs: What each is made with.

    Raises:
      TypeError: The queue does not hold two strings.
    """

    def __init__(
        self,
        reader_class: Callable[..., Any],
        common_queue: Any,
        num_readers: int = 4,
        reader_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        held = common_queue.dtypes
        if len(held) != 2 or not all(each.is_compatible_with(types.string) for each in held):
            raise TypeError("common_queue.dtypes must be [tf.string, tf.string]")
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self) -> int:
        """How many readers there are."""
        return len(self._readers)

    @property
    def common_queue(self) -> Any:
        """The queue that they fill."""
        return self._common_queue

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next record: key and value.

        Args:
          queue: The queue of files' names; a queue runner reads them from now on.
          name: Name of the operation.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next records: keys and values; fewer only when there are no more.

        Args:
          queue: The queue of files' names; a queue runner reads them from now on.
          num_records: How many.
          name: Name of the operation.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _fill_from(self, queue: Any) -> None:
        filling = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        add_queue_runner(QueueRunner(self._common_queue, filling))

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """How many records all readers have given."""
        return add_n([each.num_records_produced() for each in self._readers], name=name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many files all readers have read."""
        return add_n([each.num_work_units_completed() for each in self._readers], name=name)


def parallel_read(
    data_sources: Any,
    reader_class: Callable[..., Any],
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: Mapping[str, Any] | None = None,
    shuffle: bool = True,
    dtypes: Any = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: int | None = None,
    scope: str | None = None,
) -> Any:
    """A record, key and value, of files that several readers read at a time.

    Args:
      data_sources: Names or patterns of files.
      reader_class: What makes a reader.
      num_epochs: How often each file is read; without end if None.
      num_readers: How many readers.
      reader_kwargs: What each is made with.
      shuffle: Whether files and records come in random order.
      dtypes: Types of key and value.
      capacity: How many records wait at most.
      min_after_dequeue: How many wait at least while there are more, if they are shuffled.
      seed: Of the random order.
      scope: Prefix of the operations' names.

    Raises:
      ValueError: There are no such files.
    """
    files = get_data_files(data_sources)
    with name_scope(scope, "parallel_read"):
        names = string_input_producer(
            files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames"
        )
        kinds = dtypes or [types.string, types.string]
        queue: Any
        if shuffle:
            queue = RandomShuffleQueue(
                capacity=capacity,
                min_after_dequeue=min_after_dequeue,
                dtypes=kinds,
                seed=seed,
                name="common_queue",
            )
        else:
            queue = FIFOQueue(capacity=capacity, dtypes=kinds, name="common_queue")
        scalar(f"fraction_of_{capacity}_full", cast(queue.size(), types.float32) * (1.0 / capacity))
        reader = ParallelReader(reader_class, queue, num_readers, reader_kwargs)
        return reader.read(names)


def single_pass_read(
    data_sources: Any,
    reader_class: Callable[..., Any],
    reader_kwargs: Mapping[str, Any] | None = None,
    scope: str | None = None,
) -> Any:
    """A record, key and value, of files that are read once, in order.

    Args:
      data_sources: Names or patterns of files.
      reader_class: What makes a reader.
      reader_kwargs: What it is made with.
      scope: Prefix of the operations' names.

    Raises:
      ValueError: There are no such files.
    """
    files = get_data_files(data_sources)
    with name_scope(scope, "single_pass_read"):
        names = string_input_producer(
            files, num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        return reader_class(**(reader_kwargs or {})).read(names)


def get_data_files(data_sources: Any) -> list[str]:
    """The names of files: patterns give way to the files that fit them.

    Raises:
      ValueError: There are none.
    """
    if isinstance(data_sources, (list, tuple)):
        files = [name for source in data_sources for name in get_data_files(source)]
    elif any(sign in data_sources for sign in "*?["):
        files = glob(data_sources)
    else:
        files = [data_sources]
    if not files:
        raise ValueError(f"No data files found in {data_sources}")
    return files
