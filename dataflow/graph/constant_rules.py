"""What operations give of known values, for the integer graphs that shapes are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor


class Search(Protocol):
    """Looks for values behind tensors; each is computed once."""

    def value(self, tensor: Tensor) -> np.ndarray | None:
        """The value, if it is known."""

    def sizes(self, tensor: Tensor) -> tuple[int | None, ...] | None:
        """A vector's entries read as a shape, of which some may be known."""


Rule = Callable[[Operation, Search], "np.ndarray | None"]


def known_inputs(op: Operation, search: Search, start: int = 0) -> list[np.ndarray] | None:
    """Values of the inputs from one on, if all are known."""
    values = []
    for tensor in op.inputs[start:]:
        value = search.value(tensor)
        if value is None:
            return None
        values.append(value)
    return values


def _apply(function: Callable[..., Any]) -> Rule:
    """A rule that needs every input."""

    def value(op: Operation, search: Search) -> np.ndarray | None:
        values = known_inputs(op, search)
        if values is None:
            return None
        with np.errstate(all="ignore"):
            return np.asarray(function(op, *values))

    return value


def _numbers_only(function: Callable[..., Any]) -> Rule:
    """A rule for arithmetic that numpy rounds as any kernel must."""
    apply = _apply(lambda op, *values: function(*values))

    def value(op: Operation, search: Search) -> np.ndarray | None:
        dtype = op.attrs["T"]
        return apply(op, search) if dtype.is_integer or dtype.is_floating else None

    return value


def _plain(function: Callable[..., Any]) -> Rule:
    """A rule that needs every input and no attr."""
    return _apply(lambda op, *values: function(*values))


def _shape(op: Operation, search: Search) -> np.ndarray | None:
    shape = op.inputs[0].shape
    return np.array(shape.as_list()) if shape.is_fully_defined() else None


def _size(op: Operation, search: Search) -> np.ndarray | None:
    count = op.inputs[0].shape.num_elements()
    return None if count is None else np.array(count)


def _rank(op: Operation, search: Search) -> np.ndarray | None:
    rank = op.inputs[0].shape.rank
    return None if rank is None else np.array(rank)


def _strided_slice(op: Operation, search: Search) -> np.ndarray | None:
    bounds = known_inputs(op, search, start=1)
    if bounds is None:
        return None
    source = search.value(op.inputs[0])
    if source is None:
        # Of a shape that is partly known, one size may be known; several are read as a shape.
        dims = search.sizes(op.inputs[0])
        if dims is None:
            return None
        source = np.array(dims, object)
    taken = np.asarray(source[strided_slice_index(op.attrs, *bounds)])
    is_unknown = taken.dtype == object and (taken.ndim or taken.item() is None)
    return None if is_unknown else taken


def strided_slice_index(
    attrs: Any, begin: np.ndarray, end: np.ndarray, strides: np.ndarray
) -> tuple[Any, ...]:
    """The numpy index that a StridedSlice's masks and bounds mean."""
    index: list[Any] = []
    for i in range(len(begin)):
        bit = 1 << i
        if attrs["ellipsis_mask"] & bit:
            index.append(Ellipsis)
        elif attrs["new_axis_mask"] & bit:
            index.append(None)
        elif attrs["shrink_axis_mask"] & bit:
            index.append(int(begin[i]))
        else:
            low = None if attrs["begin_mask"] & bit else int(begin[i])
            high = None if attrs["end_mask"] & bit else int(end[i])
            index.append(slice(low, high, int(strides[i])))
    return tuple(index)


def _slice(op: Operation, source: np.ndarray, begin: np.ndarray, size: np.ndarray) -> Any:
    index = tuple(
        slice(int(b), None if s == -1 else int(b) + int(s))
        for b, s in zip(begin, size, strict=True)
    )
    return source[index]


def _reduce(function: Callable[..., Any]) -> Rule:
    return _apply(
        lambda op, x, axes: function(x, axis=tuple(np.ravel(axes)), keepdims=op.attrs["keep_dims"])
    )


def _extreme(function: Callable[..., Any], of_nothing: str) -> Rule:
    """An extreme; that of no integers is the other end of their type, as kernels have it."""

    def value(op: Operation, x: np.ndarray, axes: np.ndarray) -> Any:
        options = {} if x.size else {"initial": getattr(np.iinfo(x.dtype), of_nothing)}
        keep = op.attrs["keep_dims"]
        return function(x, axis=tuple(np.ravel(axes)), keepdims=keep, **options)

    return _apply(value)


def _concat(op: Operation, search: Search) -> np.ndarray | None:
    values = known_inputs(op, search)
    if values is None:
        return None
    return np.concatenate(values[:-1], axis=int(values[-1]))


def _squeeze(op: Operation, x: np.ndarray) -> Any:
    dims = op.attrs["squeeze_dims"]
    return np.squeeze(x, axis=tuple(dims) if dims else None)


