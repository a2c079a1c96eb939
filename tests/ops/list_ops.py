"""The ops on lists of tensors, with short names and with defaults for what does not matter."""

from __future__ import annotations

from typing import Any

import numpy as np

INT32, INT64 = np.int32, np.int64


class Ops:
    """Short names for the ops in one library; arrays become inputs of unknown shape."""

    def __init__(self, library: Any, dtype: str = "float32") -> None:
        self.tf = library
        self.dtype = dtype
        """The element type, unless an op is asked for another."""
        self.scalar = library.constant([], library.int32)
        """The element shape of scalars."""

    def fed(self, value: Any, dtype: Any = np.float32) -> Any:
        """A value whose shape building does not know."""
        return self.tf.placeholder_with_default(np.array(value, dtype), None)

    def ints(self, value: Any) -> Any:
        """Integers whose shape building does not know."""
        return self.fed(value, INT32)

    def empty(self, shape: Any = -1, limit: Any = -1, dtype: str = "") -> Any:
        return self.tf.raw_ops.EmptyTensorList(
            element_shape=shape, max_num_elements=limit, element_dtype=self._type(dtype)
        )

    def reserve(self, size: Any, shape: Any = -1, dtype: str = "") -> Any:
        return self.tf.raw_ops.TensorListReserve(
            element_shape=shape, num_elements=size, element_dtype=self._type(dtype)
        )

    def push(self, handle: Any, *values: Any) -> Any:
        for value in values:
            handle = self.tf.raw_ops.TensorListPushBack(input_handle=handle, tensor=value)
        return handle

    def pop(self, handle: Any, shape: Any = -1, dtype: str = "") -> list[Any]:
        return list(
            self.tf.raw_ops.TensorListPopBack(
                input_handle=handle, element_shape=shape, element_dtype=self._type(dtype)
            )
        )

    def get(self, handle: Any, index: Any, shape: Any = -1, dtype: str = "") -> Any:
        return self.tf.raw_ops.TensorListGetItem(
            input_handle=handle, index=index, element_shape=shape, element_dtype=self._type(dtype)
        )

    def set(self, handle: Any, index: Any, item: Any, grows: bool = False) -> Any:
        return self.tf.raw_ops.TensorListSetItem(
            input_handle=handle, index=index, item=item, resize_if_index_out_of_bounds=grows
        )

    def stack(self, handle: Any, shape: Any = -1, size: int = -1, dtype: str = "") -> Any:
        return self.tf.raw_ops.TensorListStack(
            input_handle=handle,
            element_shape=shape,
            num_elements=size,
            element_dtype=self._type(dtype),
        )

    def unstack(self, tensor: Any, shape: Any = -1) -> Any:
        return self.tf.raw_ops.TensorListFromTensor(tensor=tensor, element_shape=shape)

    def length(self, handle: Any) -> Any:
        return self.tf.raw_ops.TensorListLength(input_handle=handle)

    def element_shape(self, handle: Any, dtype: str = "int32") -> Any:
        return self.tf.raw_ops.TensorListElementShape(
            input_handle=handle, shape_type=self._type(dtype)
        )

    def gather(self, handle: Any, indices: Any, shape: Any = -1, dtype: str = "") -> Any:
        return self.tf.raw_ops.TensorListGather(
            input_handle=handle,
            indices=indices,
            element_shape=shape,
            element_dtype=self._type(dtype),
        )

    def scatter(self, tensor: Any, indices: Any, shape: Any = -1) -> Any:
        return self.tf.raw_ops.TensorListScatter(
            tensor=tensor, indices=indices, element_shape=shape
        )

    def scatter_v2(self, tensor: Any, indices: Any, shape: Any = -1, size: Any = -1) -> Any:
        return self.tf.raw_ops.TensorListScatterV2(
            tensor=tensor, indices=indices, element_shape=shape, num_elements=size
        )

    def scatter_into(self, handle: Any, tensor: Any, indices: Any) -> Any:
        return self.tf.raw_ops.TensorListScatterIntoExistingList(
            input_handle=handle, tensor=tensor, indices=indices
        )

    def concat(self, handle: Any, shape: Any = -1, sizes: Any = (), dtype: str = "") -> list[Any]:
        return list(
            self.tf.raw_ops.TensorListConcatV2(
                input_handle=handle,
                element_shape=shape,
                leading_dims=self.fed(sizes, INT64),
                element_dtype=self._type(dtype),
            )
        )

    def concat_v1(self, handle: Any, dtype: str = "", **attrs: Any) -> list[Any]:
        return list(
            self.tf.raw_ops.TensorListConcat(
                input_handle=handle, element_dtype=self._type(dtype), **attrs
            )
        )

    def split(self, tensor: Any, lengths: Any, shape: Any = -1) -> Any:
        return self.tf.raw_ops.TensorListSplit(
            tensor=tensor, element_shape=shape, lengths=self.fed(lengths, INT64)
        )

    def resize(self, handle: Any, size: Any) -> Any:
        return self.tf.raw_ops.TensorListResize(input_handle=handle, size=size)

    def join(self, first: Any, second: Any, dtype: str = "") -> Any:
        return self.tf.raw_ops.TensorListConcatLists(
            input_a=first, input_b=second, element_dtype=self._type(dtype)
        )

    def push_batch(self, handles: Any, tensor: Any) -> Any:
        return self.tf.raw_ops.TensorListPushBackBatch(input_handles=handles, tensor=tensor)

    def floats(self, *values: float) -> Any:
        """A list of scalars."""
        return self.unstack(self.tf.constant([float(v) for v in values]), self.scalar)

    def _type(self, name: str) -> Any:
        return getattr(self.tf, name or self.dtype)
