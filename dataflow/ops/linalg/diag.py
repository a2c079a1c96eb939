"""Ops on the diagonals of matrices."""

from __future__ import annotations

import numbers
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.linalg.diag_shapes as shapes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import colocate_with, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.reduction import reduction
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import define_op
from dataflow.schema.shape_functions import unchanged
from dataflow.values import dtypes

_ALIGN = "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'"
_TYPES = "T: {bfloat16, half, float32, float64, int32, int64, complex64, complex128}"


def _align(op: Operation) -> dict[str, Any]:
    """The alignment of a V3 op, or what V2 ops always do.

    TensorFlow leaves the gradients of V2 ops to V3's default, which puts diagonals of other lengths
    than the longest in the wrong places.
    """
    return {"align": op.attrs.get("align", "LEFT_LEFT")}


def _diag_gradient(op: Operation, grad: Any) -> Any:
    return diag_part(grad)


def _diag_part_gradient(op: Operation, grad: Any) -> Any:
    return diag(grad)


def _matrix_diag_gradient(op: Operation, grad: Any) -> Any:
    return matrix_diag_part(grad)


def _matrix_diag_k_gradient(op: Operation, grad: Any) -> Any:
    part = matrix_diag_part(grad, k=op.inputs[1], **_align(op))
    return part, None, None, None, None


def _matrix_diag_part_gradient(op: Operation, grad: Any) -> Any:
    dims = (op.inputs[0].shape.dims_tuple or (None,))[-2:]
    if None not in dims and dims[0] == dims[-1]:
        return matrix_diag(grad)
    return matrix_set_diag(array_fill.zeros_like(op.inputs[0]), grad)


def _matrix_diag_part_k_gradient(op: Operation, grad: Any) -> Any:
    matrix, k = op.inputs[:2]
    dims = (matrix.shape.dims_tuple or (None,))[-2:]
    if None in dims:
        zeros = array_fill.zeros_like(matrix)
        return matrix_set_diag(zeros, grad, k=k, **_align(op)), None, None
    whole = matrix_diag(grad, k=k, num_rows=dims[0], num_cols=dims[1], **_align(op))
    return whole, None, None


def _matrix_set_diag_gradient(op: Operation, grad: Any) -> Any:
    matrix, diagonal = op.inputs
    whole = matrix.shape.merge_with(grad.shape)
    batch = whole[:-2].merge_with(diagonal.shape[:-1])
    sides = whole[-2:]
    shape: Any
    if batch.is_fully_defined() and sides.is_fully_defined():
        shape = [*batch.as_list(), min(n for n in sides.as_list() if n is not None)]
    else:
        with colocate_with(grad):
            grad_shape = array_shape.shape(grad)
            rank: Any = array_shape.rank(grad)
            batch_shape = array_slice.slice(grad_shape, [0], [rank - 2])
            matrix_shape = array_slice.slice(grad_shape, [rank - 2], [2])
            length = reduction("Min", matrix_shape)
            shape = array_concat.concat([batch_shape, [length]], 0)
    rest = matrix_set_diag(grad, array_fill.zeros(shape, dtype=grad.dtype))
    return rest, matrix_diag_part(grad)


def _matrix_set_diag_k_gradient(op: Operation, grad: Any) -> Any:
    _, diagonal, k = op.inputs
    align = _align(op)
    if diagonal.shape.is_fully_defined():
        nothing = array_fill.zeros(diagonal.shape, dtype=grad.dtype)
    else:
        nothing = array_fill.zeros_like(matrix_diag_part(grad, k=k, **align))
    rest = matrix_set_diag(grad, nothing, k=k, **align)
    return rest, matrix_diag_part(grad, k=k, **align), None


def _band_gradient(op: Operation, grad: Any) -> Any:
    return matrix_band_part(grad, op.inputs[1], op.inputs[2]), None, None


define_op(
    "MatrixBandPart",
    inputs="input: T, num_lower: Tindex, num_upper: Tindex",
    outputs="band: T",
    attrs=["T: type", "Tindex: {int32, int64} = int64"],
    shape=unchanged,
    gradient=_band_gradient,
    doc="Matrices with all but some diagonals set to zero.",
)

define_op(
    "Diag",
    inputs="diagonal: T",
    outputs="output: T",
    attrs=[_TYPES],
    shape=shapes.diag,
    gradient=_diag_gradient,
    doc="A tensor of twice the rank, with the input on its diagonal.",
)

define_op(
    "DiagPart",
    inputs="input: T",
    outputs="diagonal: T",
    attrs=[_TYPES],
    shape=shapes.diag_part,
    gradient=_diag_part_gradient,
    doc="The diagonal of a tensor of even rank, at half the rank.",
)

define_op(
    "MatrixDiag",
    inputs="diagonal: T",
    outputs="output: T",
    attrs=["T: type"],
    shape=shapes.matrix_diag,
    gradient=_matrix_diag_gradient,
    doc="Square matrices with given main diagonals.",
)

define_op(
    "MatrixDiagPart",
    inputs="input: T",
    outputs="diagonal: T",
    attrs=["T: type"],
    shape=shapes.matrix_diag_part,
    gradient=_matrix_diag_part_gradient,
    doc="The main diagonals of matrices.",
)

