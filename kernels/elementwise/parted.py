"""Kernels that take large arrays in another way than small ones, and parts of large ones so, too.

Who hands a kernel a large array part by part asks for what computes a part: the last one may be
small, and shall have the bits that it has in the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def parted(function: Callable[..., Any], of_part: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a kernel.

    Args:
      function: Takes whole arrays.
      of_part: Takes any part of an array as `function` takes an array that is large.
    """
    function.of_part = of_part  # type: ignore[attr-defined]
    return function


def of_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """What computes a part of a large array as the function of a kernel computes the whole."""
    found: Callable[..., Any] = getattr(function, "of_part", function)
    return found
