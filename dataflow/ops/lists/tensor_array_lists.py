"""Tensor arrays kept in lists of tensors, as functional control flow has them."""

from __future__ import annotations

from typing import Any

import dataflow.ops.basic.identity as identity_ops
import dataflow.ops.lists.tensor_array_nodes as arrays
import dataflow.ops.lists.tensor_list_nodes as lists
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape, as_shape


class NodeList:
    """An array that is a list of tensors: its flow, of dtype variant, is the list itself."""

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        name: str | None = None,
    ) -> None:
        """Makes a new array or takes a list for one; see `tf.TensorArray`."""
        if flow is not None and (not isinstance(flow, Tensor) or flow.dtype != dtypes.variant):
            raise TypeError(
                f"Expected `flow` to be a variant tensor, but received `{flow.dtype}` instead."
            )
        if flow is None and size is None:
            raise ValueError("Argument `size` must be provided if argument `flow` is not provided.")
        if flow is not None and size is not None:
            raise ValueError("Cannot provide both `flow` and `size` arguments at the same time.")
        if flow is not None and element_shape is not None:
            raise ValueError(
                "Cannot provide both `flow` and `element_shape` argumentsat the same time."
            )
        self.handle = None
        self.dynamic_size = dynamic_size
        self.dtype: DType = dtypes.as_dtype(dtype).base_dtype
        self.infer_shape = infer_shape
        self._size = size
        # Shared by all states of the array: the first write decides.
        self._element_shape = [as_shape(element_shape)]
        with scopes.name_scope(name, "TensorArrayV2", [size, flow]) as scope:
            if flow is None:
                flow = lists.reserve(element_shape, size, dtype, name=scope)
            self.flow: Tensor = flow

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the elements' shape."""
        return self._element_shape[0]

    def with_flow(self, flow: Tensor) -> NodeList:
        """The same array in another state."""
        array = NodeList(self.dtype, flow=flow, infer_shape=self.infer_shape)
        array.dynamic_size = self.dynamic_size
        array._size = self._size
        array._element_shape = self._element_shape
        return array

    def set_element_shape(self, shape: TensorShape) -> None:
        """Says what is known of the elements' shape."""
        self._element_shape = [shape]

    def _check_element_shape(self, shape: TensorShape) -> None:
        arrays.merge_element_shape(self._element_shape, shape, self.infer_shape)

    def identity(self) -> NodeList:
        """The same array behind what the new state has to wait for."""
        return self.with_flow(identity_ops.identity(self.flow))

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> NodeList:
        """Refused: the gradient of a list is a list.

        Raises:
          NotImplementedError: Always.
        """
        raise NotImplementedError

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """An element."""
        with scopes.name_scope(name, "TensorArrayV2Read", [self.flow, index]):
            return lists.get_item(self.flow, index, self.dtype, self.element_shape, name=name)

    def write(self, index: Any, value: Any, name: str | None = None) -> NodeList:
        """The array with one more element."""
        with scopes.name_scope(name, "TensorArrayV2Write", [self.flow, index, value]):
            value = arrays.written_value(value, self.dtype)
            self._check_element_shape(value.shape)
            flow = lists.set_item(self.flow, index, value, bool(self.dynamic_size), name=name)
            return self.with_flow(flow)

    def stack(self, name: str | None = None) -> Tensor:
        """All elements along a new first dimension."""
        with scopes.name_scope(name, "TensorArrayV2Stack", [self.flow]):
            size: int | None = -1
            if not self.dynamic_size and self._size is not None:
                size = arrays.known_size(self._size)
            return lists.stack(self.flow, self.dtype, size, self.element_shape)

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Some elements along a new first dimension."""
        return lists.gather(self.flow, indices, self.dtype, self.element_shape, name=name)

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first dimension."""
        dims = self.element_shape.dims_tuple
        shape = None if dims is None else [None, *dims[1:]]
        return lists.concat(self.flow, self.dtype, shape, name=name)

    def unstack(self, value: Any, name: str | None = None) -> NodeList:
        """The array with the slices of a tensor along its first dimension as elements."""
        with scopes.name_scope(name, "TensorArrayUnstack", [self.flow, value]):
            value = arrays.written_value(value, self.dtype)
            self._check_element_shape(value.shape[1:])
            return self.with_flow(lists.from_tensor(value, value.shape[1:]))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> NodeList:
        """The array with the slices of a tensor as elements at these indices."""
        with scopes.name_scope(name, "TensorArrayScatter", [self.flow, value, indices]):
            value = arrays.written_value(value, self.dtype)
            self._check_element_shape(value.shape[1:])
            flow = lists.scatter(value, indices, self.element_shape, handle=self.flow)
            return self.with_flow(flow)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> NodeList:
        """The array with parts of a tensor, of these sizes, as elements."""
        with scopes.name_scope(name, "TensorArraySplit", [self.flow, value, lengths]):
            value = arrays.written_value(value, self.dtype)
            lengths = arrays.lengths_input(lengths)
            part = arrays.part_shape(value, lengths)
            if part is not None:
                self._check_element_shape(part)
            flow = lists.split(value, self.element_shape, lengths, name=name)
            return self.with_flow(flow)

    def size(self, name: str | None = None) -> Tensor:
        """Number of elements."""
        if not self.dynamic_size and self._size is not None:
            return convert_to_tensor(self._size, dtype=dtypes.int32)
        return lists.length(self.flow, name=name)

    def close(self, name: str | None = None) -> Any:
        """An operation that does nothing: lists are freed with their last use."""
        return identity_ops.no_op(name=name)
