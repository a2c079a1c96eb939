"""tensorflow.python.ops.ragged.ragged_string_ops: what cuts strings."""

from dataflow.library.ragged.strings import bytes_split as string_bytes_split
from dataflow.library.ragged.strings import split as strings_split_v1
from dataflow.porting.v2.strings import split as string_split_v2

__all__ = ["string_bytes_split", "string_split_v2", "strings_split_v1"]
