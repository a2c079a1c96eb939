"""Ops on iterators, and ops that take elements out of datasets."""

from __future__ import annotations

from dataflow.ops.datasets.shapes import declared
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import no_outputs, scalar
from dataflow.values.shapes import TensorShape


def _vector(c: InferenceContext) -> TensorShape:
    return TensorShape.of((None,))


define_op(
    "Iterator",
    outputs="handle: resource",
    attrs=[
        "shared_name: string",
        "container: string",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="An iterator, which has no dataset yet.",
    stateful=True,
)
define_op(
    "IteratorV2",
    outputs="handle: resource",
    attrs=[
        "shared_name: string",
        "container: string",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="An iterator, which has no dataset yet.",
    stateful=True,
)
define_op(
    "OneShotIterator",
    outputs="handle: resource",
    attrs=[
        "dataset_factory: func",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "container: string = ''",
        "shared_name: string = ''",
    ],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="An iterator over the dataset that a function makes.",
    stateful=True,
)
define_op(
    "MakeIterator",
    inputs="dataset: variant, iterator: resource",
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Gives an iterator a dataset, from whose start it begins.",
    stateful=True,
)
define_op(
    "IteratorGetNext",
    inputs="iterator: resource",
    outputs="components: output_types",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=declared,
    gradient=NOT_DIFFERENTIABLE,
    doc="The next element.",
    stateful=True,
)
define_op(
    "IteratorGetNextSync",
    inputs="iterator: resource",
    outputs="components: output_types",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=declared,
    gradient=NOT_DIFFERENTIABLE,
    doc="The next element.",
    stateful=True,
)
define_op(
    "IteratorGetNextAsOptional",
    inputs="iterator: resource",
    outputs="optional: variant",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The next element, or nothing at the end.",
    stateful=True,
)
define_op(
    "SerializeIterator",
    inputs="resource_handle: resource",
    outputs="serialized: variant",
    attrs=["external_state_policy: int = 0"],
    shape=_vector,
    gradient=NOT_DIFFERENTIABLE,
    doc="How far an iterator has come, to go on from there later.",
    stateful=True,
)
define_op(
    "DeserializeIterator",
    inputs="resource_handle: resource, serialized: variant",
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Has an iterator go on from where another one had come over the same dataset.",
    stateful=True,
)
define_op(
    "IteratorToStringHandle",
    inputs="resource_handle: resource",
    outputs="string_handle: string",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A string that stands for an iterator.",
    stateful=True,
)
define_op(
    "IteratorFromStringHandle",
    inputs="string_handle: string",
    outputs="resource_handle: resource",
    attrs=["output_types: list(type) >= 0 = []", "output_shapes: list(shape) >= 0 = []"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The iterator that a string stands for.",
    stateful=True,
)
define_op(
    "IteratorFromStringHandleV2",
    inputs="string_handle: string",
    outputs="resource_handle: resource",
    attrs=["output_types: list(type) >= 0 = []", "output_shapes: list(shape) >= 0 = []"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The iterator that a string stands for.",
    stateful=True,
)
define_op(
    "IteratorGetDevice",
    inputs="resource: resource",
    outputs="device: string",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The device of an iterator.",
    stateful=True,
)
define_op(
    "DatasetToSingleElement",
    inputs="dataset: variant",
    outputs="components: output_types",
    attrs=[
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "metadata: string = ''",
    ],
    shape=declared,
    gradient=NOT_DIFFERENTIABLE,
    doc="The only element of a dataset.",
    stateful=True,
)
define_op(
    "ReduceDataset",
    inputs="input_dataset: variant, initial_state: Tstate, other_arguments: Targuments",
    outputs="components: output_types",
    attrs=[
        "f: func",
        "Tstate: list(type) >= 1",
        "Targuments: list(type) >= 0",
        "output_types: list(type) >= 1",
        "output_shapes: list(shape) >= 1",
        "use_inter_op_parallelism: bool = true",
        "metadata: string = ''",
    ],
    shape=declared,
    gradient=NOT_DIFFERENTIABLE,
    doc="The state that a function makes of all elements, one after the other.",
    stateful=True,
)
define_op(
    "DatasetCardinality",
    inputs="input_dataset: variant",
    outputs="cardinality: int64",
    attrs=["cardinality_options: string = ''"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="How many elements a dataset has; -1 for without end, -2 if it is not known.",
)
