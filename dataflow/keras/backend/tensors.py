"""Functions of tensors by Keras' names: shapes, reductions, comparisons, products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.keras import ops
from dataflow.keras.backend.questions import is_symbolic_tensor
from dataflow.keras.backend.settings import floatx, format_of
from dataflow.keras.backend.state import get_session, learning_phase
from dataflow.keras.backend.state import variable as _variable
from dataflow.keras.ops import name_scope as name_scope
from dataflow.values import dtypes


def is_sparse(tensor: Any) -> bool:
    """Whether it is a sparse tensor."""
    return isinstance(tensor, ops.SparseTensor)


def to_dense(tensor: Any) -> Any:
    """A sparse tensor as a dense one."""
    return ops.sparse_tensor_to_dense(tensor) if is_sparse(tensor) else tensor


def is_keras_tensor(x: Any) -> bool:
    """Whether a layer of tf.keras made the tensor.

    Raises:
      ValueError: It is no tensor.
    """
    if not is_symbolic_tensor(x):
        raise ValueError(
            f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor "
            "instance."
        )
    return hasattr(x, "_keras_history")


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Any:
    """A constant, of the type of floats by default."""
    return ops.constant(value, dtype=dtype or floatx(), shape=shape, name=name)


def placeholder(
    shape: Any = None,
    ndim: int | None = None,
    dtype: Any = None,
    sparse: bool = False,
    name: str | None = None,
    ragged: bool = False,
) -> Any:
    """What values are fed to, of a shape or of a rank."""
    dtype = dtype or floatx()
    if shape is None and ndim:
        shape = (None,) * ndim
    if ragged:
        raise ValueError("Placeholders of ragged tensors are not supported in dataflow.")
    if sparse:
        return ops.sparse_placeholder(dtype, shape=shape, name=name)
    return ops.placeholder(dtype, shape=shape, name=name)


def is_placeholder(x: Any) -> bool:
    """Whether values are fed to it."""
    return hasattr(x, "op") and x.op.type == "Placeholder"


def int_shape(x: Any) -> tuple[int | None, ...] | None:
    """The sizes that are known of a tensor, or None if its rank is not."""
    known = ops.TensorShape(x.shape)
    return None if known.rank is None else tuple(known.as_list())


def ndim(x: Any) -> int | None:
    """The rank of a tensor, if it is known."""
    return x.shape.rank  # type: ignore[no-any-return]


def dtype(x: Any) -> str:
    """The name of a tensor's type."""
    return str(x.dtype.base_dtype.name)


def eval(x: Any) -> Any:
    """The value of a tensor or variable."""
    return get_session((x,)).run(x)


