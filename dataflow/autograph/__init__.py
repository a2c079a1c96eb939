"""tf.autograph: Python's control flow on tensors as operations."""

from dataflow.autograph import experimental as experimental
from dataflow.library.autograph.public import set_verbosity as set_verbosity
from dataflow.library.autograph.public import to_code as to_code
from dataflow.library.autograph.public import to_graph as to_graph
from dataflow.library.autograph.public import trace as trace
