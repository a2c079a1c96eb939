"""Statistics that some parameters leave undefined."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.assertion import Assert
from dataflow.graph.tensor import Tensor
from dataflow.library.distributions.base import Distribution
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.grouping import with_dependencies


def nan_or_checked(owner: Distribution, value: Any, is_defined: Any, message: str) -> Tensor:
    """The value, NaN where it is not defined; if the distribution allows no NaN, the step fails."""
    if owner.allow_nan_stats:
        return where_v2(is_defined, value, np.array(np.nan, owner.dtype.as_numpy_dtype))
    check = Assert(reductions.reduce_all(is_defined), [message])
    result: Tensor = with_dependencies([check], value)
    return result
