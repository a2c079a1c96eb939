"""tf.io: reading and writing."""

from dataflow.importing.files import write_graph as write_graph
from dataflow.library.queues.queue_base import QueueBase as QueueBase
