"""tf.train.experimental: what checkpoints hold besides variables."""

from dataflow.saving.checkpoint.python_state import PythonState as PythonState
