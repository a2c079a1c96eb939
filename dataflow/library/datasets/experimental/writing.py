"""Datasets that are written to files of records."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.nodes import text
from dataflow.library.datasets.specs import TensorSpec
from dataflow.values import dtypes


class TFRecordWriter:
    """Writes the elements of datasets, which are strings, to a file of records.

    Args:
      filename: The file: scalar string.
      compression_type: "", "ZLIB" or "GZIP"; None for "".
    """

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename = text(filename, "filename")
        self._compression_type = text(compression_type, "compression_type")

    def write(self, dataset: Any) -> Operation:
        """An operation that writes all elements of a dataset; a file that is there is replaced.

        Args:
          dataset: The dataset, of scalar strings.

        Raises:
          TypeError: It is none, or has other elements.
        """
        if not isinstance(dataset, DatasetBase):
            raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
        if not TensorSpec([], dtypes.string).is_compatible_with(dataset.element_spec):
            raise TypeError(
                "`dataset` must produce scalar `DT_STRING` tensors whereas it produces shape "
                f"{dataset.output_shapes} and types {dataset.output_types}"
            )
        made: Operation = apply_op(
            "DatasetToTFRecord", dataset._variant_tensor, self._filename, self._compression_type
        )
        return made
