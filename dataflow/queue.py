"""tf.queue: queues of elements between steps."""

from dataflow.library.queues.fifo_queue import FIFOQueue as FIFOQueue
from dataflow.library.queues.queue_base import QueueBase as QueueBase
