"""tf.contrib.batching: the requests of several steps as one batch."""

from dataflow.contrib.batching.batches import batch as batch
from dataflow.contrib.batching.batches import batch_function_v1 as batch_function_v1
from dataflow.contrib.batching.batches import unbatch as unbatch
from dataflow.functions.batching import nondifferentiable_batch_function as batch_function

__all__ = ["batch", "batch_function", "batch_function_v1", "unbatch"]
