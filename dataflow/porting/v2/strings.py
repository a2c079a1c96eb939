"""tf.compat.v2.strings where it is not tf.strings."""

from __future__ import annotations

from typing import Any

import dataflow.library.ragged.strings as _strings
import dataflow.library.ragged.tensor as _tensor
from dataflow.porting.v2.respell import respelled
from dataflow.values import dtypes as _dtypes

length = respelled("strings.length", "input", unit="BYTE", name=None)
reduce_join = respelled(
    "strings.reduce_join", "inputs", axis=None, keepdims=False, separator="", name=None
)


def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Cuts each string as Python's `split` does: a row of pieces for each, a vector for one."""
    rows = _strings.split(input, sep, maxsplit, "RaggedTensor", name=name)
    is_one = _tensor.as_ragged_or_tensor(input, _dtypes.string).shape.rank == 0
    return rows[0] if is_one else rows


substr = respelled("strings.substr", "input pos len", unit="BYTE", name=None)
to_hash_bucket = respelled("strings.to_hash_bucket", "input num_buckets", name=None)
to_number = respelled("strings.to_number", "input", out_type=_dtypes.float32, name=None)
