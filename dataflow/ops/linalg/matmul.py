"""Matrix products: MatMul for matrices, BatchMatMul for stacks of them."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.math.complex as math_complex
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import (
    UNKNOWN,
    broadcast_shapes,
    merge,
    merge_dim,
    with_rank,
    with_rank_at_least,
)
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def matmul_shape(c: InferenceContext) -> TensorShape:
    """That of the product of two matrices, transposed as the attrs say."""
    a, b = (with_rank(c.input(i), 2).dims_tuple or () for i in range(2))
    rows, inner = a[::-1] if c.attr("transpose_a") else a
    inner_b, columns = b[::-1] if c.attr("transpose_b") else b
    merge_dim(inner, inner_b)
    return TensorShape.of((rows, columns))


def _batch_matmul_shape(c: InferenceContext, broadcasts: bool) -> TensorShape:
    batch_a, rows, inner = _batch_and_matrix(c.input(0), c.attr("adj_x"))
    batch_b, inner_b, columns = _batch_and_matrix(c.input(1), c.attr("adj_y"))
    batch = broadcast_shapes(batch_a, batch_b) if broadcasts else merge(batch_a, batch_b)
    merge_dim(inner, inner_b)
    dims = batch.dims_tuple
    return UNKNOWN if dims is None else TensorShape.of((*dims, rows, columns))


def _batch_and_matrix(
    shape: TensorShape, adjoint: bool
) -> tuple[TensorShape, int | None, int | None]:
    dims = with_rank_at_least(shape, 2).dims_tuple
    if dims is None:
        return UNKNOWN, None, None
    rows, columns = dims[-2:][::-1] if adjoint else dims[-2:]
    return TensorShape.of(dims[:-2]), rows, columns


def _strict_shape(c: InferenceContext) -> TensorShape:
    return _batch_matmul_shape(c, broadcasts=False)


def _broadcast_shape(c: InferenceContext) -> TensorShape:
    return _batch_matmul_shape(c, broadcasts=True)


def _product(a: Any, b: Any, transpose_a: bool, transpose_b: bool, of_second: bool) -> Tensor:
    flags: dict[str, Any] = {"grad_b": True} if of_second else {"grad_a": True}
    return single("MatMul", a, b, transpose_a=transpose_a, transpose_b=transpose_b, **flags)


def _matmul_gradient(op: Operation, grad: Any) -> Any:
    transposed_a, transposed_b = op.attrs["transpose_a"], op.attrs["transpose_b"]
    a = math_complex.conj(op.inputs[0])
    b = math_complex.conj(op.inputs[1])
    if not transposed_a:
        grad_a = _product(grad, b, False, not transposed_b, of_second=False)
    else:
        grad_a = _product(b, grad, transposed_b, True, of_second=False)
    if not transposed_b:
        grad_b = _product(a, grad, not transposed_a, False, of_second=True)
    else:
        grad_b = _product(grad, a, True, transposed_a, of_second=True)
    return grad_a, grad_b


def _batch_products(op: Operation, grad: Any, marked: bool) -> tuple[Tensor, Tensor]:
    x, y = op.inputs
    adjoint_x, adjoint_y = op.attrs["adj_x"], op.attrs["adj_y"]
    of_x: dict[str, Any] = {"grad_a": True} if marked else {}
    of_y: dict[str, Any] = {"grad_b": True} if marked else {}
    if not adjoint_x:
        grad_x = matmul(grad, y, adjoint_b=not adjoint_y, **of_x)
    else:
        grad_x = matmul(y, grad, adjoint_a=adjoint_y, adjoint_b=True, **of_x)
    if not adjoint_y:
        grad_y = matmul(x, grad, adjoint_a=not adjoint_x, **of_y)
    else:
        grad_y = matmul(grad, x, adjoint_a=True, adjoint_b=adjoint_x, **of_y)
    return grad_x, grad_y


def _strict_gradient(op: Operation, grad: Any) -> Any:
    return _batch_products(op, grad, marked=False)


def _broadcast_gradient(op: Operation, grad: Any) -> Any:
    x, y = op.inputs
    grad_x, grad_y = _batch_products(op, grad, marked=True)
    dims_x, dims_y = x.shape.dims_tuple, y.shape.dims_tuple
    if dims_x is not None and dims_y is not None:
        batch_x, batch_y = dims_x[:-2], dims_y[:-2]
        if (not batch_x and not batch_y) or (batch_x == batch_y and None not in batch_x):
            return grad_x, grad_y
    shape_x: Any = array_shape.shape(x)
    shape_y: Any = array_shape.shape(y)
    axes_x, axes_y = apply_op("BroadcastGradientArgs", shape_x[:-2], shape_y[:-2])
    return (
        array_shape.reshape(reductions.reduce_sum(grad_x, axes_x), shape_x),
        array_shape.reshape(reductions.reduce_sum(grad_y, axes_y), shape_y),
    )


def _sparse_matmul_gradient(op: Operation, grad: Any) -> Any:
    a, b = op.inputs
    transposed_a, transposed_b = op.attrs["transpose_a"], op.attrs["transpose_b"]
    sparse = {a: op.attrs["a_is_sparse"], b: op.attrs["b_is_sparse"]}
    sparse[grad] = grad.op.type == "ReluGrad"

    def product(x: Any, y: Any, dtype: Any, transpose_x: bool, transpose_y: bool) -> Any:
        x_is_sparse, y_is_sparse = sparse[x], sparse[y]
        if transpose_y:
            y = array_transpose.transpose(y)
        result = matmul(
            x, y, transpose_a=transpose_x, a_is_sparse=x_is_sparse, b_is_sparse=y_is_sparse
        )
        return cast(result, dtype)

    if not transposed_a:
        grad_a = product(grad, b, a.dtype, False, not transposed_b)
    else:
        grad_a = product(b, grad, a.dtype, transposed_b, True)
    if not transposed_b:
        grad_b = product(a, grad, b.dtype, not transposed_a, False)
    else:
        grad_b = product(grad, a, b.dtype, True, transposed_a)
    return grad_a, grad_b


define_op(
    "MatMul",
    inputs="a: T, b: T",
    outputs="product: T",
    attrs=[
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        "T: {bfloat16, half, float32, float64, int32, int64, uint8, uint16, uint32, uint64,"
        " complex64, complex128}",
        "grad_a: bool = false",
        "grad_b: bool = false",
    ],
    shape=matmul_shape,
    gradient=_matmul_gradient,
    doc="The product of two matrices, each perhaps transposed first.",
)
_ADJOINTS = (
    "adj_x: bool = false",
    "adj_y: bool = false",
    "grad_x: bool = false",
    "grad_y: bool = false",
)
define_op(
    "BatchMatMul",
    inputs="x: T, y: T",
    outputs="output: T",
    attrs=[
        "T: {bfloat16, half, float32, float64, int32, int64, complex64, complex128}",
        *_ADJOINTS,
    ],
    shape=_strict_shape,
    gradient=_strict_gradient,
    doc="The products of stacks of matrices that have the same batch dimensions.",
)
define_op(
    "BatchMatMulV2",
    inputs="x: T, y: T",
    outputs="output: T",
    attrs=[
        "T: {bfloat16, half, float32, float64, int16, int32, int64, uint8, uint16, uint32, uint64,"
        " complex64, complex128}",
        *_ADJOINTS,
    ],
    shape=_broadcast_shape,
    gradient=_broadcast_gradient,
    doc="The products of stacks of matrices, whose batch dimensions broadcast.",
)
_MIXED = (
    "{bfloat16, half, float32, float64, uint8, int8, int16, int32, int64, complex64, complex128}"
)
define_op(
    "BatchMatMulV3",
    inputs="x: Ta, y: Tb",
    outputs="output: Tout",
    attrs=[
        f"Ta: {_MIXED}",
        f"Tb: {_MIXED}",
        "Tout: {bfloat16, half, float32, float64, int16, int32, int64, complex64, complex128}",
        *_ADJOINTS,
    ],
    shape=_broadcast_shape,
    gradient=_broadcast_gradient,
    doc="Like BatchMatMulV2, with a type of its own for each operand and for the result.",
)
define_op(
    "SparseMatMul",
    inputs="a: Ta, b: Tb",
    outputs="product: float32",
    attrs=[
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        "a_is_sparse: bool = false",
        "b_is_sparse: bool = false",
        "Ta: {float32, bfloat16} = float32",
        "Tb: {float32, bfloat16} = float32",
    ],
    shape=matmul_shape,
    gradient=_sparse_matmul_gradient,
    doc="The product of two matrices, of which one may hold many zeros.",
)


@dispatched
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of two matrices, or of stacks of them whose batch dimensions broadcast.

    Args:
      a: Tensor of shape `[..., m, k]`.
      b: Tensor of shape `[..., k, n]` and the same dtype.
      transpose_a: Exchanges the last two axes of `a` first.
      transpose_b: Exchanges the last two axes of `b` first.
      adjoint_a: Like `transpose_a`, and takes the complex conjugate.
      adjoint_b: Like `transpose_b`, and takes the complex conjugate.
      a_is_sparse: Says that matrix `a` holds many zeros.
      b_is_sparse: Says that matrix `b` holds many zeros.
      output_type: Element type of the result, if it is another.
      grad_a: Marks the product as part of the gradient with respect to a first operand.
      grad_b: Marks the product as part of the gradient with respect to a second operand.
      name: Name of the operation.

    Returns:
      Tensor of shape `[..., m, n]`.

    Raises:
      ValueError: The shapes do not fit, or a matrix is to be transposed and adjoint.
      TypeError: The dtypes differ.

    >>> with tf.Session() as session:
    ...     print(session.run(tf.matmul([[1, 2]], [[3], [4]])))
    [[11]]
    """
    with name_scope(name, "MatMul", [a, b]) as scope:
        _refuse_both("a", transpose_a, adjoint_a)
        _refuse_both("b", transpose_b, adjoint_b)
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, dtype_hint=a.dtype.base_dtype, name="b")
        types = (a.dtype.base_dtype, b.dtype.base_dtype)
        mixed = bool(output_type) and any(dtypes.as_dtype(output_type) != t for t in types)
        flags: dict[str, Any] = {"grad_x": grad_a, "grad_y": grad_b, "name": scope}
        if not a_is_sparse and not b_is_sparse and (_may_be_stack(a) or _may_be_stack(b)):
            if transpose_a:
                a, adjoint_a = math_complex.conj(a), True
            if transpose_b:
                b, adjoint_b = math_complex.conj(b), True
            flags |= {"adj_x": adjoint_a, "adj_y": adjoint_b}
            if mixed:
                return single("BatchMatMulV3", a, b, Tout=output_type, **flags)
            return single("BatchMatMulV2", a, b, **flags)
        if adjoint_a:
            a, transpose_a = math_complex.conj(a), True
        if adjoint_b:
            b, transpose_b = math_complex.conj(b), True
        if _is_sparse(types, a_is_sparse or b_is_sparse):
            product = sparse_matmul(a, b, transpose_a, transpose_b, a_is_sparse, b_is_sparse, scope)
            both = types == (dtypes.bfloat16, dtypes.bfloat16)
            return cast(product, dtypes.bfloat16) if both else product
        if mixed:
            flags |= {"adj_x": transpose_a, "adj_y": transpose_b}
            return single("BatchMatMulV3", a, b, Tout=output_type, **flags)
        return single(
            "MatMul",
            a,
            b,
            transpose_a=transpose_a,
            transpose_b=transpose_b,
            grad_a=grad_a,
            grad_b=grad_b,
            name=scope,
        )


