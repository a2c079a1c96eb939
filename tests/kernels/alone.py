"""numpy with the functions that kernels call, one by one: what programs of many give to the bit."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.quick import quick_functions


class _Library:
    def __getattr__(self, name: str) -> Any:
        return quick_functions(np.float32).get(name, getattr(np, name))


alone: Final[Any] = _Library()
