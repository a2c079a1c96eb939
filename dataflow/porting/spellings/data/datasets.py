"""Names of `tensorflow.python.data.ops.dataset_ops`."""

from dataflow.library.datasets.dataset import Dataset
from dataflow.library.datasets.dataset import get_output_classes as get_legacy_output_classes
from dataflow.library.datasets.dataset import get_output_shapes as get_legacy_output_shapes
from dataflow.library.datasets.dataset import get_output_types as get_legacy_output_types
from dataflow.library.datasets.generators import generator_dataset as _GeneratorDataset

__all__ = [
    "DatasetV1",
    "DatasetV1Adapter",
    "DatasetV2",
    "_GeneratorDataset",
    "get_legacy_output_classes",
    "get_legacy_output_shapes",
    "get_legacy_output_types",
]

DatasetV1 = Dataset
DatasetV1Adapter = Dataset
DatasetV2 = Dataset
