"""Ops of locks that one execution at a time holds."""

from __future__ import annotations

from dataflow.schema.opdef import MISSING_GRADIENT, define_op
from dataflow.schema.shape_functions import no_outputs, scalar

define_op(
    "MutexV2",
    outputs="resource: resource",
    attrs=["container: string = ''", "shared_name: string = ''"],
    shape=scalar,
    gradient=MISSING_GRADIENT,
    doc="A lock.",
    stateful=True,
)
define_op(
    "MutexLock",
    inputs="mutex: resource",
    outputs="mutex_lock: variant",
    shape=scalar,
    gradient=MISSING_GRADIENT,
    doc="Waits for a lock, and holds it until the value is consumed or dropped.",
    stateful=True,
)
define_op(
    "ConsumeMutexLock",
    inputs="mutex_lock: variant",
    shape=no_outputs,
    gradient=MISSING_GRADIENT,
    doc="Gives a lock back.",
    stateful=True,
)
