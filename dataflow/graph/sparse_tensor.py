"""SparseTensor: a tensor given by the coordinates and values of its elements that are not zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dataflow.graph import constant_value as constants
from dataflow.graph import default_stacks, dispatch, scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.values import dtypes
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape, as_dimension, as_shape

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph
    from dataflow.graph.operation import Operation


class SparseTensorValue(NamedTuple):
    """The value of a `SparseTensor`: arrays."""

    indices: Any
    values: Any
    dense_shape: Any


class SparseTensor(CompositeTensor):
    """Three tensors that stand for a sparse one: `dense[tuple(indices[i])] = values[i]`.

    Args:
      indices: int64, shape `[n, rank]`: coordinates, best in row-major order.
      values: Shape `[n]`: the elements there.
      dense_shape: int64, shape `[rank]`: shape of the whole.

    Raises:
      ValueError: The static shapes do not fit together.

    >>> s = tf.SparseTensor(indices=[[0, 1]], values=[5], dense_shape=[1, 3])
    >>> with tf.Session() as session:
    ...     print(session.run(tf.sparse_tensor_to_dense(s)))
    [[0 5 0]]
    """

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        with scopes.name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self._indices = convert_to_tensor(indices, dtype=dtypes.int64, name="indices")
            self._values = convert_to_tensor(values, name="values")
            self._dense_shape = convert_to_tensor(
                dense_shape, dtype=dtypes.int64, name="dense_shape"
            )
        self._shape = constants.constant_value_as_shape(self._dense_shape)
        indices_shape = self._indices.shape.with_rank(2)
        values_shape = self._values.shape.with_rank(1)
        shape_shape = self._dense_shape.shape.with_rank(1)
        as_dimension(indices_shape[0]).assert_is_compatible_with(values_shape[0])
        as_dimension(indices_shape[1]).assert_is_compatible_with(shape_shape[0])

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """The sparse tensor of a `SparseTensorValue` or of another sparse tensor.

        Raises:
          TypeError: The value is neither.
        """
        value = sparse_tensor_value
        if not is_sparse(value):
            raise TypeError(
                f"Argument sparse_tensor_value={value} is neither a SparseTensor nor "
                "SparseTensorValue."
            )
        return cls(value.indices, value.values, value.dense_shape)

    @property
    def indices(self) -> Tensor:
        """Coordinates of the elements, shape `[n, rank]`."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The elements, shape `[n]`."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """Shape of the whole, as a tensor of shape `[rank]`."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """Static shape of the whole, as far as known."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """Static shape of the whole, as far as known."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Refines the static shape by what the caller knows.

        Raises:
          ValueError: `shape` contradicts what is known.
        """
        self._shape = self._shape.merge_with(as_shape(shape))

    @property
    def op(self) -> Operation:
        """The operation that makes `values`."""
        return self._values.op

    @property
    def dtype(self) -> DType:
        """Element type of `values`."""
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        """The graph that holds the tensors."""
        return self._indices.graph

    def with_values(self, new_values: Any) -> SparseTensor:
        """The sparse tensor with other elements at the same places."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def consumers(self) -> list[Operation]:
        """The operations that take one of the tensors as an input."""
        found = (op for tensor in self._components() for op in tensor.consumers())
        return list(dict.fromkeys(found))

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """Computes the three tensors in `session` or the default session.

        Raises:
          ValueError: There is no session to run in, or it holds another graph.
        """
        arrays = default_stacks.evaluate(
            list(self._components()), feed_dict, self.graph, session, "evaluate tensor", "eval"
        )
        return self._value_of_components(arrays)

    def _components(self) -> tuple[Tensor, Tensor, Tensor]:
        return self._indices, self._values, self._dense_shape

    @classmethod
    def _from_components(cls, components: Sequence[Any]) -> SparseTensor:
        return cls(*components)

    @classmethod
    def _value_of_components(cls, arrays: Sequence[Any]) -> SparseTensorValue:
        return SparseTensorValue(*arrays)

    @classmethod
    def _apply_function(
        cls,
        function: Callable[..., Any],
        kind: str,
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        if kind != dispatch.UNARY_OF_SPARSE:
            return NotImplemented
        x, *others = args or (options.get("x"),)
        if not isinstance(x, cls):
            return NotImplemented
        named = {key: value for key, value in options.items() if args or key != "x"}
        plain = dispatch.undecorated(function)
        try:
            # As in TensorFlow the function itself is tried, which takes the operation's name.
            return plain(x, *others, **named)
        except (TypeError, ValueError):
            values = plain(x.values, *others, **named)
        return cls(x.indices, values, x.dense_shape)

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices}, values={self._values}, "
            f"dense_shape={self._dense_shape})"
        )


def is_sparse(x: Any) -> bool:
    """True for a `SparseTensor` and for a `SparseTensorValue`."""
    return isinstance(x, (SparseTensor, SparseTensorValue))


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: Any = None) -> Any:
    """Like `convert_to_tensor`; sparse values become or stay a `SparseTensor`.

    Raises:
      RuntimeError: A sparse value is of another dtype.
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return convert_to_tensor(value, dtype=dtype, name=name)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise RuntimeError(
            f"Sparse dtype: requested = {dtypes.as_dtype(dtype).name}, actual = {value.dtype.name}"
        )
    return value
