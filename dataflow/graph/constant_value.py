"""What is known of a tensor's value while building: folds the integer graphs shapes are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.values.shapes import TensorShape

_MAX_DEPTH = 64
"""How far back a value is followed; shape arithmetic is never deeper in practice."""
_MAX_ELEMENTS = 4096
"""Results larger than this are not shapes and are left to the back end."""

Evaluator = Callable[[Operation, int], "np.ndarray | None"]
Look = Callable[[Tensor], Tensor]
"""What is asked in the place of a tensor: itself, or what it was outside of a loop."""


def constant_value(tensor: Tensor) -> np.ndarray | None:
    """The tensor's value if building knows it, as a read-only array, else None."""
    return _read_only(_value(tensor, _MAX_DEPTH))


def constant_in_loop(tensor: Tensor) -> np.ndarray | None:
    """`constant_value` as shape functions have it, to which loops show what they hold constant.

    As in TensorFlow they see it as it is, and in lists, not through what the loop computes of it.
    """
    return _read_only(_value(_outside(tensor), _MAX_DEPTH))


def _outside(tensor: Tensor) -> Tensor:
    """What a loop holds constant, before it entered the loop; any other tensor itself."""
    op = tensor.op
    return op.inputs[0] if op.type == "Enter" and op.attrs["is_constant"] else tensor


def _itself(tensor: Tensor) -> Tensor:
    return tensor


def _captured(tensor: Tensor) -> Tensor:
    """The vector outside of the body of a function that a placeholder stands for, or itself."""
    while tensor.op.type == "Placeholder" and tensor.shape.rank == 1:
        captures = getattr(tensor.graph, "captured", None)
        outer = None if captures is None else captures.external_of(tensor)
        if outer is None:
            break
        tensor = outer
    return tensor


def _read_only(value: np.ndarray | None) -> np.ndarray | None:
    if value is not None:
        value = np.asarray(value)
        if value.flags.writeable:
            value = value.view()
            value.flags.writeable = False
    return value


def written_value(tensor: Tensor) -> np.ndarray | None:
    """`constant_value` of what the program has written down itself: constants, shapes and lists.

    What was computed of them counts as not known, so that errors about it are a step's.
    """
    if not _is_written(tensor.op, _MAX_DEPTH):
        return None
    return constant_value(tensor)


def _is_written(op: Operation, depth: int) -> bool:
    if op.type in _OF_SHAPES:
        return True
    if op.type not in _WRITTEN or depth == 0:
        return False
    return all(_is_written(each.op, depth - 1) for each in op.inputs)


_OF_SHAPES = frozenset({"Const", "Shape", "Size", "Rank"})
_WRITTEN = frozenset(
    {
        "Cast",
        "ConcatV2",
        "Equal",
        "Fill",
        "NotEqual",
        "Pack",
        "Range",
        "Split",
        "StopGradient",
        "Unpack",
    }
)


def constant_value_as_shape(tensor: Tensor) -> TensorShape:
    """The tensor read as a shape, with None for entries that are not known or below zero.

    Raises:
      ValueError: The tensor is neither a vector nor the scalar -1.
      TypeError: An entry is not an integer.
    """
    if tensor.shape.rank == 0:
        value = constant_value(tensor)
        if value is None:
            raise ValueError(
                "Received a scalar with unknown value as shape; require a statically known scalar "
                "with value '-1' to describe an unknown shape."
            )
        return _shape_of_scalar(value)
    tensor.shape.with_rank(1)
    return _as_shape(tensor, _MAX_DEPTH, _BY_PROGRAMS)


def set_shape_of_captured(op: Operation) -> None:
    """Tells the result of an operation in the body of a function of a shape known outside of it.

    Shape functions do not see what stands behind the placeholders of what a body takes from
    outside. As in TensorFlow the functions that make tensors of given shapes do.
    """
    places = _SHAPE_INPUTS.get(op.type)
    if places is None or op.outputs[0].shape.is_fully_defined():
        return
    sizes = op.inputs[places[0]]
    if sizes.shape.rank == 1:
        shape = constant_value_as_shape(sizes)
        for place in places[1:]:
            shape = shape.concatenate(op.inputs[place].shape)
        op.outputs[0].set_shape(shape)


def constant_as_shape_in_loop(tensor: Tensor) -> TensorShape:
    """The tensor read as a shape as shape functions do, as far as `constant_in_loop` tells.

    Raises:
      ValueError: The tensor is neither a vector nor the scalar -1, or has an entry below -1.
    """
    return _as_shape(tensor, _MAX_DEPTH, _BY_SHAPE_FUNCTIONS)


