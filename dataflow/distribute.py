"""tf.distribute: the server of a task, under TensorFlow's newer name, and the only replica."""

from dataflow.library.program.replicas import get_replica_context as get_replica_context
from dataflow.library.program.replicas import has_strategy as has_strategy
from dataflow.library.program.replicas import in_cross_replica_context as in_cross_replica_context
from dataflow.session.server import Server as Server