def _may_be_stack(tensor: Tensor) -> bool:
    rank = tensor.shape.rank
    return rank is None or rank > 2


def _refuse_both(which: str, transpose: bool, adjoint: bool) -> None:
    if transpose and adjoint:
        raise ValueError(
            f"Only one of `transpose_{which}` and `adjoint_{which}` can be True. Received "
            f"`transpose_{which}`={transpose}, `adjoint_{which}`={adjoint}."
        )


def _is_sparse(types: tuple[Any, Any], asked: bool) -> bool:
    """Whether SparseMatMul is the op: asked for and possible, or bfloat16 meets another type."""
    if asked and all(t in (dtypes.bfloat16, dtypes.float32) for t in types):
        return True
    a, b = types
    bytes_ = (dtypes.int8, dtypes.uint8)
    meets = (a is dtypes.bfloat16 and b not in bytes_) or (b is dtypes.bfloat16 and a not in bytes_)
    return meets and a is not b


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of a matrix and a vector, or of stacks of them; see `matmul`.

    `a` has shape `[..., m, k]`, `b` `[..., k]`, the result `[..., m]`.
    """
    with name_scope(name, "MatVec", [a, b]):
        product = matmul(
            a,
            array_shape.expand_dims(b, axis=-1),
            transpose_a=transpose_a,
            adjoint_a=adjoint_a,
            a_is_sparse=a_is_sparse,
            b_is_sparse=b_is_sparse,
        )
        return array_shape.squeeze(product, axis=-1)


def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The float32 product of two float32 or bfloat16 matrices of which one may hold many zeros."""
    return single(
        "SparseMatMul",
        a,
        b,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
        name=name,
    )
