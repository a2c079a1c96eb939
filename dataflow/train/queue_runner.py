"""tf.train.queue_runner: threads that fill queues."""

from dataflow.training.coordination.queue_runner import QueueRunner as QueueRunner
from dataflow.training.coordination.queue_runner import add_queue_runner as add_queue_runner
from dataflow.training.coordination.queue_runner import start_queue_runners as start_queue_runners
