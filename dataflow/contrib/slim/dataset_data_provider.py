"""slim's DatasetDataProvider: the items of a dataset's records, read by several readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.contrib.slim.data_provider import DataProvider
from dataflow.contrib.slim.parallel_reader import parallel_read


class DatasetDataProvider(DataProvider):
    """Gives the items of one record of a dataset in each step.

    Args:
      dataset: A `Dataset`.
      num_readers: How many readers read its files.
      reader_kwargs: What each is made with.
      shuffle: Whether files and records come in random order.
      num_epochs: How often each file is read; without end if None.
      common_queue_capacity: How many records wait at most.
      common_queue_min: How many wait at least, if they are shuffled.
      record_key: The name of the record's key among the items.
      seed: Of the random order.
      scope: Prefix of the operations' names.

    Raises:
      ValueError: An item has the key's name, or there are no files.
    """

    def __init__(
        self,
        dataset: Any,
        num_readers: int = 1,
        reader_kwargs: Mapping[str, Any] | None = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: int | None = None,
        scope: str | None = None,
    ) -> None:
        key, data = parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )
        items = dataset.decoder.list_items()
        found = dict(zip(items, dataset.decoder.decode(data, items), strict=True))
        if record_key in found:
            raise ValueError(
                "The item name used for `record_key` cannot also be used for a dataset item: "
                f"{record_key}"
            )
        found[record_key] = key
        super().__init__(items_to_tensors=found, num_samples=dataset.num_samples)
