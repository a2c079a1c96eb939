"""tf.sets: sets in the last dimension of tensors."""

import dataflow.ops.sets.set_operation as _set_operation
from dataflow.ops.sets.set_operation import set_difference as set_difference
from dataflow.ops.sets.set_operation import set_intersection as set_intersection
from dataflow.ops.sets.set_operation import set_size as set_size
from dataflow.ops.sets.set_operation import set_union as set_union

difference = _set_operation.set_difference
intersection = _set_operation.set_intersection
size = _set_operation.set_size
union = _set_operation.set_union
