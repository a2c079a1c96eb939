"""Names of `tensorflow.python.ops.logging_ops` that differ from the public ones."""

from dataflow.ops.text.printing import print as print_v2

__all__ = ["print_v2"]
