"""float32 rounded to bfloat16.

Where the processor has an instruction for it, numbers below 2**-126 become 0, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.kernels.narrow.instructions import convert


def narrow(wide: np.ndarray, bfloats: Any) -> None:
    """Rounds a contiguous float32 array to a bfloat16 array of its shape."""
    if not convert(wide, bfloats):
        np.copyto(bfloats, wide, casting="unsafe")
