"""tf.xla: what programs say to XLA, which changes nothing in how graphs run here."""

from dataflow.xla import experimental as experimental
