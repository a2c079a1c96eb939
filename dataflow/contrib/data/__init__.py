"""tf.contrib.data: what became tf.data and tf.data.experimental."""

from dataflow.contrib.data.batching import (
    assert_element_shape as assert_element_shape,
)
from dataflow.contrib.data.batching import batch_and_drop_remainder as batch_and_drop_remainder
from dataflow.contrib.data.batching import (
    padded_batch_and_drop_remainder as padded_batch_and_drop_remainder,
)
from dataflow.contrib.data.batching import sliding_window_batch as sliding_window_batch
from dataflow.contrib.data.datasets import Dataset as Dataset
from dataflow.contrib.data.datasets import (
    FixedLengthRecordDataset as FixedLengthRecordDataset,
)
from dataflow.contrib.data.datasets import TextLineDataset as TextLineDataset
from dataflow.contrib.data.datasets import TFRecordDataset as TFRecordDataset
from dataflow.contrib.data.older import read_batch_features as read_batch_features
from dataflow.contrib.data.older import reduce_dataset as reduce_dataset
from dataflow.contrib.data.older import sloppy_interleave as sloppy_interleave
from dataflow.library.datasets import nodes as _nodes
from dataflow.library.datasets import transformations as _transformations
from dataflow.library.datasets.csv import CsvDataset as CsvDataset
from dataflow.library.datasets.csv import make_csv_dataset as make_csv_dataset
from dataflow.library.datasets.experimental.examples import (
    make_batched_features_dataset as make_batched_features_dataset,
)
from dataflow.library.datasets.experimental.examples import (
    parse_example_dataset as parse_example_dataset,
)
from dataflow.library.datasets.experimental.writing import TFRecordWriter as TFRecordWriter
from dataflow.library.datasets.iterators import Iterator as Iterator
from dataflow.library.datasets.optionals import Optional as Optional
from dataflow.library.datasets.random_dataset import RandomDataset as RandomDataset
from dataflow.library.datasets.readers import SqlDataset as SqlDataset
from dataflow.library.datasets.transformations import Reducer as Reducer
from dataflow.library.datasets.transformations import (
    bucket_by_sequence_length as bucket_by_sequence_length,
)
from dataflow.library.datasets.transformations import choose_from_datasets as choose_from_datasets
from dataflow.library.datasets.transformations import copy_to_device as copy_to_device
from dataflow.library.datasets.transformations import (
    dense_to_sparse_batch as dense_to_sparse_batch,
)
from dataflow.library.datasets.transformations import enumerate_dataset as enumerate_dataset
from dataflow.library.datasets.transformations import get_next_as_optional as get_next_as_optional
from dataflow.library.datasets.transformations import get_single_element as get_single_element
from dataflow.library.datasets.transformations import group_by_reducer as group_by_reducer
from dataflow.library.datasets.transformations import group_by_window as group_by_window
from dataflow.library.datasets.transformations import ignore_errors as ignore_errors
from dataflow.library.datasets.transformations import map_and_batch as map_and_batch
from dataflow.library.datasets.transformations import parallel_interleave as parallel_interleave
from dataflow.library.datasets.transformations import prefetch_to_device as prefetch_to_device
from dataflow.library.datasets.transformations import rejection_resample as rejection_resample
from dataflow.library.datasets.transformations import sample_from_datasets as sample_from_datasets
from dataflow.library.datasets.transformations import scan as scan
from dataflow.library.datasets.transformations import shuffle_and_repeat as shuffle_and_repeat
from dataflow.library.datasets.transformations import unbatch as unbatch
from dataflow.library.datasets.transformations import unique as unique
from dataflow.saving.iterator_state import (
    make_saveable_from_iterator as make_saveable_from_iterator,
)
from dataflow.training.hooks.input_pipeline import (
    CheckpointInputPipelineHook as CheckpointInputPipelineHook,
)

AUTOTUNE = _nodes.AUTOTUNE
Counter = _transformations.counter
