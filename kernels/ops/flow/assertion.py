"""Kernel of Assert."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.tensor_text import printable, summarize


@kernel("Assert", host_inputs=("condition", "data"))
def assert_(node: KernelNode, xp: Any) -> Callable[..., Any]:
    limit = node.attr("summarize")

    def run(condition: Any, *data: Any) -> None:
        if np.ndim(condition):
            raise invalid(f"In[0] should be a scalar: {shape_text(condition.shape)}")
        if not condition:
            shown = " ".join(f"[{summarize(np.asarray(array), limit)}]" for array in data)
            raise invalid(f"assertion failed: {printable(shown)}")

    return run
