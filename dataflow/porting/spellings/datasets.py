"""Names of `tensorflow.python.data.ops.dataset_ops`."""

from dataflow.library.datasets.dataset import Dataset

DatasetV1 = Dataset
DatasetV1Adapter = Dataset
DatasetV2 = Dataset
