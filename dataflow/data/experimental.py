"""tf.data.experimental: functions for `Dataset.apply`, and other datasets."""

import dataflow.library.datasets.array_specs as _array_specs
import dataflow.library.datasets.nodes as _nodes
import dataflow.library.datasets.settings.policies as _policies
import dataflow.library.datasets.specs as _specs
import dataflow.library.datasets.transformations as _transformations
import dataflow.library.ragged.spec as _ragged_spec
from dataflow.library.datasets.csv import CsvDataset as CsvDataset
from dataflow.library.datasets.csv import make_csv_dataset as make_csv_dataset
from dataflow.library.datasets.experimental.examples import (
    make_batched_features_dataset as make_batched_features_dataset,
)
from dataflow.library.datasets.experimental.examples import (
    parse_example_dataset as parse_example_dataset,
)
from dataflow.library.datasets.experimental.lists import from_list as from_list
from dataflow.library.datasets.experimental.lists import pad_to_cardinality as pad_to_cardinality
from dataflow.library.datasets.experimental.statistics import (
    bytes_produced_stats as bytes_produced_stats,
)
from dataflow.library.datasets.experimental.statistics import latency_stats as latency_stats
from dataflow.library.datasets.experimental.tables import DatasetInitializer as DatasetInitializer
from dataflow.library.datasets.experimental.tables import (
    index_table_from_dataset as index_table_from_dataset,
)
from dataflow.library.datasets.experimental.tables import table_from_dataset as table_from_dataset
from dataflow.library.datasets.experimental.writing import TFRecordWriter as TFRecordWriter
from dataflow.library.datasets.optionals import Optional as Optional
from dataflow.library.datasets.random_dataset import RandomDataset as RandomDataset
from dataflow.library.datasets.readers import SqlDataset as SqlDataset
from dataflow.library.datasets.settings.aggregators import StatsAggregator as StatsAggregator
from dataflow.library.datasets.settings.options import AutotuneOptions as AutotuneOptions
from dataflow.library.datasets.settings.options import DistributeOptions as DistributeOptions
from dataflow.library.datasets.settings.options import (
    MapVectorizationOptions as MapVectorizationOptions,
)
from dataflow.library.datasets.settings.options import OptimizationOptions as OptimizationOptions
from dataflow.library.datasets.settings.options import StatsOptions as StatsOptions
from dataflow.library.datasets.settings.options import ThreadingOptions as ThreadingOptions
from dataflow.library.datasets.settings.policies import AutoShardPolicy as AutoShardPolicy
from dataflow.library.datasets.settings.policies import AutotuneAlgorithm as AutotuneAlgorithm
from dataflow.library.datasets.settings.policies import ExternalStatePolicy as ExternalStatePolicy
from dataflow.library.datasets.transformations import Reducer as Reducer
from dataflow.library.datasets.transformations import assert_cardinality as assert_cardinality
from dataflow.library.datasets.transformations import (
    bucket_by_sequence_length as bucket_by_sequence_length,
)
from dataflow.library.datasets.transformations import cardinality as cardinality
from dataflow.library.datasets.transformations import choose_from_datasets as choose_from_datasets
from dataflow.library.datasets.transformations import copy_to_device as copy_to_device
from dataflow.library.datasets.transformations import (
    dense_to_ragged_batch as dense_to_ragged_batch,
)
from dataflow.library.datasets.transformations import (
    dense_to_sparse_batch as dense_to_sparse_batch,
)
from dataflow.library.datasets.transformations import enumerate_dataset as enumerate_dataset
from dataflow.library.datasets.transformations import from_variant as from_variant
from dataflow.library.datasets.transformations import get_next_as_optional as get_next_as_optional
from dataflow.library.datasets.transformations import get_single_element as get_single_element
from dataflow.library.datasets.transformations import get_structure as get_structure
from dataflow.library.datasets.transformations import group_by_reducer as group_by_reducer
from dataflow.library.datasets.transformations import group_by_window as group_by_window
from dataflow.library.datasets.transformations import ignore_errors as ignore_errors
from dataflow.library.datasets.transformations import map_and_batch as map_and_batch
from dataflow.library.datasets.transformations import (
    map_and_batch_with_legacy_function as map_and_batch_with_legacy_function,
)
from dataflow.library.datasets.transformations import parallel_interleave as parallel_interleave
from dataflow.library.datasets.transformations import prefetch_to_device as prefetch_to_device
from dataflow.library.datasets.transformations import rejection_resample as rejection_resample
from dataflow.library.datasets.transformations import sample_from_datasets as sample_from_datasets
from dataflow.library.datasets.transformations import scan as scan
from dataflow.library.datasets.transformations import shuffle_and_repeat as shuffle_and_repeat
from dataflow.library.datasets.transformations import snapshot as snapshot
from dataflow.library.datasets.transformations import take_while as take_while
from dataflow.library.datasets.transformations import to_variant as to_variant
from dataflow.library.datasets.transformations import unbatch as unbatch
from dataflow.library.datasets.transformations import unique as unique
from dataflow.saving.iterator_state import (
    make_saveable_from_iterator as make_saveable_from_iterator,
)
from dataflow.training.hooks.input_pipeline import (
    CheckpointInputPipelineHook as CheckpointInputPipelineHook,
)

AUTOTUNE = _nodes.AUTOTUNE
INFINITE_CARDINALITY = _nodes.INFINITE
UNKNOWN_CARDINALITY = _nodes.UNKNOWN
SHARD_HINT = _nodes.SHARD_HINT
Counter = _transformations.counter
DatasetStructure = _specs.DatasetSpec
OptionalStructure = _specs.OptionalSpec
Structure = _specs.TypeSpec
RaggedTensorStructure = _ragged_spec.ragged_tensor_structure
TensorArrayStructure = _array_specs.tensor_array_structure
SparseTensorStructure = _policies.sparse_tensor_structure
TensorStructure = _policies.tensor_structure
