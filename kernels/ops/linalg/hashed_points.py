"""Kernel of the buckets of points between hyperplanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import InternalError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.hashes.hyperplanes import probes

_MOST_PLANES: Final = 30


@kernel("HyperplaneLSHProbes", device="CPU")
def hyperplane_lsh_probes(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(products: Any, tables: Any, planes: Any, count: Any) -> tuple[Any, Any]:
        if np.ndim(products) != 2:
            raise invalid(
                f"Need a two-dimensional products tensor, got {np.ndim(products)} dimensions."
            )
        tables = _number(tables, "num_tables", 1)
        planes = _number(planes, "num_hyperplanes_per_table", 1)
        if planes > _MOST_PLANES:
            raise invalid(
                f"Need num_hyperplanes_per_table <= {_MOST_PLANES}, got {planes}. If you need more "
                "hyperplanes, change this Op to work for larger integer types (int64)."
            )
        count = _number(count, "num_probes", 1)
        points, width = products.shape
        if width != tables * planes:
            raise invalid(
                f"Expected number of hyperplanes is {tables * planes} but received {width} inner "
                "products per point."
            )
        buckets, chosen = probes(products.reshape(points, tables, planes), count)
        if points and buckets.shape[1] < count:
            raise InternalError(
                None,
                None,
                f"Failed to get probe number {buckets.shape[1]} for point number 0.",
            )
        return buckets, chosen

    return run


def _number(value: Any, name: str, least: int) -> int:
    if np.ndim(value):
        raise invalid(f"Need a scalar {name} tensor, got {np.ndim(value)} dimensions.")
    if value < least:
        raise invalid(f"{name} must be at least {least} but got {value}.")
    return int(value)
