"""The kernel of records of many files in random order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.readers.record_input import RecordInput

_MOST: Final = 1 << 24
"""Records of one batch."""


@kernel("RecordInput", device="CPU", needs_step=True)
def record_input(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count, ratio = node.attr("batch_size"), node.attr("file_shuffle_shift_ratio")
    compression = node.attr("compression_type").decode(errors="backslashreplace")
    if compression not in ("", "ZLIB", "GZIP"):
        raise invalid(f"Unsupported compression_type: {compression}")
    if not 0 <= count <= _MOST:
        raise invalid(f"batch_size must be from 0 to {_MOST}, but is {count}")
    if not math.isfinite(ratio):
        raise invalid(f"file_shuffle_shift_ratio must be finite, but is {ratio}")
    # The kernel of a stateful node outlives plans, and so does what it reads.
    records = RecordInput(
        node.attr("file_pattern"),
        node.attr("file_random_seed"),
        ratio,
        node.attr("file_buffer_size"),
        compression,
    )

    def run(step: Any) -> Any:
        taken = records.take(count)
        made = np.empty(count, object)
        made[:] = taken
        return made

    return run
