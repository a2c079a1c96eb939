"""Keys of features that come as tensors, and what is made of them once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text


def keys_of(value: Any) -> list[bytes]:
    """The strings of a tensor."""
    keys: list[bytes] = np.asarray(value, object).ravel().tolist()
    return keys


def scalar_key(value: Any) -> bytes:
    """The string that a tensor is.

    Raises:
      InvalidArgumentError: It is no scalar.
    """
    array = np.asarray(value, object)
    if array.ndim:
        raise invalid(f"Expected a key to be a scalar, got shape: {shape_text(array.shape)}")
    key: bytes = array.item()
    return key


class Remembered:
    """What a function makes of inputs, made anew only if they are not the same objects.

    Keys and default values are constants of nearly all graphs, and the same in every step.
    """

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._last: tuple[Sequence[Any], Any] | None = None

    def of(self, inputs: Sequence[Any]) -> Any:
        """The function's result for these inputs."""
        last = self._last
        if last is None or any(a is not b for a, b in zip(inputs, last[0], strict=True)):
            self._last = last = inputs, self._make(*inputs)
        return last[1]
