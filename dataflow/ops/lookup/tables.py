"""Ops on lookup tables, behind handles."""

from __future__ import annotations

from typing import Final

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, UNKNOWN, no_outputs, scalar, unknown
from dataflow.values.shapes import TensorShape

_TABLE: Final = (
    "container: string = ''",
    "shared_name: string = ''",
    "use_node_name_sharing: bool = false",
    "key_dtype: type",
    "value_dtype: type",
)


def _of_scalars(c: InferenceContext) -> TensorShape:
    return _holding(c, SCALAR)


def _of_tensors(c: InferenceContext) -> TensorShape:
    return _holding(c, c.attr("value_shape"))


def _holding(c: InferenceContext, value_shape: TensorShape) -> TensorShape:
    c.set_output_handle(0, ((c.attr("key_dtype"), SCALAR), (c.attr("value_dtype"), value_shape)))
    return SCALAR


def _found(c: InferenceContext) -> TensorShape:
    held = c.input_handle(0)
    return c.input(1).concatenate(held[1][1]) if held and len(held) > 1 else UNKNOWN


for _op, _inputs, _more, _shape, _doc in (
    ("HashTableV2", "", (), scalar, "A table that is filled once."),
    ("MutableHashTableV2", "", (), _of_scalars, "A table of scalars that steps may change."),
    (
        "MutableHashTableOfTensorsV2",
        "",
        ("value_shape: shape = []",),
        _of_tensors,
        "A table of tensors of one shape that steps may change.",
    ),
    (
        "MutableDenseHashTableV2",
        "empty_key: key_dtype, deleted_key: key_dtype",
        (
            "value_shape: shape = []",
            "initial_num_buckets: int = 131072",
            "max_load_factor: float = 0.8",
        ),
        _of_tensors,
        "A table that steps may change, in which two keys cannot be.",
    ),
):
    define_op(
        _op,
        inputs=_inputs,
        outputs="table_handle: resource",
        attrs=[*_TABLE, *_more],
        shape=_shape,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )

define_op(
    "LookupTableFindV2",
    inputs="table_handle: resource, keys: Tin, default_value: Tout",
    outputs="values: Tout",
    attrs=["Tin: type", "Tout: type"],
    shape=_found,
    gradient=NOT_DIFFERENTIABLE,
    doc="The values of keys, a default for those that are not there.",
    stateful=True,
)

for _op, _doc in (
    ("LookupTableInsertV2", "Gives keys their values."),
    ("LookupTableImportV2", "Replaces all that a table has."),
):
    define_op(
        _op,
        inputs="table_handle: resource, keys: Tin, values: Tout",
        attrs=["Tin: type", "Tout: type"],
        shape=no_outputs,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )

define_op(
    "LookupTableRemoveV2",
    inputs="table_handle: resource, keys: Tin",
    attrs=["Tin: type"],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Takes keys out of a table.",
    stateful=True,
)

define_op(
    "LookupTableSizeV2",
    inputs="table_handle: resource",
    outputs="size: int64",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="How many keys a table has.",
    stateful=True,
)

define_op(
    "LookupTableExportV2",
    inputs="table_handle: resource",
    outputs="keys: Tkeys, values: Tvalues",
    attrs=["Tkeys: type", "Tvalues: type"],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="All keys and values of a table.",
    stateful=True,
)

define_op(
    "InitializeTableV2",
    inputs="table_handle: resource, keys: Tkey, values: Tval",
    attrs=["Tkey: type", "Tval: type"],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Fills a table that is filled once.",
    stateful=True,
)

define_op(
    "InitializeTableFromTextFileV2",
    inputs="table_handle: resource, filename: string",
    attrs=[
        "key_index: int >= -2",
        "value_index: int >= -2",
        "vocab_size: int >= -1 = -1",
        "delimiter: string = '\\t'",
        "offset: int = 0",
    ],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Fills a table that is filled once from the lines of a file.",
    stateful=True,
)
