"""Ops on accumulators of gradients, behind handles and in the form of old graphs."""

from __future__ import annotations

from typing import Final

from dataflow.ops.basic.handle_shapes import HANDLE
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, scalar, with_rank
from dataflow.values.shapes import TensorShape

_TYPES: Final = "dtype: numbertype"
_KIND: Final = (
    _TYPES,
    "shape: shape",
    "container: string = ''",
    "shared_name: string = ''",
    "reduction_type: {'MEAN', 'SUM'} = 'MEAN'",
)


def _handle(c: InferenceContext) -> TensorShape:
    return HANDLE


def _with_number(c: InferenceContext) -> list[TensorShape]:
    """The second input is a scalar."""
    with_rank(c.input(1), 0)
    return [UNKNOWN] * c.num_outputs


for _prefix, _reference in (("", "Ref(string)"), ("Resource", "resource")):
    _is_new = bool(_prefix)

    define_op(
        f"{_prefix}ConditionalAccumulator",
        outputs=f"handle: {_reference}",
        attrs=list(_KIND),
        shape=_handle,
        gradient=NOT_DIFFERENTIABLE,
        doc="Sums up gradients of the current step.",
        stateful=True,
    )

    define_op(
        f"{_prefix}AccumulatorNumAccumulated",
        inputs=f"handle: {_reference}",
        outputs="num_accumulated: int32",
        shape=scalar,
        gradient=NOT_DIFFERENTIABLE,
        doc="How many gradients an accumulator has.",
        stateful=_is_new,
    )

    define_op(
        f"{_prefix}AccumulatorSetGlobalStep",
        inputs=f"handle: {_reference}, new_global_step: int64",
        shape=_with_number,
        gradient=NOT_DIFFERENTIABLE,
        doc="Sets the step of an accumulator: gradients of earlier ones are dropped.",
        stateful=_is_new,
    )

    define_op(
        f"{_prefix}AccumulatorApplyGradient",
        inputs=f"handle: {_reference}, local_step: int64, gradient: dtype",
        attrs=[_TYPES],
        shape=_with_number,
        gradient=NOT_DIFFERENTIABLE,
        doc="Adds a gradient, unless its step is before that of the accumulator.",
        stateful=_is_new,
    )

    define_op(
        f"{_prefix}AccumulatorTakeGradient",
        inputs=f"handle: {_reference}, num_required: int32",
        outputs="average: dtype",
        attrs=[_TYPES],
        shape=_with_number,
        gradient=NOT_DIFFERENTIABLE,
        doc="The mean or sum of gradients, once there are so many; begins a new step.",
        stateful=_is_new,
    )

define_op(
    "SparseConditionalAccumulator",
    outputs="handle: Ref(string)",
    attrs=list(_KIND),
    shape=_handle,
    gradient=NOT_DIFFERENTIABLE,
    doc="Sums up rows of gradients of the current step.",
    stateful=True,
)

define_op(
    "SparseAccumulatorApplyGradient",
    inputs=(
        "handle: Ref(string), local_step: int64, gradient_indices: int64, gradient_values: dtype, "
        "gradient_shape: int64"
    ),
    attrs=[_TYPES, "has_known_shape: bool"],
    shape=_with_number,
    gradient=NOT_DIFFERENTIABLE,
    doc="Adds rows of a gradient, unless its step is before that of the accumulator.",
)

define_op(
    "SparseAccumulatorTakeGradient",
    inputs="handle: Ref(string), num_required: int32",
    outputs="indices: int64, values: dtype, shape: int64",
    attrs=[_TYPES],
    shape=_with_number,
    gradient=NOT_DIFFERENTIABLE,
    doc="Rows with their means or sums, once there are so many gradients; begins a new step.",
)