def _value(tensor: Tensor, depth: int) -> np.ndarray | None:
    op = tensor.op
    if op.type == "Const":
        value: np.ndarray = op.attrs["value"]
        return value
    evaluate = _EVALUATORS.get(op.type)
    if evaluate is None or depth == 0:
        return None
    try:
        result = evaluate(op, depth - 1)
    except (ValueError, IndexError, ZeroDivisionError):
        # Folding is optional: the kernel will say what is wrong, with the values of the step.
        return None
    if result is None or result.size > _MAX_ELEMENTS:
        return None
    if op.type in _STACKED_OUTPUTS:
        result = result[tensor.value_index]
        if result is None:
            return None
        result = np.asarray(result)
    return result.astype(tensor.dtype.base_dtype.as_numpy_dtype, copy=False)


def _inputs(op: Operation, depth: int, start: int = 0) -> list[np.ndarray] | None:
    values = []
    for tensor in op.inputs[start:]:
        value = _value(tensor, depth)
        if value is None:
            return None
        values.append(value)
    return values


def _apply(function: Callable[..., Any]) -> Evaluator:
    """An evaluator that needs every input."""

    def evaluate(op: Operation, depth: int) -> np.ndarray | None:
        values = _inputs(op, depth)
        if values is None:
            return None
        with np.errstate(all="ignore"):
            return np.asarray(function(op, *values))

    return evaluate


def _numbers_only(function: Callable[..., Any]) -> Evaluator:
    """An evaluator of arithmetic that numpy rounds as any kernel must."""
    apply = _apply(lambda op, *values: function(*values))

    def evaluate(op: Operation, depth: int) -> np.ndarray | None:
        dtype = op.attrs["T"]
        return apply(op, depth) if dtype.is_integer or dtype.is_floating else None

    return evaluate


def _plain(function: Callable[..., Any]) -> Evaluator:
    """An evaluator that needs every input and no attr."""
    return _apply(lambda op, *values: function(*values))


def _shape(op: Operation, depth: int) -> np.ndarray | None:
    shape = op.inputs[0].shape
    return np.array(shape.as_list()) if shape.is_fully_defined() else None


def _size(op: Operation, depth: int) -> np.ndarray | None:
    count = op.inputs[0].shape.num_elements()
    return None if count is None else np.array(count)


def _rank(op: Operation, depth: int) -> np.ndarray | None:
    rank = op.inputs[0].shape.rank
    return None if rank is None else np.array(rank)


def _strided_slice(op: Operation, depth: int) -> np.ndarray | None:
    bounds = _inputs(op, depth, start=1)
    if bounds is None:
        return None
    source = _value(op.inputs[0], depth)
    if source is None:
        # Of a shape that is partly known, the sizes taken may be known.
        dims = (
            _as_shape(op.inputs[0], depth, _OF_VALUES).dims_tuple
            if op.inputs[0].shape.rank == 1
            else None
        )
        if dims is None:
            return None
        source = np.array(dims, object)
    taken = np.asarray(source[strided_slice_index(op.attrs, *bounds)])
    if taken.dtype == object and None in taken.ravel().tolist():
        return None
    return taken


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


def _reduce(function: Callable[..., Any]) -> Evaluator:
    return _apply(
        lambda op, x, axes: function(x, axis=tuple(np.ravel(axes)), keepdims=op.attrs["keep_dims"])
    )


def _extreme(function: Callable[..., Any], of_nothing: str) -> Evaluator:
    """An extreme; that of no integers is the other end of their type, as kernels have it."""

    def value(op: Operation, x: np.ndarray, axes: np.ndarray) -> Any:
        options = {} if x.size else {"initial": getattr(np.iinfo(x.dtype), of_nothing)}
        keep = op.attrs["keep_dims"]
        return function(x, axis=tuple(np.ravel(axes)), keepdims=keep, **options)

    return _apply(value)


def _concat(op: Operation, depth: int) -> np.ndarray | None:
    values = _inputs(op, depth)
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


def _unpack(op: Operation, depth: int) -> np.ndarray | None:
    value = _value(op.inputs[0], depth)
    if value is not None:
        return np.moveaxis(value, op.attrs["axis"], 0)
    # Of a shape that is partly known, some sizes are known.
    dims = (
        _as_shape(op.inputs[0], depth, _OF_VALUES).dims_tuple
        if op.inputs[0].shape.rank == 1
        else None
    )
    return None if dims is None else np.array(dims, object)


def _cumsum(op: Operation, x: np.ndarray, axis: np.ndarray) -> Any:
    if op.attrs["exclusive"] or op.attrs["reverse"]:
        raise ValueError("other directions are left to the kernel")
    return np.cumsum(x, axis=int(axis))


def _list_diff(op: Operation, x: np.ndarray, y: np.ndarray) -> Any:
    kept = np.flatnonzero(~np.isin(x, y))
    return np.stack([x[kept], kept])


_STACKED_OUTPUTS = ("Unpack", "ListDiff")
"""Ops whose evaluator gives all outputs, one after the other along the first dimension."""

