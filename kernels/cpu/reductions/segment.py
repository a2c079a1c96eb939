"""The kernel of reductions over unsorted segments: as machine code, else by sorting the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.reductions import segment as generic
from dataflow.kernels.reductions.combined_rows import combine_rows
from dataflow.kernels.reductions.groups import reduce_groups


@override(generic.unsorted_segments, device="CPU")
def unsorted_segments(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.unsorted_segments(node, xp, _reduce_into)


def _reduce_into(ufunc: Any, out: Any, ids: Any, rows: Any) -> None:
    if ids.size and combine_rows(ufunc, out, ids, rows, are_known=True):
        return
    if rows.size <= generic.FEW:
        generic.one_by_one(ufunc, out, ids, rows)
        return
    order = np.argsort(ids, kind="stable")
    ordered = ids[order]
    starts = generic.run_starts(ordered)
    places = ordered[starts]
    out[places] = ufunc(out[places], reduce_groups(ufunc, rows[order], starts))
