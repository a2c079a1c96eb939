"""slim's Dataset: where records are, how they are read, and what they hold."""

from __future__ import annotations

from typing import Any


class Dataset:
    """What a `DatasetDataProvider` must know of a dataset.

    Args:
      data_sources: Names or patterns of files.
      reader: The class of their reader, as `tf.TFRecordReader`.
      decoder: The `DataDecoder` of their records.
      num_samples: How many records there are.
      items_to_descriptions: What the items are, in words.
      **kwargs: Further attributes.
    """

    data_sources: Any
    reader: Any
    decoder: Any
    num_samples: Any
    items_to_descriptions: Any

    def __init__(
        self,
        data_sources: Any,
        reader: Any,
        decoder: Any,
        num_samples: Any,
        items_to_descriptions: Any,
        **kwargs: Any,
    ) -> None:
        self.data_sources = data_sources
        self.reader = reader
        self.decoder = decoder
        self.num_samples = num_samples
        self.items_to_descriptions = items_to_descriptions
        self.__dict__.update(kwargs)
