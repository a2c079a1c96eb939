"""Statistics that some parameters leave undefined."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_less
from dataflow.library.distributions.base import Distribution
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.grouping import with_dependencies


def nan_or_checked(
    owner: Distribution, value: Any, is_defined: Any, *above: tuple[float, Any, str]
) -> Tensor:
    """The value, NaN where it is not defined; if the distribution allows no NaN, the step fails.

    Args:
      owner: The distribution.
      value: The value.
      is_defined: Where it is.
      *above: What each parameter must be greater than, the parameter, and what the error says.
    """
    if owner.allow_nan_stats:
        return where_v2(is_defined, value, np.array(np.nan, owner.dtype.as_numpy_dtype))
    checks = [
        assert_less(convert_to_tensor(limit, dtype=owner.dtype), parameter, message=message)
        for limit, parameter, message in above
    ]
    result: Tensor = with_dependencies(checks, value)
    return result