def _filled(make: Callable[..., Any]) -> Callable[..., Any]:
    def filled(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
        value = make(shape=shape, dtype=dtypes.as_dtype(dtype or floatx()), name=name)
        if value.shape.is_fully_defined():
            value = _variable(value, dtype=dtype, name=name)
        return value

    filled.__name__ = filled.__qualname__ = make.__name__
    filled.__doc__ = f"A variable of {make.__name__}, or a tensor if the shape is one."
    return filled


zeros = _filled(ops.zeros)
ones = _filled(ops.ones)


def eye(size: int, dtype: Any = None, name: str | None = None) -> Any:
    """A variable that is an identity matrix."""
    return _variable(ops.eye(size, dtype=dtypes.as_dtype(dtype or floatx())), dtype, name)


def zeros_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros in the shape of a tensor."""
    return ops.zeros_like(x, dtype=dtype, name=name)


def ones_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones in the shape of a tensor."""
    return ops.ones_like(x, dtype=dtype, name=name)


def identity(x: Any, name: str | None = None) -> Any:
    """The tensor, as another one."""
    return ops.identity(x, name=name)


def count_params(x: Any) -> int:
    """The number of elements of a variable."""
    return int(np.prod(x.shape.as_list()))


def cast(x: Any, dtype: Any) -> Any:
    """The tensor in another type."""
    return ops.cast(x, dtype)


def update(x: Any, new_x: Any) -> Any:
    """Gives a variable a value."""
    return ops.assign(x, new_x)


def update_add(x: Any, increment: Any) -> Any:
    """Adds to a variable."""
    return ops.assign_add(x, increment)


def update_sub(x: Any, decrement: Any) -> Any:
    """Subtracts from a variable."""
    return ops.assign_sub(x, decrement)


def moving_average_update(x: Any, value: Any, momentum: Any) -> Any:
    """`x -= (x - value) * (1 - momentum)`."""
    value = ops.cast(value, x.dtype.base_dtype)
    with ops.name_scope("AssignMovingAvg"):
        return ops.assign_sub(x, (x - value) * ops.cast(1 - momentum, x.dtype.base_dtype))


def dot(x: Any, y: Any) -> Any:
    """The product over the last dimension of `x` and the last but one of `y`."""
    rank_x, rank_y = ndim(x), ndim(y)
    if rank_x is not None and rank_y is not None and (rank_x > 2 or rank_y > 2):
        return ops.tensordot(x, y, [[rank_x - 1], [max_(rank_y - 2, 0)]])
    if is_sparse(x):
        return ops.sparse_tensor_dense_matmul(x, y)
    return ops.matmul(x, y)


def max_(*values: int) -> int:
    """The greatest number: `max` is a function of tensors here."""
    return sorted(values)[-1]


def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
    """The product of each element of a batch with that of another, over one axis of each."""
    rank_x, rank_y = ndim(x), ndim(y)
    assert rank_x is not None and rank_y is not None
    if rank_x < 2 or rank_y < 2:
        raise ValueError("Cannot do batch_dot on inputs with rank < 2.")
    if axes is None:
        axes = [rank_x - 1, 1 if rank_y == 2 else rank_y - 2]
    elif isinstance(axes, int):
        axes = [axes, axes]
    axis_x, axis_y = (axis % rank for axis, rank in zip(axes, (rank_x, rank_y), strict=True))
    if 0 in (axis_x, axis_y):
        raise ValueError(
            "Cannot perform batch_dot over axis 0. If your inputs are not batched, "
            "add a dummy batch dimension to your inputs using K.expand_dims(x, 0)"
        )
    sizes = int_shape(x)[axis_x], int_shape(y)[axis_y]  # type: ignore[index]
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError(
            f"Cannot do batch_dot on inputs with shapes {int_shape(x)} and {int_shape(y)} with "
            f"axes={axes}. x.shape[{axis_x}] != y.shape[{axis_y}] ({sizes[0]} != {sizes[1]})."
        )
    letters = "bcdefghijklmnop"
    left = list(letters[1:rank_x])
    right = list(letters[rank_x : rank_x + rank_y - 1])
    left[axis_x - 1] = right[axis_y - 1] = "z"
    kept = "".join(each for each in (*left, *right) if each != "z")
    result = ops.einsum(f"b{''.join(left)},b{''.join(right)}->b{kept}", x, y)
    return result if kept else ops.expand_dims(result, 1)


def gather(reference: Any, indices: Any) -> Any:
    """Rows of a tensor."""
    return ops.gather(reference, indices)


def _reduction(reduce: Callable[..., Any], name: str, converts: bool = False) -> Callable[..., Any]:
    def reduction(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if converts:
            x = ops.cast(x, "bool")
        return reduce(x, axis, keepdims)

    reduction.__name__ = reduction.__qualname__ = name
    reduction.__doc__ = f"The {name} along dimensions, or of all elements."
    return reduction


max = _reduction(ops.reduce_max, "max")
min = _reduction(ops.reduce_min, "min")
sum = _reduction(ops.reduce_sum, "sum")
prod = _reduction(ops.reduce_prod, "prod")
any = _reduction(ops.reduce_any, "any", converts=True)
all = _reduction(ops.reduce_all, "all", converts=True)
logsumexp = _reduction(ops.reduce_logsumexp, "logsumexp")


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean along dimensions, or of all elements; of booleans, their share."""
    if x.dtype.base_dtype == dtypes.bool:
        x = ops.cast(x, floatx())
    return ops.reduce_mean(x, axis, keepdims)


def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The variance along dimensions, or of all elements."""
    if x.dtype.base_dtype == dtypes.bool:
        x = ops.cast(x, floatx())
    return mean(ops.square(x - ops.reduce_mean(x, axis, keepdims=True)), axis, keepdims)


def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The standard deviation along dimensions, or of all elements."""
    return ops.sqrt(var(x, axis, keepdims))


def cumsum(x: Any, axis: int = 0) -> Any:
    """The sum of each element and those before it."""
    return ops.cumsum(x, axis=axis)


def cumprod(x: Any, axis: int = 0) -> Any:
    """The product of each element and those before it."""
    return ops.cumprod(x, axis=axis)


def argmax(x: Any, axis: int = -1) -> Any:
    """Where the greatest element is."""
    return ops.argmax(x, axis)


def argmin(x: Any, axis: int = -1) -> Any:
    """Where the least element is."""
    return ops.argmin(x, axis)


def sqrt(x: Any) -> Any:
    """The root; 0 below 0."""
    x = ops.convert_to_tensor(x)
    return ops.sqrt(ops.clip_by_value(x, ops.cast(0, x.dtype), ops.cast(np.inf, x.dtype)))


def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    """The tensor within bounds."""
    if isinstance(min_value, (int, float)) and isinstance(max_value, (int, float)):
        max_value = max_(max_value, min_value)  # type: ignore[arg-type]
    low = -np.inf if min_value is None else min_value
    return ops.clip_by_value(x, low, np.inf if max_value is None else max_value)


def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Tensors one behind the other."""
    if axis < 0:
        rank = ndim(tensors[0])
        axis = axis % rank if rank else 0
    if all_sparse(tensors):
        return ops.sparse_concat(axis, tensors)
    return ops.concat([to_dense(each) for each in tensors], axis)


def all_sparse(tensors: Any) -> bool:
    """Whether all tensors are sparse."""
    return not [each for each in tensors if not is_sparse(each)]


def reshape(x: Any, shape: Any) -> Any:
    """The tensor in another shape."""
    return ops.reshape(x, shape)


def permute_dimensions(x: Any, pattern: Any) -> Any:
    """The tensor with its dimensions in another order."""
    return ops.transpose(x, perm=pattern)


def repeat_elements(x: Any, rep: int, axis: int) -> Any:
    """Each slice along an axis, several times in a row."""
    x = ops.convert_to_tensor(x)
    sizes = x.shape.as_list()
    axis %= len(sizes)
    if sizes[axis] is not None:
        parts = ops.split(x, sizes[axis], axis)
        return ops.concat([part for part in parts for _ in range(rep)], axis)
    multiples = np.ones(len(sizes) + 1, np.int32)
    multiples[axis + 1] = rep
    repeated = ops.tile(ops.expand_dims(x, axis + 1), multiples)
    factors = np.ones(len(sizes), np.int32)
    factors[axis] = rep
    result = ops.reshape(repeated, ops.shape(x) * factors)
    result.set_shape(sizes)
    return result


def repeat(x: Any, n: Any) -> Any:
    """A matrix's rows, each n times: (rows, n, columns)."""
    assert ndim(x) == 2
    return ops.tile(ops.expand_dims(x, 1), ops.stack([1, n, 1]))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = "int32") -> Any:
    """Numbers in a row, as numpy's arange has them."""
    if stop is None and start < 0:
        start = 0
    result = ops.range(start, limit=stop, delta=step, name="arange")
    return result if dtype == "int32" else ops.cast(result, dtype)


def flatten(x: Any) -> Any:
    """All elements in a row."""
    return ops.reshape(x, [-1])


def batch_flatten(x: Any) -> Any:
    """All dimensions but the first become one."""
    return ops.reshape(x, ops.stack([-1, ops.reduce_prod(ops.shape(x)[1:])]))


def expand_dims(x: Any, axis: int = -1) -> Any:
    """A dimension of size 1 more."""
    return ops.expand_dims(x, axis)


def temporal_padding(x: Any, padding: Any = (1, 1)) -> Any:
    """Zeros before and behind the steps of (batch, steps, channels)."""
    return ops.pad(x, [[0, 0], list(padding), [0, 0]])


def _padded(x: Any, padding: Any, data_format: str | None) -> Any:
    inside = [list(each) for each in padding]
    if format_of(data_format) == "channels_first":
        return ops.pad(x, [[0, 0], [0, 0], *inside])
    return ops.pad(x, [[0, 0], *inside, [0, 0]])


def spatial_2d_padding(
    x: Any, padding: Any = ((1, 1), (1, 1)), data_format: str | None = None
) -> Any:
    """Zeros around images."""
    return _padded(x, padding, data_format)


def spatial_3d_padding(
    x: Any, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None
) -> Any:
    """Zeros around volumes."""
    return _padded(x, padding, data_format)


def one_hot(indices: Any, num_classes: int) -> Any:
    """A vector for each index, with 1 there."""
    return ops.one_hot(indices, depth=num_classes, axis=-1)


def reverse(x: Any, axes: Any) -> Any:
    """The tensor backwards along dimensions."""
    return ops.reverse(x, [axes] if isinstance(axes, int) else axes)


def print_tensor(x: Any, message: str = "") -> Any:
    """The tensor, which prints itself when it is computed."""
    return ops.Print(x, [x], message)


def gradients(loss: Any, variables: Any) -> Any:
    """The derivatives of a tensor."""
    return ops.gradients(loss, variables)


def stop_gradient(variables: Any) -> Any:
    """The tensors, through which nothing is differentiated."""
    if isinstance(variables, (list, tuple)):
        return [ops.stop_gradient(each) for each in variables]
    return ops.stop_gradient(variables)


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """One of two tensors or functions, by a scalar; of two tensors also element by element."""
    if condition.dtype != dtypes.bool:
        condition = ops.cast(condition, "bool")
    rank = ndim(condition)
    if not rank:

        def function_of(each: Any) -> Any:
            return each if callable(each) else lambda: each

        return ops.cond(condition, function_of(then_expression), function_of(else_expression))
    then, other = (
        each() if callable(each) else each for each in (then_expression, else_expression)
    )
    wide = ndim(then)
    if wide is not None and wide < rank:
        raise ValueError(
            "Rank of `condition` should be less than or equal to rank of `then_expression` and "
            f"`else_expression`. ndim(condition)={rank}, ndim(then_expression)={wide}"
        )
    if wide is not None and wide > rank:
        condition = ops.reshape(
            condition, ops.concat([ops.shape(condition), [1] * (wide - rank)], 0)
        )
        condition = ops.logical_and(condition, ops.ones_like(then, dtype=dtypes.bool))
    return ops.where(condition, then, other)


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """`x` in training and `alt` otherwise; both tensors or functions that make one."""
    if training is None:
        training = learning_phase()
    if isinstance(training, (bool, int, np.bool_)):
        chosen = x if training else alt
        return chosen() if callable(chosen) else chosen
    return switch(training, x, alt)


def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """`alt` in training and `x` otherwise."""
    return in_train_phase(alt, x, training=training)


def map_fn(fn: Any, elems: Any, name: str | None = None, dtype: Any = None) -> Any:
    """A function of each row."""
    return ops.map_fn(fn, elems, name=name, dtype=dtype)


def foldl(fn: Any, elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """A function of the result so far and the next row, from the first row on."""
    return ops.foldl(fn, elems, initializer=initializer, name=name)


def foldr(fn: Any, elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """A function of the result so far and the next row, from the last row on."""
    return ops.foldr(fn, elems, initializer=initializer, name=name)
