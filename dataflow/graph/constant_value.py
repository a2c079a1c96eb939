"""What is known of a tensor's value while building: folds the integer graphs shapes are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.graph import kernel_values
from dataflow.graph.constant_rules import RULES, STACKED_OUTPUTS, known_inputs, strided_slice_index
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.values.shapes import TensorShape

_MAX_DEPTH = 64
"""How far back a value is followed; shape arithmetic is never deeper in practice."""
_MAX_ELEMENTS = 4096
"""Results larger than this are not shapes and are left to the back end."""

Look = Callable[[Tensor], Tensor]
"""What is asked in the place of a tensor: itself, or what it was outside of a loop."""


def constant_value(tensor: Tensor) -> np.ndarray | None:
    """The tensor's value if building knows it, as a read-only array, else None."""
    return _read_only(_Search().value(tensor))


def constant_for_shapes(tensor: Tensor) -> np.ndarray | None:
    """`constant_value` as shape functions have it, to which loops show what they hold constant.

    As in TensorFlow they see it as it is, and in lists, not through what the loop computes of it;
    and whatever kernels make of constants.
    """
    return _read_only(_Search(by_kernels=True).value(_outside(tensor)))


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
    if not _is_written(tensor.op):
        return None
    return constant_value(tensor)


def _is_written(op: Operation) -> bool:
    seen: set[Operation] = set()
    waiting = [op]
    while waiting:
        op = waiting.pop()
        if op in seen or op.type in _OF_SHAPES:
            continue
        if op.type not in _WRITTEN:
            return False
        seen.add(op)
        waiting += [tensor.op for tensor in op.inputs]
    return True


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
    return _Search().shape(tensor, _BY_PROGRAMS)


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


def shape_for_shapes(tensor: Tensor) -> TensorShape:
    """The tensor read as a shape as shape functions do, as far as `constant_for_shapes` tells.

    Raises:
      ValueError: The tensor is neither a vector nor the scalar -1, or has an entry below -1.
    """
    return _Search(by_kernels=True).shape(tensor, _BY_SHAPE_FUNCTIONS)


class _Search:
    """Values behind tensors; each is computed once, however many ways lead to it."""

    __slots__ = ("_by_kernels", "_depth", "_found", "_shapes")

    def __init__(self, by_kernels: bool = False) -> None:
        self._by_kernels = by_kernels
        self._depth = 0
        self._found: dict[Operation, Any] = {}
        """What operations give, as far as it is known."""
        self._shapes: dict[Any, TensorShape] = {}

    def value(self, tensor: Tensor) -> np.ndarray | None:
        """The value, if it is known."""
        op = tensor.op
        if op.type == "Const":
            value: np.ndarray = op.attrs["value"]
            return value
        if op not in self._found:
            if self._depth == _MAX_DEPTH:
                return None
            # A loop leads back to itself.
            self._found[op] = None
            self._depth += 1
            self._found[op] = self._computed(op)
            self._depth -= 1
        found = self._found[op]
        if found is None:
            return None
        result = found[tensor.value_index]
        if result is None:
            return None
        return np.asarray(result).astype(tensor.dtype.base_dtype.as_numpy_dtype, copy=False)

    def _computed(self, op: Operation) -> Any:
        """What an operation gives, if all that it needs is known."""
        rule = RULES.get(op.type)
        try:
            result = None if rule is None else rule(op, self)
        except (ValueError, IndexError, ZeroDivisionError):
            # It is left to the kernel, which will say what is wrong.
            rule = None
        if rule is None:
            return kernel_values.outputs_of(op, self.value) if self._by_kernels else None
        if result is None or (result.size > _MAX_ELEMENTS and not self._by_kernels):
            return None
        return result if op.type in STACKED_OUTPUTS else (result,)

    def sizes(self, tensor: Tensor) -> tuple[int | None, ...] | None:
        """A vector's entries read as a shape, of which some may be known."""
        return self.shape(tensor, _OF_VALUES).dims_tuple if tensor.shape.rank == 1 else None

    def shape(self, tensor: Tensor, reading: _Reading) -> TensorShape:
        """The tensor read as a shape, as far as it is known."""
        tensor = reading.look(tensor)
        key = tensor.op, tensor.value_index, reading
        if key not in self._shapes:
            self._depth += 1
            try:
                self._shapes[key] = self._read(tensor, reading)
            finally:
                self._depth -= 1
        return self._shapes[key]

    def _read(self, tensor: Tensor, reading: _Reading) -> TensorShape:
        static = tensor.shape
        partial = _PARTIAL.get(tensor.op.type) if self._depth < _MAX_DEPTH else None
        # What was put together is read part by part, which minds no negative scalar.
        is_put_together = static.rank == 1 and tensor.op.type in _PUT_TOGETHER and partial
        known = None if is_put_together else self.value(tensor)
        if known is not None:
            return reading.shape_of(known)
        if static.rank != 1:
            return TensorShape.of(None)
        if tensor.op.type == "ShapeN":
            return tensor.op.inputs[tensor.value_index].shape
        shape = partial(tensor.op, self, reading) if partial else None
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


def _partial_pack(op: Operation, search: _Search, reading: _Reading) -> TensorShape | None:
    dims: list[int | None] = []
    for tensor in op.inputs:
        value = search.value(reading.look(tensor))
        entry = None if value is None or value.ndim else int(value)
        dims.append(None if entry is None or entry < 0 else entry)
    return TensorShape.of(tuple(dims))


def _partial_concat(op: Operation, search: _Search, reading: _Reading) -> TensorShape | None:
    result = TensorShape.of(())
    for tensor in op.inputs[:-1]:
        result = result.concatenate(search.shape(tensor, reading))
    return result


def _partial_strided_slice(op: Operation, search: _Search, reading: _Reading) -> TensorShape | None:
    bounds = known_inputs(op, search, start=1)
    if bounds is None or op.attrs["new_axis_mask"] or op.attrs["shrink_axis_mask"]:
        return None
    dims = search.shape(op.inputs[0], reading).dims_tuple
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
_PARTIAL: dict[str, Callable[[Operation, _Search, _Reading], TensorShape | None]] = {
    "Shape": lambda op, *_: op.inputs[0].shape,
    "VariableShape": lambda op, *_: _shape_behind(op.inputs[0]),
    "Pack": _partial_pack,
    "ConcatV2": _partial_concat,
    "StridedSlice": _partial_strided_slice,
    "Identity": lambda op, search, reading: search.shape(
        op.inputs[0], reading._replace(look=_itself)
    ),
    "Cast": lambda op, search, reading: search.shape(op.inputs[0], reading),
}
