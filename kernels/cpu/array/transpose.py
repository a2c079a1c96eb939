"""The kernel that reverses sequences, by taking rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.array import transpose as generic


@override(generic.reverse_sequence, device="CPU")
def reverse_sequence(node: KernelNode, xp: Any) -> Callable[..., Any]:
    seq_dim: int = node.attr("seq_dim")
    batch_dim: int = node.attr("batch_dim")
    one_by_one = generic.reverse_sequence(node, xp)

    def run(value: Any, lengths: Any) -> Any:
        if not value.size:
            return one_by_one(value, lengths)
        generic.check_sequences(value, lengths, seq_dim, batch_dim)
        return _sequences_reversed(value, lengths, seq_dim)

    return run if seq_dim + batch_dim == 1 else one_by_one


def _sequences_reversed(value: np.ndarray, lengths: np.ndarray, seq_dim: int) -> np.ndarray:
    """The same where the two first axes are those of sequences and times: rows are taken."""
    count, batch = value.shape[seq_dim], value.shape[1 - seq_dim]
    times = np.arange(count)
    places = (lengths - 1)[:, None] - times
    np.copyto(places, times, where=places < 0, casting="same_kind")
    if seq_dim:
        rows = places + np.arange(0, batch * count, count)[:, None]
    else:
        rows = places.T * batch + np.arange(batch)
    flat = value.reshape(batch * count, *value.shape[2:])
    return flat.take(rows, 0)
