"""Ops of resources without names, which functions of TensorFlow 2 make for their datasets."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import no_outputs, scalar
from dataflow.values.shapes import TensorShape

_OWNED = "handle: resource, deleter: variant"
_ELEMENTS = ("output_types: list(type) >= 1", "output_shapes: list(shape) >= 1")


def _scalars(c: InferenceContext) -> list[TensorShape]:
    return [TensorShape([]), TensorShape([])]


for _op, _inputs, _attrs, _doc in (
    ("AnonymousIteratorV2", "", _ELEMENTS, "An iterator without a name, and what deletes it."),
    ("AnonymousMemoryCache", "", (), "Where elements are kept, and what deletes it."),
    (
        "AnonymousSeedGenerator",
        "seed: int64, seed2: int64, reshuffle: bool",
        (),
        "What gives iterations their seeds, and what deletes it.",
    ),
):
    define_op(
        _op,
        inputs=_inputs,
        outputs=_OWNED,
        attrs=_attrs,
        shape=_scalars,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )

for _op, _attrs, _doc in (
    ("AnonymousIterator", _ELEMENTS, "An iterator without a name."),
    ("AnonymousIteratorV3", _ELEMENTS, "An iterator without a name."),
    ("DummyMemoryCache", (), "Stands for a place of the dataset's own, where elements are kept."),
    ("DummySeedGenerator", (), "Stands for the seeds that the dataset is given as numbers."),
):
    define_op(
        _op,
        outputs="handle: resource",
        attrs=_attrs,
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )

define_op(
    "DeleteIterator",
    inputs=_OWNED,
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Ends an iterator that has no name.",
    stateful=True,
)
