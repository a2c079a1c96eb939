"""tf.ragged: ragged tensors."""

import dataflow.library.ragged.ranges as _ranges
from dataflow.library.ragged.concatenation import stack as stack
from dataflow.library.ragged.concatenation import (
    stack_dynamic_partitions as stack_dynamic_partitions,
)
from dataflow.library.ragged.constants import constant as constant
from dataflow.library.ragged.constants import constant_value as constant_value
from dataflow.library.ragged.constants import placeholder as placeholder
from dataflow.library.ragged.counting import cross as cross
from dataflow.library.ragged.counting import cross_hashed as cross_hashed
from dataflow.library.ragged.elementwise import map_flat_values as map_flat_values
from dataflow.library.ragged.segments import row_splits_to_segment_ids as row_splits_to_segment_ids
from dataflow.library.ragged.segments import segment_ids_to_row_splits as segment_ids_to_row_splits
from dataflow.library.ragged.shaping import boolean_mask as boolean_mask
from dataflow.library.ragged.values import RaggedTensorValue as RaggedTensorValue

range = _ranges.ragged_range
