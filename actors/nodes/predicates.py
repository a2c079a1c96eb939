"""What a predicate's value means: which branch it takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.shape_text import shape_text


def truth(value: Any) -> bool:
    """The truth of a scalar.

    Raises:
      InvalidArgumentError: The value is no scalar.
    """
    _check_scalar(value)
    return bool(value)


def branch_number(value: Any, ways: int) -> int:
    """The branch an index names; the last one if it names none.

    Raises:
      InvalidArgumentError: The value is no scalar.
    """
    _check_scalar(value)
    number = int(value)
    return number if 0 <= number < ways else ways - 1


def _check_scalar(value: Any) -> None:
    shape = np.shape(value)
    if shape:
        raise InvalidArgumentError(
            None,
            None,
            f"The second input must be a scalar, but it has shape {shape_text(shape)}",
        )
