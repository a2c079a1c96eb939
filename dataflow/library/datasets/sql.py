"""tf.data.experimental.SqlDataset: the rows that a query of a database gives."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.library.datasets import element_nest
from dataflow.library.datasets.dataset import Dataset
from dataflow.library.datasets.nodes import dataset_node
from dataflow.library.datasets.specs import TensorSpec
from dataflow.values import dtypes


class SqlDataset(Dataset):
    """The rows that a query of an SQLite database gives, a tuple of scalars for each.

    Args:
      driver_name: The kind of database: "sqlite".
      data_source_name: The file.
      query: What is asked, in SQL.
      output_types: A tuple of the columns' types: string, bool, float64, or an integer of up to 64
        bits.
    """

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any
    ) -> None:
        spec = element_nest.map_atoms(lambda dtype: TensorSpec([], dtype), output_types)
        named = {"driver_name": driver_name, "data_source_name": data_source_name, "query": query}
        given = [convert_to_tensor(v, dtype=dtypes.string, name=k) for k, v in named.items()]
        self._set(dataset_node("SqlDataset", spec, *given), spec, ())
