"""tf.compat.v2.strings where it is not tf.strings."""

from __future__ import annotations

from dataflow.porting.v2.respell import respelled
from dataflow.values import dtypes as _dtypes

length = respelled("strings.length", "input", unit="BYTE", name=None)
reduce_join = respelled(
    "strings.reduce_join", "inputs", axis=None, keepdims=False, separator="", name=None
)
split = respelled(
    "strings.split",
    "input",
    sep=None,
    maxsplit=-1,
    name=None,
    fixed={"result_type": "RaggedTensor"},
)
substr = respelled("strings.substr", "input pos len", unit="BYTE", name=None)
to_hash_bucket = respelled("strings.to_hash_bucket", "input num_buckets", name=None)
to_number = respelled("strings.to_number", "input", out_type=_dtypes.float32, name=None)
