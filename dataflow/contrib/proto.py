"""tf.contrib.proto: protobufs of types that are told when they run; tf.io has the same."""

from dataflow.io import decode_proto as decode_proto
from dataflow.io import encode_proto as encode_proto
