"""Ops of datasets whose seeds, or kept elements, are resources of their own."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import dataset
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op

_ELEMENTS = (
    "output_types: list(type) >= 1",
    "output_shapes: list(shape) >= 1",
    "metadata: string = ''",
)
_RESHUFFLE = "reshuffle_each_iteration: bool = true"

for _op, _inputs, _attrs, _doc in (
    (
        "ShuffleDatasetV2",
        "input_dataset: variant, buffer_size: int64, seed_generator: resource",
        _ELEMENTS,
        "The elements in a random order.",
    ),
    (
        "ShuffleDatasetV3",
        "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, "
        "seed_generator: resource",
        (_RESHUFFLE, *_ELEMENTS),
        "The elements in a random order.",
    ),
    (
        "ShuffleAndRepeatDatasetV2",
        "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64, "
        "seed_generator: resource",
        (_RESHUFFLE, *_ELEMENTS),
        "The elements so many times, in random orders.",
    ),
    (
        "RandomDatasetV2",
        "seed: int64, seed2: int64, seed_generator: resource",
        ("rerandomize_each_iteration: bool = false", *_ELEMENTS),
        "A dataset of random numbers, without end.",
    ),
    (
        "CacheDatasetV2",
        "input_dataset: variant, filename: string, cache: resource",
        _ELEMENTS,
        "The elements, kept when they come for the first time.",
    ),
):
    define_op(
        _op,
        inputs=_inputs,
        outputs="handle: variant",
        attrs=_attrs,
        shape=dataset(scalars=tuple(range(_inputs.count(":")))),
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
        stateful=True,
    )
