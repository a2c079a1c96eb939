"""tf.queue: queues of elements between steps."""

from dataflow.library.queues.fifo_queue import FIFOQueue as FIFOQueue
from dataflow.library.queues.padding_fifo_queue import PaddingFIFOQueue as PaddingFIFOQueue
from dataflow.library.queues.priority_queue import PriorityQueue as PriorityQueue
from dataflow.library.queues.queue_base import QueueBase as QueueBase
from dataflow.library.queues.random_shuffle_queue import RandomShuffleQueue as RandomShuffleQueue