_EVALUATORS: dict[str, Evaluator] = {
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


def _as_shape(tensor: Tensor, depth: int, reading: _Reading) -> TensorShape:
    tensor = reading.look(tensor)
    static = tensor.shape
    # What was put together is read part by part, which minds no negative scalar.
    is_put_together = static.rank == 1 and tensor.op.type in _PUT_TOGETHER and depth > 0
    known = None if is_put_together else _value(tensor, depth)
    if known is not None:
        return reading.shape_of(known)
    if static.rank != 1:
        return TensorShape.of(None)
    if tensor.op.type == "ShapeN":
        return tensor.op.inputs[tensor.value_index].shape
    partial = _PARTIAL.get(tensor.op.type)
    if partial is not None and depth > 0:
        shape = partial(tensor.op, depth - 1, reading)
        if shape is not None:
            return shape
    length = static.as_list()[0]
    return TensorShape.of(None if length is None else (None,) * length)


def _shape_from_value(value: np.ndarray) -> TensorShape:
    if value.ndim == 0:
        return _shape_of_scalar(value)
    if value.ndim != 1:
        raise ValueError(f"Shape must be at most rank 1 but is rank {value.ndim}")
    entries = [int(v) for v in value]
    for index, entry in enumerate(entries):
        if entry < -1:
            raise ValueError(f"Invalid value in tensor used for shape: {entry} (entry {index})")
    return TensorShape.of(tuple(None if entry == -1 else entry for entry in entries))


def _shape_of_scalar(value: np.ndarray) -> TensorShape:
    if value != -1:
        raise ValueError(
            f"Received a scalar value '{value}' as shape; require a statically known scalar "
            "with value '-1' to describe an unknown shape."
        )
    return TensorShape.of(None)


def _shape_of_sizes(sizes: np.ndarray) -> TensorShape:
    return TensorShape([size if size >= 0 else None for size in sizes])


class _Reading(NamedTuple):
    """How a tensor is read as a shape: which one is asked, and what its value means."""

    look: Look
    shape_of: Callable[[np.ndarray], TensorShape]


_BY_SHAPE_FUNCTIONS = _Reading(_outside, _shape_from_value)
_BY_PROGRAMS = _Reading(_captured, _shape_of_sizes)
_OF_VALUES = _Reading(_itself, _shape_from_value)


def _partial_pack(op: Operation, depth: int, reading: _Reading) -> TensorShape | None:
    dims: list[int | None] = []
    for tensor in op.inputs:
        value = _value(reading.look(tensor), depth)
        entry = None if value is None or value.ndim else int(value)
        dims.append(None if entry is None or entry < 0 else entry)
    return TensorShape.of(tuple(dims))


def _partial_concat(op: Operation, depth: int, reading: _Reading) -> TensorShape | None:
    result = TensorShape.of(())
    for tensor in op.inputs[:-1]:
        result = result.concatenate(_as_shape(tensor, depth, reading))
    return result


def _partial_strided_slice(op: Operation, depth: int, reading: _Reading) -> TensorShape | None:
    bounds = _inputs(op, depth, start=1)
    if bounds is None or op.attrs["new_axis_mask"] or op.attrs["shrink_axis_mask"]:
        return None
    dims = _as_shape(op.inputs[0], depth, reading).dims_tuple
    if dims is None:
        return None
    (window,) = strided_slice_index(op.attrs, *bounds) or (slice(None),)
    return TensorShape.of(dims if window is Ellipsis else dims[window])


def _shape_behind(handle: Tensor) -> TensorShape | None:
    data = handle.handle_data
    return data[0][1] if data else None


_SHAPE_INPUTS: Final = {
    **dict.fromkeys(
        (
            "Fill",
            "ParameterizedTruncatedNormal",
            "RandomStandardNormal",
            "RandomUniform",
            "RandomUniformInt",
            "StatelessParameterizedTruncatedNormal",
            "StatelessRandomBinomial",
            "StatelessRandomGammaV3",
            "StatelessRandomNormalV2",
            "StatelessRandomPoisson",
            "StatelessRandomUniformFullIntV2",
            "StatelessRandomUniformIntV2",
            "StatelessRandomUniformV2",
            "StatelessTruncatedNormalV2",
            "TruncatedNormal",
        ),
        (0,),
    ),
    "RandomGamma": (0, 1),
    "RandomPoissonV2": (0, 1),
    "Reshape": (1,),
}
"""The input that has the shape of the result, and one whose shape comes behind that."""
_PUT_TOGETHER: Final = ("Pack", "ConcatV2")
_PARTIAL: dict[str, Callable[[Operation, int, _Reading], TensorShape | None]] = {
    "Shape": lambda op, *_: op.inputs[0].shape,
    "VariableShape": lambda op, *_: _shape_behind(op.inputs[0]),
    "Pack": _partial_pack,
    "ConcatV2": _partial_concat,
    "StridedSlice": _partial_strided_slice,
    "Identity": lambda op, depth, reading: _as_shape(
        op.inputs[0], depth, reading._replace(look=_itself)
    ),
    "Cast": lambda op, depth, reading: _as_shape(op.inputs[0], depth, reading),
}
