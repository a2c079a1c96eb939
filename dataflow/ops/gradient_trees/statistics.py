"""Ops that add gradients and hessians up, by node, bucket and dimension of a feature."""

from __future__ import annotations

from functools import partial

from dataflow.ops.boosted_trees.shapes import VECTOR, expect_scalars
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import (
    SCALAR,
    unknown,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from dataflow.values.shapes import TensorShape

_HANDLE = "stats_accumulator_handle: resource"
_ROWS = "partition_ids: int32, feature_ids: int64, gradients: float, hessians: float"
_OUTPUTS = (
    "output_partition_ids: int32, output_feature_ids: int64, output_gradients: float, "
    "output_hessians: float"
)
_NOTHING = TensorShape(None)


def _created(c: InferenceContext) -> list[TensorShape]:
    expect_scalars(c, range(2))
    for place in range(2, c.num_inputs):
        with_rank(c.input(place), 1)
    return []


def _check_rows(c: InferenceContext, first: int, count: int, are_numbers: bool) -> None:
    for rank, part in ((1, 0), (2, 1)):
        for place in range(count):
            with_rank(c.input(first + part * count + place), rank)
    for place in range(first + 2 * count, first + 4 * count):
        if are_numbers:
            with_rank(c.input(place), 1)
        else:
            with_rank_at_most(with_rank_at_least(c.input(place), 2), 3)


def _added(c: InferenceContext, are_numbers: bool) -> list[TensorShape]:
    count = c.attr("num_resource_handles")
    expect_scalars(c, range(count + 1))
    _check_rows(c, count + 1, count, are_numbers)
    return []


def _deserialized(c: InferenceContext, are_numbers: bool) -> list[TensorShape]:
    expect_scalars(c, range(3))
    _check_rows(c, 3, 1, are_numbers)
    return []


def _told(c: InferenceContext, are_numbers: bool) -> list[TensorShape]:
    expect_scalars(c, range(c.num_inputs))
    sums = VECTOR if are_numbers else _NOTHING
    return [SCALAR] * (c.num_outputs - 4) + [VECTOR, _NOTHING, sums, sums]


for _kind, _shapes, _what in (
    ("Scalar", "", "numbers"),
    ("Tensor", ", per_slot_gradient_shape: int64, per_slot_hessian_shape: int64", "vectors"),
):
    _are_numbers = _kind == "Scalar"
    define_op(
        f"CreateStatsAccumulator{_kind}",
        inputs=f"{_HANDLE}, stamp_token: int64{_shapes}",
        shape=_created,
        gradient=MISSING_GRADIENT,
        doc=f"Creates sums of gradients that are {_what}, unless there are some.",
        stateful=True,
    )
    define_op(
        f"StatsAccumulator{_kind}Add",
        inputs=(
            "stats_accumulator_handles: num_resource_handles * resource, stamp_token: int64, "
            "partition_ids: num_resource_handles * int32, "
            "feature_ids: num_resource_handles * int64, "
            "gradients: num_resource_handles * float, hessians: num_resource_handles * float"
        ),
        attrs=["num_resource_handles: int >= 1"],
        shape=partial(_added, are_numbers=_are_numbers),
        gradient=MISSING_GRADIENT,
        doc="Adds rows to the sums of each accumulator that has this stamp.",
        stateful=True,
    )
    define_op(
        f"StatsAccumulator{_kind}Flush",
        inputs=f"{_HANDLE}, stamp_token: int64, next_stamp_token: int64",
        outputs=f"num_updates: int64, {_OUTPUTS}",
        shape=partial(_told, are_numbers=_are_numbers),
        gradient=MISSING_GRADIENT,
        doc="Takes the sums out of an accumulator, which is empty then and has another stamp.",
        stateful=True,
    )
    define_op(
        f"StatsAccumulator{_kind}Serialize",
        inputs=_HANDLE,
        outputs=f"stamp_token: int64, num_updates: int64, {_OUTPUTS}",
        shape=partial(_told, are_numbers=_are_numbers),
        gradient=MISSING_GRADIENT,
        doc="The sums of an accumulator, its stamp, and how often something was added.",
        stateful=True,
    )
    define_op(
        f"StatsAccumulator{_kind}Deserialize",
        inputs=f"{_HANDLE}, stamp_token: int64, num_updates: int64, {_ROWS}",
        shape=partial(_deserialized, are_numbers=_are_numbers),
        gradient=MISSING_GRADIENT,
        doc="Replaces the sums of an accumulator.",
        stateful=True,
    )
    define_op(
        f"StatsAccumulator{_kind}MakeSummary",
        inputs=_ROWS,
        outputs=_OUTPUTS,
        shape=unknown,
        gradient=MISSING_GRADIENT,
        doc="Sums of rows that have the same node, bucket and dimension, in order.",
    )
