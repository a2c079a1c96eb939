"""tf.manip: functions that move the elements of a tensor."""

from dataflow.ops.array.broadcast import tile as tile
from dataflow.ops.array.gather import gather_nd as gather_nd
from dataflow.ops.array.scatter import scatter_nd as scatter_nd
from dataflow.ops.array.shape import reshape as reshape
from dataflow.ops.array.space import batch_to_space_nd as batch_to_space_nd
from dataflow.ops.array.space import space_to_batch_nd as space_to_batch_nd
from dataflow.ops.array.transpose import reverse as reverse
from dataflow.ops.array.transpose import roll as roll
