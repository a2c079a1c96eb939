"""Kernel of places in a permutation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.random.index_shuffle import places


@kernel(
    "RandomIndexShuffle",
    host_inputs=("index", "seed", "max_index"),
    host_outputs=("output",),
    grows=True,
)
def random_index_shuffle(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The places of all indices, those of one greatest index together."""
    rounds = node.attr("rounds")
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(index: Any, seed: Any, max_index: Any) -> Any:
        if rounds < 4 or rounds % 2:
            raise invalid(f"rounds must be even and at least 4 but was {rounds}")
        index, seed, max_index = np.asarray(index), np.asarray(seed), np.asarray(max_index)
        count = max(index.size, max_index.size, seed.size // 3)
        _check_shapes(index, seed, max_index, count)
        wanted, ends = np.broadcast_to(index, (count,)), np.broadcast_to(max_index, (count,))
        _check_range(wanted, ends)
        keys = seed.astype(np.uint64)  # The cipher takes 32 bits of each at most.
        found = np.empty(count, np.uint64)
        wanted = wanted.astype(np.uint64)
        for end in np.unique(ends).tolist():
            rows = np.flatnonzero(ends == end)
            some = keys if keys.ndim == 1 else keys[rows]
            found[rows] = places(wanted[rows], some, end, rounds)
        is_scalar = not index.ndim and seed.ndim == 1 and not max_index.ndim
        return found.astype(dtype).reshape(() if is_scalar else (count,))

    return run


def _check_shapes(index: Any, seed: Any, max_index: Any, count: int) -> None:
    if index.shape not in ((), (count,)):
        raise invalid("Index bust be a scalar or vector.")
    if seed.shape not in ((3,), (count, 3)):
        raise invalid(
            f"Seed must be a vector of size [3] or a matrix of size [{count}, 3] but got "
            f"{shape_text(seed.shape)}."
        )
    if max_index.shape not in ((), (count,)):
        raise invalid(
            "Maxval must be a scalar or a vector of the same size as index but got "
            f"{shape_text(max_index.shape)}"
        )


def _check_range(index: Any, ends: Any) -> None:
    """Refuses the first index that is out of range."""
    faults = np.flatnonzero((index < 0) | (ends < 0) | (index > ends))
    if not faults.size:
        return
    wanted, end = index[faults[0]], ends[faults[0]]
    if wanted < 0:
        raise invalid(f"index must be >= 0 but was {wanted}")
    if end < 0:
        raise invalid(f"max_index must be >= 0 but was {end}")
    raise invalid(f"max_index must be >= index, but {end} < {wanted}")
