"""What kernels give of known values, for shape functions; the back end says how to run one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.schema.opdef import OpDef
from dataflow.values import dtypes

Evaluate = Callable[[OpDef, Mapping[str, Any], Sequence[np.ndarray]], Sequence[Any]]
"""Outputs of an op with these attrs for values of its inputs; raises what it cannot run alone."""

_HANDLES: Final = frozenset({dtypes.resource, dtypes.variant})

_evaluators: Final[list[Evaluate]] = []


def use(evaluate: Evaluate) -> None:
    """Registers what runs a kernel alone; it raises whatever the kernel raises."""
    _evaluators[:] = [evaluate]


def outputs_of(
    op: Operation, value: Callable[[Tensor], np.ndarray | None]
) -> Sequence[np.ndarray] | None:
    """What an operation gives, if its inputs are known and no state, step or place has a say.

    Args:
      op: The operation.
      value: Finds what is known of a tensor.
    """
    inputs = op.inputs
    types = (*(tensor.dtype for tensor in inputs), *(tensor.dtype for tensor in op.outputs))
    if (
        not inputs
        or not _evaluators
        or op.op_def.is_stateful
        or any(dtype in _HANDLES or dtype._is_ref_dtype for dtype in types)
    ):
        return None
    values = []
    for tensor in inputs:
        known = value(tensor)
        if known is None:
            return None
        values.append(known)
    try:
        return [np.asarray(each) for each in _evaluators[0](op.op_def, op.attrs, values)]
    except Exception:
        # Or a step will say what is wrong.
        return None
