"""Kernels that update parts of a variable on a GPU: in one call, however often a row comes."""

from __future__ import annotations

from typing import Any

from dataflow.kernels.contract.registry import override
from dataflow.kernels.gpu.library import Scattering
from dataflow.kernels.ops.state import scatter as generic


def _scatter(xp: Any, combine: generic.Combine, rows: Any, indices: Any, updates: Any) -> None:
    if isinstance(combine, Scattering):
        combine.at(rows, indices, updates)
    else:
        generic.scatter_in_rounds(xp, combine, rows, indices, updates)


for _prefix, _bind in generic.BINDS.items():
    override(_bind, device="GPU")(generic.bind_by(_prefix, _scatter))
