"""What TensorFlow's own modules about ragged tensors call them."""

from __future__ import annotations

import dataflow.library.ragged.constants as _constants
import dataflow.library.ragged.gathering as _gathering
import dataflow.library.ragged.getitem as _getitem
import dataflow.library.ragged.ranges as _ranges
import dataflow.library.ragged.tensor as _tensor
from dataflow.library.ragged.concatenation import concat as concat
from dataflow.library.ragged.elementwise import map_flat_values as map_flat_values
from dataflow.library.ragged.row_partition import RowPartition as RowPartition
from dataflow.library.ragged.values import RaggedTensorValue as RaggedTensorValue

batch_gather = _gathering.batch_gather
constant = _constants.constant
convert_to_tensor_or_ragged_tensor = _tensor.as_ragged_or_tensor
is_ragged = _tensor.is_ragged
ragged_tensor_getitem = _getitem.getitem
range = _ranges.ragged_range
