"""Kernel of Fingerprint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.hashes.formulas import FARMHASH
from dataflow.kernels.hashes.texts import hashed
from dataflow.values import dtypes


@kernel("Fingerprint", device="CPU")
def fingerprint(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.input_dtypes[0]
    if dtype in (dtypes.resource, dtypes.variant):
        raise invalid("DataType not supported")

    def run(data: Any, method: Any) -> Any:
        if np.ndim(method):
            raise invalid(f"`method` should be a scalar string: {shape_text(method.shape)}")
        name = bytes(np.asarray(method, object)[()])
        if name != b"farmhash64":
            raise invalid(f"Unsupported fingerprint method: {name.decode(errors='replace')}")
        if not np.ndim(data):
            raise invalid("`data` should have at least one dimension: []")
        rows = data.shape[0]
        if not data.size:
            return _of_bytes(np.empty((rows, 0), np.uint8))
        if dtype is not dtypes.string:
            return _of_bytes(np.ascontiguousarray(data).view(np.uint8).reshape(rows, -1))
        each = hashed(data.reshape(-1).tolist(), FARMHASH)
        if data.ndim == 1:
            return each.astype("<u8").view(np.uint8).reshape(rows, 8)
        return _of_bytes(each.astype("<u8").reshape(rows, -1).view(np.uint8))

    return run


def _of_bytes(rows: Any) -> Any:
    with np.errstate(over="ignore"):
        words = hashed([row.tobytes() for row in rows], FARMHASH)
    return words.astype("<u8").view(np.uint8).reshape(len(words), 8)
