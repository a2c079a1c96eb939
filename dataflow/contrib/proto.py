"""tf.contrib.proto: protobufs of types that are told when they run; tf.io has the same."""

from dataflow.ops.parsing.protos import decode_proto as decode_proto
from dataflow.ops.parsing.protos import encode_proto as encode_proto
