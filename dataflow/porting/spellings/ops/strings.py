"""Names of `tensorflow.python.ops.string_ops` that no public module has."""

from dataflow.ops.text.splitting import split as string_split_v2

__all__ = ["string_split_v2"]
