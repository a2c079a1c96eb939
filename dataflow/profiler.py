"""tf.profiler: what a graph's nodes cost, by shapes and in traced steps."""

from dataflow.profiling.op_log import write_op_log as write_op_log
from dataflow.profiling.options import ProfileOptionBuilder as ProfileOptionBuilder
from dataflow.profiling.profiler import Profiler as Profiler
from dataflow.profiling.profiler import advise as advise
from dataflow.profiling.profiler import profile as profile
from dataflow.profiling.trace import TraceWriter as TraceWriter
from dataflow.proto.tfprof_log_pb2 import OpLogProto as OpLogProto
from dataflow.proto.tfprof_output_pb2 import AdviceProto as AdviceProto
from dataflow.proto.tfprof_output_pb2 import GraphNodeProto as GraphNodeProto
from dataflow.proto.tfprof_output_pb2 import MultiGraphNodeProto as MultiGraphNodeProto
