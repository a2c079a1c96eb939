"""Inputs that say how a kernel works, axes and sizes: nearly always constants of the plan."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_fixed(value: Any) -> bool:
    """True if an input cannot change: whoever sees the same object again knows what is in it."""
    return type(value) is not np.ndarray or not value.flags.writeable