define_op(
    "MatrixSetDiag",
    inputs="input: T, diagonal: T",
    outputs="output: T",
    attrs=["T: type"],
    shape=shapes.matrix_set_diag,
    gradient=_matrix_set_diag_gradient,
    doc="Matrices with other main diagonals.",
)

for _version, _attrs in (("V2", ["T: type"]), ("V3", ["T: type", _ALIGN])):
    define_op(
        f"MatrixDiag{_version}",
        inputs="diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T",
        outputs="output: T",
        attrs=_attrs,
        shape=shapes.matrix_diag_k,
        gradient=_matrix_diag_k_gradient,
        doc="Matrices with given diagonals, `k` or from k[0] to k[1], and padding elsewhere.",
    )
    define_op(
        f"MatrixDiagPart{_version}",
        inputs="input: T, k: int32, padding_value: T",
        outputs="diagonal: T",
        attrs=_attrs,
        shape=shapes.matrix_diag_part_k,
        gradient=_matrix_diag_part_k_gradient,
        doc="The diagonals of matrices, `k` or from k[1] down to k[0], padded to one length.",
    )
    define_op(
        f"MatrixSetDiag{_version}",
        inputs="input: T, diagonal: T, k: int32",
        outputs="output: T",
        attrs=_attrs,
        shape=shapes.matrix_set_diag_k,
        gradient=_matrix_set_diag_k_gradient,
        doc="Matrices with other diagonals `k`, or from k[0] to k[1].",
    )


def matrix_band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Matrices with all but some diagonals set to zero.

    Args:
      input: A matrix or a batch of them.
      num_lower: How many diagonals below the main one stay; negative for all.
      num_upper: How many above it stay; negative for all.
      name: Name of the operation.
    """
    return single("MatrixBandPart", input, num_lower, num_upper, name=name)


def diag(diagonal: Any, name: str | None = None) -> Tensor:
    """A tensor of twice the rank, with `diagonal` on its diagonal and zeros elsewhere."""
    return single("Diag", diagonal, name=name)


def diag_part(input: Any, name: str | None = None) -> Tensor:
    """The diagonal of a tensor of even rank, at half the rank."""
    return single("DiagPart", input, name=name)


def matrix_diag(
    diagonal: Any,
    name: str | None = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: Any = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with given diagonals.

    Args:
      diagonal: The diagonal of each matrix, or one row for each diagonal, the highest first.
      name: Name of the operation.
      k: Which diagonal, 0 for the main one, or the lowest and the highest of several.
      num_rows: Rows of each matrix; -1 for as many as needed.
      num_cols: Columns of each matrix; -1 for as many as needed.
      padding_value: What stands elsewhere.
      align: How shorter diagonals stand in their rows: those above the main one, then those below.
    """
    padding_value = _padding(diagonal, padding_value)
    return single(
        "MatrixDiagV3", diagonal, k, num_rows, num_cols, padding_value, align=align, name=name
    )


@dispatched
def matrix_diag_part(
    input: Any,
    name: str | None = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: Any = "RIGHT_LEFT",
) -> Tensor:
    """The diagonals of matrices; see `matrix_diag`."""
    padding_value = _padding(input, padding_value)
    return single("MatrixDiagPartV3", input, k, padding_value, align=align, name=name)


def matrix_set_diag(
    input: Any,
    diagonal: Any,
    name: str | None = "set_diag",
    k: Any = 0,
    align: Any = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with some diagonals replaced; see `matrix_diag`."""
    return single("MatrixSetDiagV3", input, diagonal, k, align=align, name=name)


def _padding(tensor: Any, value: Any) -> Any:
    return bool(value) if getattr(tensor, "dtype", None) == dtypes.bool else value


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Identity matrices.

    Args:
      num_rows: Rows: an integer or a scalar tensor.
      num_columns: Columns; as many as rows if None.
      batch_shape: Sizes of the dimensions before the last two.
      dtype: Element type.
      name: Name of the scope of the operations.

    Raises:
      TypeError: A number of rows or columns is neither an integer nor a tensor.
    """
    with name_scope(name, "eye", [num_rows, num_columns, batch_shape]):
        square = num_columns is None
        batch: Any = [] if batch_shape is None else batch_shape
        num_columns = num_rows if num_columns is None else num_columns
        length: Any
        if isinstance(num_rows, Tensor) or isinstance(num_columns, Tensor):
            length = single("Minimum", num_rows, num_columns)
        else:
            if not all(isinstance(n, numbers.Integral) for n in (num_rows, num_columns)):
                raise TypeError("num_rows and num_columns must be positive integer values.")
            square = num_rows == num_columns
            length = min(num_rows, num_columns)
        sides = [num_rows, num_columns]
        shape: Any = None
        if isinstance(batch, Tensor) or isinstance(length, Tensor):
            batch = convert_to_tensor(batch, name="shape", dtype=dtypes.int32)
            diagonal: Any = array_concat.concat((batch, [length]), axis=0)
            if not square:
                shape = array_concat.concat((batch, sides), axis=0)
        else:
            diagonal = [*batch, length]
            shape = [*batch, *sides]
        ones = array_fill.ones(diagonal, dtype=dtype)
        if square:
            return matrix_diag(ones)
        return matrix_set_diag(array_fill.zeros(shape, dtype=dtype), ones)
