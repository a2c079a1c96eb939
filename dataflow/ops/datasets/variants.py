"""Ops of datasets as values: of windows, wrapped for functions, with their options."""

from __future__ import annotations

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import scalar

_ELEMENTS = ("output_types: list(type) >= 1", "output_shapes: list(shape) >= 1")

define_op(
    "WindowOp",
    inputs="inputs: Tinputs",
    outputs="handle: variant",
    attrs=[*_ELEMENTS, "Tinputs: list(type) >= 1"],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="A dataset of elements whose components stand one behind the other.",
)
for _op, _doc in (
    ("WrapDatasetVariant", "A dataset, in a form that functions on other devices take."),
    ("UnwrapDatasetVariant", "The dataset of such a form."),
):
    define_op(
        _op,
        inputs="input_handle: variant",
        outputs="output_handle: variant",
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc=_doc,
    )
define_op(
    "GetOptions",
    inputs="input_dataset: variant",
    outputs="serialized_options: string",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The options that were noted for a dataset: a serialized message.",
)
for _op in ("ChooseFastestDataset", "ExperimentalChooseFastestDataset"):
    define_op(
        _op,
        inputs="input_datasets: N * variant",
        outputs="handle: variant",
        attrs=["N: int >= 2", "num_experiments: int", *_ELEMENTS],
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc="The elements of one of several datasets that have the same ones.",
    )
for _prefix in ("", "Experimental"):
    define_op(
        f"{_prefix}ThreadPoolHandle",
        outputs="handle: resource",
        attrs=[
            "num_threads: int",
            "max_intra_op_parallelism: int = 1",
            "display_name: string",
            "container: string = ''",
            "shared_name: string = ''",
        ],
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc="Stands for threads that datasets would use.",
        stateful=True,
    )
    define_op(
        f"{_prefix}ThreadPoolDataset",
        inputs="input_dataset: variant, thread_pool: resource",
        outputs="handle: variant",
        attrs=_ELEMENTS,
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc="The elements; kernels would use the threads of a pool.",
        stateful=True,
    )
