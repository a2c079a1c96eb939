"""Ops on staging areas: values that one step leaves for another, mostly on its device."""

from __future__ import annotations

from typing import Final

from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.schema.shape_functions import no_outputs, scalar, unknown

_LIMITS: Final = ("capacity: int >= 0 = 0", "memory_limit: int >= 0 = 0")
_NAMES: Final = ("container: string = ''", "shared_name: string = ''")
_SOME: Final = "dtypes: list(type) >= 1"

define_op(
    "Stage",
    inputs="values: dtypes",
    attrs=[*_LIMITS, _SOME, *_NAMES],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="Leaves values; waits while there is no room for them.",
    stateful=True,
)

define_op(
    "Unstage",
    outputs="values: dtypes",
    attrs=[*_LIMITS, _SOME, *_NAMES],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="Takes the values that were left first; waits while there are none.",
    stateful=True,
)

define_op(
    "StagePeek",
    inputs="index: int32",
    outputs="values: dtypes",
    attrs=[*_LIMITS, _SOME, *_NAMES],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="The values at a place, which stay there; waits while there are none.",
    stateful=True,
)

define_op(
    "StageSize",
    outputs="size: int32",
    attrs=[*_LIMITS, "dtypes: list(type)", *_NAMES],
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="How many values wait.",
    stateful=True,
)

define_op(
    "StageClear",
    attrs=[*_LIMITS, "dtypes: list(type)", *_NAMES],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Drops all values.",
    stateful=True,
)
