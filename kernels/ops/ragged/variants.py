"""Kernels of rows of different lengths in variants, each of which holds row splits and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.handles import in_array
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.lists.optional import RAGGED, Optional
from dataflow.values.dtypes import DType

_Parts = tuple[list[Any], Any]
"""Row splits, the outer ones first, and values."""


@kernel(
    "RaggedTensorToVariant",
    host_inputs=("rt_nested_splits", "rt_dense_values"),
    host_outputs=("encoded_ragged",),
)
def to_variant(node: KernelNode, xp: Any) -> Callable[..., Any]:
    is_batch: bool = node.attr("batched_input")
    splits_type, values_type = node.attr("Tsplits"), node.attr("Tvalues")

    def held(splits: Sequence[Any], values: Any) -> Optional:
        kinds = (*(splits_type for _ in splits), values_type)
        return Optional((*splits, values), kinds, RAGGED)

    def run(*inputs: Any) -> Any:
        *splits, values = (np.asarray(part) for part in inputs)
        if not is_batch:
            return held(splits, values)
        if not values.ndim:
            raise invalid("A batch of ragged tensors needs values with a first dimension")
        if not splits:
            made = np.empty(len(values), object)
            for place, value in enumerate(values):
                made[place] = held([], np.asarray(value, values.dtype))
            return made
        _check_nested(splits, len(values))
        made = np.empty(splits[0].size - 1, object)
        for place in range(made.size):
            begin, end = splits[0][place], splits[0][place + 1]
            inner = []
            for part in splits[1:]:
                inner.append(part[begin : end + 1] - part[begin])
                begin, end = part[begin], part[end]
            made[place] = held(inner, values[begin:end])
        return made

    return run


def _check_nested(splits: Sequence[Any], count: int) -> None:
    for place, part in enumerate(splits):
        if part.ndim != 1 or not part.size:
            raise invalid(f"Row splits must be vectors, but are {shape_text(part.shape)}")
        inner = splits[place + 1].size - 1 if place + 1 < len(splits) else count
        if part[0] or (part[1:] < part[:-1]).any() or part[-1] > inner:
            raise invalid("Row splits must begin with 0, not go back, and end within the values")


@kernel(
    "RaggedTensorFromVariant",
    host_inputs=("encoded_ragged",),
    host_outputs=("output_nested_splits", "output_dense_values"),
)
def from_variant(node: KernelNode, xp: Any) -> Callable[..., Any]:
    asked: int = node.attr("input_ragged_rank")
    wanted: int = node.attr("output_ragged_rank")
    splits_type, values_type = node.attr("Tsplits"), node.attr("Tvalues")
    kind = splits_type.as_numpy_dtype

    def run(encoded: Any) -> Any:
        variants = in_array(encoded)
        inner = wanted - variants.ndim if asked == -1 else asked
        if inner < 0:
            raise invalid(
                "input_ragged_rank cannot be negative when it is inferred: output_ragged_rank: "
                f"{wanted}, encoded_ragged.rank: {variants.ndim}"
            )
        if inner + variants.ndim != wanted:
            raise invalid(
                "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.rank; "
                f"output_ragged_rank: {wanted}, input_ragged_rank: {inner}, encoded_ragged.rank: "
                f"{variants.ndim}"
            )
        parts = [
            _held(variant, inner, splits_type, values_type) for variant in variants.ravel().tolist()
        ]
        outer = [_regular(variants.shape, axis, kind) for axis in range(variants.ndim)]
        nested, values = parts[0] if not variants.ndim else _joined(parts, inner, values_type, kind)
        if variants.ndim:
            # The innermost of the outer dimensions has the variants' own lengths.
            outer = [*outer[1:], nested[0]]
            nested = nested[1:]
        results = (*outer, *nested, values)
        return results if len(results) > 1 else results[0]

    return run


def _regular(shape: tuple[int, ...], axis: int, kind: Any) -> Any:
    """Row splits of a dimension of an array below the ones before it."""
    count = int(np.prod(shape[:axis]))
    return (np.arange(count + 1) * shape[axis]).astype(kind)


def _held(variant: Any, rank: int, splits_type: DType, values_type: DType) -> _Parts:
    """The row splits and values that a variant holds."""
    held = variant.components if isinstance(variant, Optional) else None
    if held is None or not held:
        raise invalid("Input Variant element is not a RaggedTensorVariant.")
    *splits, values = held
    if len(splits) != rank:
        raise invalid(
            f"Encoded input RaggedTensorVariant has ragged_rank={len(splits)}.  Expected "
            f"ragged_rank={rank}."
        )
    if any(np.ndim(part) != 1 or not np.size(part) for part in splits):
        raise invalid("A variant holds row splits that are no vectors")
    *kinds, kind = variant.dtypes
    if kind != values_type:
        raise invalid(
            f"Expected values Tensor dtype: {type_name(values_type)}, found: {type_name(kind)}"
        )
    for other in kinds:
        if other != splits_type:
            raise invalid(
                f"Expected row_splits Tensor dtype: {type_name(splits_type)}, found: "
                f"{type_name(other)}"
            )
    return list(splits), np.asarray(values)


def _joined(parts: Sequence[_Parts], rank: int, values_type: DType, kind: Any) -> _Parts:
    """One batch of what several variants hold, with the row splits of the batch in front."""
    nested: list[Any] = []
    sizes = [part[0][0].size - 1 if rank else _first_size(part[1]) for part in parts]
    nested.append(np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(kind))
    for place in range(rank):
        pieces = [part[0][place] for part in parts]
        lengths = [np.diff(piece) for piece in pieces]
        together = np.concatenate([np.zeros(0, np.int64), *lengths])
        nested.append(np.concatenate([[0], np.cumsum(together)]).astype(kind))
    values = [part[1] for part in parts]
    if not values:
        return nested, np.empty(0, values_type.as_numpy_dtype)
    first = values[0]
    for place, value in enumerate(values):
        if value.shape[1:] != first.shape[1:]:
            raise invalid(
                "All flat_values must have compatible shapes.  Shape at index 0: "
                f"{shape_text(first.shape)}.  Shape at index {place}: {shape_text(value.shape)}."
            )
    return nested, np.concatenate(values)


def _first_size(values: Any) -> int:
    if not values.ndim:
        raise invalid("A variant holds a scalar where rows are expected")
    return len(values)


@kernel(
    "RaggedTensorToVariantGradient",
    host_inputs=("encoded_ragged_grad", "row_splits", "dense_values_shape"),
    host_outputs=("dense_values_grad",),
)
def to_variant_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    values_type = node.attr("Tvalues")
    kind = values_type.as_numpy_dtype

    def run(encoded: Any, splits: Any, shape: Any) -> Any:
        if np.ndim(shape) != 1 or (np.asarray(shape) < 0).any():
            raise invalid("dense_values_shape must be a vector of sizes")
        whole = tuple(int(size) for size in shape)
        variants = encoded.ravel().tolist() if isinstance(encoded, np.ndarray) else [encoded]
        pieces: list[Any] = []
        for place, variant in enumerate(variants):
            held = variant.components if isinstance(variant, Optional) else None
            if held is None:
                if not whole or (np.ndim(splits) and place + 1 >= np.size(splits)):
                    raise invalid("There are more variants than rows that they stand for")
                size = int(splits[place + 1] - splits[place]) if np.ndim(splits) else whole[0]
                pieces.append(np.zeros((size, *whole[1:]), kind))
                continue
            if variant.dtypes[-1] != values_type:
                raise invalid(
                    f"Expected values Tensor dtype: {type_name(values_type)}, found: "
                    f"{type_name(variant.dtypes[-1])}"
                )
            pieces.append(np.asarray(held[-1]))
        is_batch = isinstance(encoded, np.ndarray) and encoded.ndim
        if not is_batch:
            made = pieces[0]
        else:
            made = np.concatenate([np.zeros(0, kind), *map(np.ravel, pieces)])
        if made.size != int(np.prod(whole)):
            raise invalid(
                f"The gradient has shape {shape_text(made.shape)}, expected {shape_text(whole)}"
            )
        return made.reshape(whole)

    return run
