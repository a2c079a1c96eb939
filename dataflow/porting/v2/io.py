"""tf.compat.v2.io where it is not tf.io."""

from __future__ import annotations

from dataflow.porting.spellings.data.raw_bytes import decode_raw as decode_raw
from dataflow.porting.v2.respell import respelled
from dataflow.values import dtypes as _dtypes

decode_csv = respelled(
    "io.decode_csv",
    "records record_defaults",
    field_delim=",",
    use_quote_delim=True,
    na_value="",
    select_cols=None,
    name=None,
)
parse_example = respelled("io.parse_example", "serialized features", example_names=None, name=None)
parse_single_example = respelled(
    "io.parse_single_example", "serialized features", example_names=None, name=None
)
serialize_many_sparse = respelled(
    "io.serialize_many_sparse", "sp_input", out_type=_dtypes.string, name=None
)
serialize_sparse = respelled("io.serialize_sparse", "sp_input", out_type=_dtypes.string, name=None)