def _gather(op: Operation, params: np.ndarray, indices: np.ndarray, *axis: np.ndarray) -> Any:
    if op.attrs.get("batch_dims", 0):
        raise ValueError("batch dimensions are left to the kernel")
    return np.take(params, indices, axis=int(axis[0]) if axis else 0)


def _pad(op: Operation, x: np.ndarray, paddings: np.ndarray, *value: np.ndarray) -> Any:
    return np.pad(x, paddings.tolist(), constant_values=value[0] if value else 0)


def _select(condition: np.ndarray, x: np.ndarray, y: np.ndarray) -> Any:
    if condition.ndim and condition.shape != x.shape:
        raise ValueError("the choice between rows is left to the kernel")
    return np.where(condition, x, y)


def _unpack(op: Operation, search: Search) -> np.ndarray | None:
    value = search.value(op.inputs[0])
    if value is not None:
        return np.moveaxis(value, op.attrs["axis"], 0)
    # Of a shape that is partly known, some sizes are known.
    dims = search.sizes(op.inputs[0])
    return None if dims is None else np.array(dims, object)


def _cumsum(op: Operation, x: np.ndarray, axis: np.ndarray) -> Any:
    if op.attrs["exclusive"] or op.attrs["reverse"]:
        raise ValueError("other directions are left to the kernel")
    return np.cumsum(x, axis=int(axis))


def _list_diff(op: Operation, x: np.ndarray, y: np.ndarray) -> Any:
    kept = np.flatnonzero(~np.isin(x, y))
    return np.stack([x[kept], kept])


STACKED_OUTPUTS = ("Unpack", "ListDiff")
"""Ops whose rule gives all outputs, one after the other along the first dimension."""

RULES: dict[str, Rule] = {
    "Shape": _shape,
    "Size": _size,
    "Rank": _rank,
    "Identity": _apply(lambda op, x: x),
    "StopGradient": _apply(lambda op, x: x),
    "Cast": _apply(lambda op, x: x.astype(op.attrs["DstT"].as_numpy_dtype)),
    "Range": _apply(lambda op, start, limit, delta: np.arange(start, limit, delta)),
    "Pack": _apply(lambda op, *values: np.stack(values, axis=op.attrs["axis"])),
    "Unpack": _unpack,
    "BroadcastTo": _apply(lambda op, x, shape: np.broadcast_to(x, tuple(shape))),
    "ConcatV2": _concat,
    "ListDiff": _apply(_list_diff),
    "Fill": _apply(lambda op, dims, value: np.full(tuple(dims), value)),
    "Reshape": _apply(lambda op, x, shape: x.reshape(tuple(shape))),
    "ExpandDims": _apply(lambda op, x, axis: np.expand_dims(x, int(axis))),
    "Squeeze": _apply(_squeeze),
    "StridedSlice": _strided_slice,
    "Slice": _apply(_slice),
    "Gather": _apply(_gather),
    "GatherV2": _apply(_gather),
    "Transpose": _apply(lambda op, x, permutation: np.transpose(x, tuple(permutation))),
    "Tile": _apply(lambda op, x, multiples: np.tile(x, tuple(multiples))),
    "InvertPermutation": _apply(lambda op, x: np.argsort(x)),
    "ReverseV2": _apply(lambda op, x, axes: np.flip(x, tuple(axes))),
    "Pad": _apply(_pad),
    "PadV2": _apply(_pad),
    "Select": _plain(_select),
    "SelectV2": _plain(np.where),
    "BroadcastArgs": _plain(lambda *shapes: np.array(np.broadcast_shapes(*map(tuple, shapes)))),
    "ZerosLike": _plain(np.zeros_like),
    "OnesLike": _plain(np.ones_like),
    "AddN": _plain(lambda *values: np.sum(values, axis=0)),
    "Cumsum": _apply(_cumsum),
    "Equal": _plain(np.equal),
    "NotEqual": _plain(np.not_equal),
    "Less": _plain(np.less),
    "LessEqual": _plain(np.less_equal),
    "Greater": _plain(np.greater),
    "GreaterEqual": _plain(np.greater_equal),
    "LogicalAnd": _plain(np.logical_and),
    "LogicalOr": _plain(np.logical_or),
    "LogicalNot": _plain(np.logical_not),
    "RealDiv": _numbers_only(np.divide),
    "Sqrt": _numbers_only(np.sqrt),
    "Floor": _numbers_only(np.floor),
    "Ceil": _numbers_only(np.ceil),
    "Add": _numbers_only(np.add),
    "AddV2": _numbers_only(np.add),
    "Sub": _numbers_only(np.subtract),
    "Mul": _numbers_only(np.multiply),
    "FloorDiv": _numbers_only(np.floor_divide),
    "FloorMod": _numbers_only(np.mod),
    "Maximum": _numbers_only(np.maximum),
    "Minimum": _numbers_only(np.minimum),
    "Neg": _numbers_only(np.negative),
    "Prod": _reduce(np.prod),
    "Sum": _reduce(np.sum),
    "Max": _extreme(np.max, "min"),
    "Min": _extreme(np.min, "max"),
}
