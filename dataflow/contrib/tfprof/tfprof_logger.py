"""tf.contrib.tfprof.tfprof_logger: what a program says of its nodes, in a file."""

from dataflow.profiling.op_log import write_op_log as write_op_log
