"""Names of `tensorflow.python.ops.string_ops` and `logging_ops` that no public module has."""

from dataflow.ops.text.characters import string_length
from dataflow.ops.text.printing import print as print_v2
from dataflow.ops.text.printing import string_format
from dataflow.ops.text.splitting import split as string_split_v2

__all__ = ["print_v2", "string_format", "string_length", "string_split_v2"]
