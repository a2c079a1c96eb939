"""Kernel of the scripts that characters belong to."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.ops.text.script_ranges import RANGES


@cache
def _table() -> tuple[Any, Any]:
    """Behind which code points ranges end, and the script of each; numbers outside have -1."""
    pairs = [text.split(":") for text in RANGES.split()]
    ends = np.cumsum([int(length, 16) for length, _ in pairs])
    scripts = [-1, *(int(script, 16) for _, script in pairs), -1]
    return np.concatenate([[0], ends]).astype(np.int32), np.array(scripts, np.int32)


@kernel("UnicodeScript", host_inputs=("input",), host_outputs=("output",))
def unicode_script(node: KernelNode, xp: Any) -> Callable[[Any], Any]:
    def run(points: Any) -> Any:
        ends, scripts = _table()
        return scripts[np.searchsorted(ends, points, side="right")]

    return run
