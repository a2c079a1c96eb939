"""What TensorFlow's own modules about ragged tensors call them."""

from __future__ import annotations

from typing import Any

import dataflow.library.ragged.constants as _constants
import dataflow.library.ragged.gathering as _gathering
import dataflow.library.ragged.getitem as _getitem
import dataflow.library.ragged.ranges as _ranges
import dataflow.library.ragged.tensor as _tensor
from dataflow.library.ragged.concatenation import concat as concat
from dataflow.library.ragged.elementwise import map_flat_values as map_flat_values
from dataflow.library.ragged.row_partition import RowPartition as RowPartition
from dataflow.library.ragged.spec import RaggedTensorSpec
from dataflow.library.ragged.values import RaggedTensorValue as RaggedTensorValue
from dataflow.values import dtypes as _dtypes

batch_gather = _gathering.batch_gather
constant = _constants.constant
convert_to_tensor_or_ragged_tensor = _tensor.as_ragged_or_tensor
is_ragged = _tensor.is_ragged
ragged_tensor_getitem = _getitem.getitem
range = _ranges.ragged_range
from_tensor = _tensor.RaggedTensor.from_tensor
from_sparse = _tensor.RaggedTensor.from_sparse


def to_tensor(rt_input: Any, default_value: Any = None, name: str | None = None) -> Any:
    """A ragged tensor filled up; another one as it is."""
    return rt_input.to_tensor(default_value, name) if is_ragged(rt_input) else rt_input


def to_sparse(rt_input: Any, name: str | None = None) -> Any:
    """A ragged tensor as a sparse one."""
    return rt_input.to_sparse(name)


class RaggedTensorType:
    """Says of which type the ragged tensor is that `map_fn` stacks of results."""

    def __new__(cls, dtype: Any, ragged_rank: int, row_splits_dtype: Any = _dtypes.int64) -> Any:
        """Describes the results themselves.

        Args:
          dtype: The type of elements.
          ragged_rank: How many dimensions of the stacked results are cut into rows.
          row_splits_dtype: int32 or int64.
        """
        return RaggedTensorSpec(None, dtype, ragged_rank - 1, row_splits_dtype)
