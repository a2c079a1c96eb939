"""tf.sets: sets in the last dimension of tensors."""

from dataflow.ops.sets.set_operation import set_difference as set_difference
from dataflow.ops.sets.set_operation import set_intersection as set_intersection
from dataflow.ops.sets.set_operation import set_size as set_size
from dataflow.ops.sets.set_operation import set_union as set_union

difference = set_difference
intersection = set_intersection
size = set_size
union = set_union
