"""Ops that take all elements out of a dataset, and put them elsewhere."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import no_outputs

for _op in ("DatasetToTFRecord", "ExperimentalDatasetToTFRecord"):
    define_op(
        _op,
        inputs="input_dataset: variant, filename: string, compression_type: string",
        shape=no_outputs,
        gradient=NOT_DIFFERENTIABLE,
        doc="Writes the elements, which are strings, to a file of records.",
        stateful=True,
    )
define_op(
    "InitializeTableFromDataset",
    inputs="table_handle: resource, dataset: variant",
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Fills a table with the elements, which are pairs of a key and a value.",
    stateful=True,
)
