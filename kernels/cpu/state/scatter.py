"""Kernels that update parts of a variable, of which numpy takes any number of one row."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import override
from dataflow.kernels.ops.state import scatter as generic
from dataflow.kernels.reductions.combined_rows import combine_rows
from dataflow.kernels.reductions.repeated_rows import turns_of

_MOST_ROUNDS: Final = 16
"""Up to so many times may an index come before an update goes element by element."""


def _scatter(xp: Any, combine: generic.Combine, rows: Any, indices: Any, updates: Any) -> None:
    if not len(indices):
        return
    if combine is None:
        # Of assignments to the same row numpy keeps the last.
        rows[indices] = updates
        return
    if combine_rows(combine, rows, indices, updates):
        return
    turns = turns_of(xp, indices)
    if isinstance(combine, np.ufunc) and int(turns.max()) >= _MOST_ROUNDS:
        combine.at(rows, indices, updates)
    else:
        generic.combine_in_rounds(combine, rows, indices, updates, turns)


for _prefix, _bind in generic.BINDS.items():
    override(_bind, device="CPU")(generic.bind_by(_prefix, _scatter))
