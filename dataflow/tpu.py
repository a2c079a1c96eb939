"""tf.tpu: what programs that may run on a TPU name; there is none here."""

from dataflow.contrib.tpu import CrossShardOptimizer as CrossShardOptimizer
