"""The kernel of distances between sequences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.reductions.sorted_distinct import sorted_codes
from dataflow.kernels.sequences.distances import distances
from dataflow.kernels.sparse.coordinates import flat

_NAMES = ("hypothesis", "truth")
_PARTS = ("indices", "values", "shape")


@kernel(
    "EditDistance",
    host_inputs=tuple(f"{name}_{part}" for name in _NAMES for part in _PARTS),
    host_outputs=("output",),
)
def edit_distance(node: KernelNode, xp: Any) -> Callable[..., Any]:
    normalizes = bool(node.attr("normalize"))

    def run(*parts: Any) -> Any:
        hypothesis, truth = parts[:3], parts[3:]
        for name, each in zip(_NAMES, (hypothesis, truth), strict=True):
            _check(name, *each)
        if hypothesis[2].size != truth[2].size:
            raise invalid(
                "Expected hypothesis_shape.NumElements == truth_shape.NumElements, their shapes "
                f"are: {shape_text(hypothesis[2].shape)} and {shape_text(truth[2].shape)}"
            )
        groups = tuple(np.maximum(hypothesis[2], truth[2])[:-1].tolist())
        for size in groups:
            if size < 0:
                raise invalid(f"Dimension {size} must be >= 0")
        count = math.prod(groups)
        if not count:
            raise invalid(f"Got output shape {shape_text(groups)} which has 0 elements")
        _, codes = sorted_codes(np.concatenate([hypothesis[1], truth[1]]))
        size = hypothesis[1].size
        said = _sequences("hypothesis", hypothesis[0], codes[:size], groups, count)
        true = _sequences("truth", truth[0], codes[size:], groups, count)
        found = distances(said, true).astype(np.float32)
        if normalizes:
            lengths = np.array([len(each) for each in true], np.float32)
            with np.errstate(divide="ignore", invalid="ignore"):
                found = np.where(found == 0, np.float32(0), found / lengths)
        return found.reshape(groups)

    return run


def _check(name: str, indices: Any, values: Any, shape: Any) -> None:
    for part, array, rank in (("indices", indices, 2), ("values", values, 1), ("shape", shape, 1)):
        if array.ndim != rank:
            what = "matrix" if rank == 2 else "vector"
            raise invalid(
                f"{name}_{part} should be a {what}, but got shape: {shape_text(array.shape)}"
            )
    if len(indices) != values.size:
        raise invalid(
            f"Expected {name}_values.NumElements == #rows({name}_indices), their shapes are: "
            f"{shape_text(values.shape)} and {shape_text(indices.shape)}"
        )
    if indices.shape[1] != shape.size:
        raise invalid(
            f"Expected {name}_shape.NumElements == #cols({name}_indices), their shapes are: "
            f"[{shape.size}] and {shape_text(indices.shape)}"
        )
    if shape.size < 2:
        raise invalid(
            f"Input SparseTensors must have rank at least 2, but {name}_shape rank is: {shape.size}"
        )


def _sequences(
    name: str, indices: Any, codes: Any, groups: tuple[int, ...], count: int
) -> list[Any]:
    """The elements of each sequence, as numbers that are equal where they are."""
    outer = indices[:, :-1]
    wrong = np.flatnonzero(((outer < 0) | (outer >= groups)).any(axis=1))
    if wrong.size:
        raise invalid(
            f"{name}_indices[{wrong[0]}] = {shape_text(indices[wrong[0]])} is outside of the "
            f"sequences, whose shape is {shape_text(groups)}"
        )
    owners = flat(outer, groups)
    order = np.argsort(owners, kind="stable")
    ends = np.bincount(owners, minlength=count).cumsum().tolist()
    ordered = codes[order]
    return [ordered[start:end] for start, end in zip([0, *ends], ends, strict=False)]
