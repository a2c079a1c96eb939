"""Ops that make datasets of the features of serialized examples."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

_TYPES = "{float32, int64, string}"
_RAGGED = (
    "ragged_keys: list(string) >= 0 = []",
    f"ragged_value_types: list({_TYPES}) >= 0 = []",
    "ragged_split_types: list({int32, int64}) >= 0 = []",
)

for _op, _more in (
    ("ParseExampleDataset", ("sloppy: bool = false", *_RAGGED)),
    ("ParseExampleDatasetV2", ("deterministic: string = 'default'", *_RAGGED)),
    ("ExperimentalParseExampleDataset", ("sloppy: bool = false",)),
):
    define_op(
        _op,
        inputs="input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense",
        outputs="handle: variant",
        attrs=[
            "sparse_keys: list(string) >= 0",
            "dense_keys: list(string) >= 0",
            f"sparse_types: list({_TYPES}) >= 0",
            f"Tdense: list({_TYPES}) >= 0",
            "dense_shapes: list(shape) >= 0",
            "output_types: list(type) >= 1",
            "output_shapes: list(shape) >= 1",
            *_more,
        ],
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc="The features of vectors of serialized examples, in the order of their keys.",
    )
