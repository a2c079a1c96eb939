"""tf.bitwise: operations on the bits of integers."""

from dataflow.ops.math.bitwise import bitwise_and as bitwise_and
from dataflow.ops.math.bitwise import bitwise_or as bitwise_or
from dataflow.ops.math.bitwise import bitwise_xor as bitwise_xor
from dataflow.ops.math.bitwise import invert as invert
from dataflow.ops.math.bitwise import left_shift as left_shift
from dataflow.ops.math.bitwise import right_shift as right_shift
