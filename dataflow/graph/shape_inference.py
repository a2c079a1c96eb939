"""Static shapes of a new operation; complaints are worded as TensorFlow words them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph import constant_value as constants
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import HandleData, Tensor
from dataflow.schema.summaries import attrs_text
from dataflow.values.dtypes import DType
from dataflow.values.shapes import MAX_RANK, RankError, TensorShape


class ShapeContext:
    """What a shape function sees of an operation; see `opdef.InferenceContext`."""

    __slots__ = ("_attrs", "_inputs", "_op", "handles", "read_as_shape", "read_as_value")

    def __init__(self, op: Operation) -> None:
        self._op = op
        self._inputs = op._inputs
        self._attrs = op.attrs
        self.handles: dict[int, HandleData] = {}
        self.read_as_value: dict[int, np.ndarray] = {}
        self.read_as_shape: dict[int, TensorShape] = {}

    @property
    def name(self) -> str:
        """The operation's name."""
        return self._op.name

    @property
    def num_inputs(self) -> int:
        """Number of input tensors, lists flattened."""
        return len(self._inputs)

    @property
    def num_outputs(self) -> int:
        """Number of output tensors, lists flattened."""
        return len(self._op.outputs)

    def input(self, index: int) -> TensorShape:
        """Static shape of an input."""
        return self._inputs[index]._shape_val

    def input_dtype(self, index: int) -> DType:
        """Element type of an input, never a ref type."""
        return self._inputs[index]._dtype.base_dtype

    def attr(self, name: str) -> Any:
        """Decoded value of an attr."""
        return self._attrs[name]

    def constant(self, index: int) -> np.ndarray | None:
        """Value of an input if it is known while building."""
        value = constants.constant_for_shapes(self._inputs[index])
        if value is not None:
            self.read_as_value[index] = value
        return value

    def constant_as_shape(self, index: int) -> TensorShape:
        """An input read as a shape, as far as it is known while building."""
        shape = constants.shape_for_shapes(self._inputs[index])
        if shape.rank is not None:
            self.read_as_shape[index] = shape
        return shape

    def input_handle(self, index: int) -> HandleData | None:
        """Types and shapes behind an input of dtype resource."""
        return self._inputs[index].handle_data

    def set_output_handle(self, index: int, data: HandleData | None) -> None:
        """Says what is behind an output of dtype resource."""
        if data is not None:
            self.handles[index] = data


def infer(op: Operation, dtypes: list[DType]) -> None:
    """Makes the output tensors of a new operation with their static shapes.

    Raises:
      ValueError: The inputs cannot fit together; the text names the node and the input shapes.
      RankError: An output has too many dimensions.
    """
    op.outputs = [Tensor(op, i, dtype, _UNKNOWN) for i, dtype in enumerate(dtypes)]
    context = ShapeContext(op)
    try:
        shapes = op.op_def.shape_function(context)
    except ValueError as error:
        raise ValueError(f"{error}{_where(context, op)}") from None
    if isinstance(shapes, TensorShape):
        op.outputs[0]._shape_val = shapes
    else:
        for tensor, shape in zip(op.outputs, shapes, strict=True):
            tensor._shape_val = shape
    for tensor in op.outputs:
        dims = tensor._shape_val.dims_tuple
        if dims is not None and len(dims) > MAX_RANK:
            raise RankError(f"Output {tensor._value_index} of '{node_text(op)}'", len(dims))
    for index, data in context.handles.items():
        op.outputs[index].handle_data = data


_UNKNOWN = TensorShape.of(None)


def _where(context: ShapeContext, op: Operation) -> str:
    shapes = ", ".join(shape_text(tensor._shape_val) for tensor in op._inputs)
    text = f" for '{node_text(op)}' with input shapes: {shapes}"
    if context.read_as_value:
        values = ", ".join(
            f"input[{i}] = {_value_text(v)}" for i, v in sorted(context.read_as_value.items())
        )
        text += f" and with computed input tensors: {values}"
    if context.read_as_shape:
        values = ", ".join(
            f"input[{i}] = {shape_text(s)}" for i, s in sorted(context.read_as_shape.items())
        )
        text += f" and with input tensors computed as partial shapes: {values}"
    return text + "."


def node_text(op: Operation) -> str:
    """`{{node add}} = AddV2[T=DT_FLOAT](a, b)`, the way TensorFlow shows a node in an error."""
    inputs = ", ".join(t._as_node_def_input() for t in op._inputs)
    attrs = attrs_text({name: value for name, value in op.attrs.items() if name != "_class"})
    return f"{{{{node {op.name}}}}} = {op.type}[{attrs}]({inputs})"


def shape_text(shape: TensorShape) -> str:
    """`[2,?]`, or `?` where even the rank is unknown."""
    dims = shape.dims_tuple
    if dims is None:
        return "?"
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def _value_text(value: np.ndarray) -> str:
    """Elements in row-major order, rows in brackets; of very many the first ones."""
    if value.size > _MOST_SHOWN:
        return f"<{_rows_text(value.reshape(-1)[:_MOST_SHOWN])}...>"
    return f"<{_rows_text(value)}>"


_MOST_SHOWN = 256


def _rows_text(value: np.ndarray) -> str:
    if value.ndim < 2:
        return " ".join(map(str, value.reshape(-1)))
    return "".join(f"[{_rows_text(row)}]" for row in value)
