"""Kernels of what forests need for their features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import Variable
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.optimizers.variable_updates import writable
from dataflow.kernels.tensor_forest.string_hash import string_hash


@kernel("ReinterpretStringToFloat", device="CPU")
def reinterpret(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(texts: Any) -> Any:
        flat = np.asarray(texts, object).reshape(-1).tolist()
        known = {text: string_hash(text) for text in set(flat)}
        numbers = np.array([known[text] for text in flat], np.uint64)
        return numbers.astype(np.float32).reshape(np.shape(texts))

    return run


@kernel("ScatterAddNdim", device="CPU")
def scatter_add(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(cell: Variable, indices: Any, deltas: Any) -> None:
        if np.ndim(indices) != 2:
            raise invalid(
                f"indices should be two-dimensional, got shape {shape_text(np.shape(indices))}"
            )

        def change(old: Any, owned: bool) -> Any:
            if not len(indices):
                return old
            _check(np.shape(old), indices, deltas)
            depth = indices.shape[1]
            target = writable(np, old, owned)
            np.add.at(target, tuple(indices[:, place] for place in range(depth)), deltas)
            return target

        cell.update(change)

    return run


def _check(shape: tuple[int, ...], indices: Any, deltas: Any) -> None:
    depth = indices.shape[1]
    if depth + np.ndim(deltas) != len(shape) + 1 or depth > len(shape):
        raise invalid(
            "Number of indices dimensions should be the same as input rank: got indices of shape "
            f"{shape_text(indices.shape)}, deltas of shape {shape_text(np.shape(deltas))} and an "
            f"input of shape {shape_text(shape)}"
        )
    if len(indices) != len(deltas) or np.shape(deltas)[1:] != shape[depth:]:
        raise invalid(
            f"Number of updates should be same as number of indices: got {len(indices)} indices "
            f"and deltas of shape {shape_text(np.shape(deltas))} for {shape_text(shape[depth:])}"
        )
    wrong = ((indices < 0) | (indices >= np.array(shape[:depth]))).any(axis=1)
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        raise invalid(
            f"indices[{place}] = {indices[place].tolist()} is not in an input of shape "
            f"{shape_text(shape)}"
        )
