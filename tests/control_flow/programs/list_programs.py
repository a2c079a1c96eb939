"""Programs of the ops on lists of tensors: what they make, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Program = Callable[[Any], Any]
INT32, INT64 = np.int32, np.int64


class Ops:
    """Short names for the ops in one library; arrays become inputs of unknown shape."""

    def __init__(self, library: Any) -> None:
        self.tf = library
        self.scalar = library.constant([], library.int32)
        """The element shape of scalars."""

    def fed(self, value: Any, dtype: Any = np.float32) -> Any:
        """A value whose shape building does not know."""
        return self.tf.placeholder_with_default(np.array(value, dtype), None)

    def ints(self, value: Any) -> Any:
        """Integers whose shape building does not know."""
        return self.fed(value, INT32)

    def empty(self, shape: Any = -1, limit: Any = -1, dtype: str = "float32") -> Any:
        return self.tf.raw_ops.EmptyTensorList(
            element_shape=shape, max_num_elements=limit, element_dtype=self._type(dtype)
        )

    def reserve(self, size: Any, shape: Any = -1, dtype: str = "float32") -> Any:
        return self.tf.raw_ops.TensorListReserve(
            element_shape=shape, num_elements=size, element_dtype=self._type(dtype)
        )

    def push(self, handle: Any, *values: Any) -> Any:
        for value in values:
            handle = self.tf.raw_ops.TensorListPushBack(input_handle=handle, tensor=value)
        return handle

    def pop(self, handle: Any, shape: Any = -1, dtype: str = "float32") -> list[Any]:
        return list(
            self.tf.raw_ops.TensorListPopBack(
                input_handle=handle, element_shape=shape, element_dtype=self._type(dtype)
            )
        )

    def get(self, handle: Any, index: Any, shape: Any = -1, dtype: str = "float32") -> Any:
        return self.tf.raw_ops.TensorListGetItem(
            input_handle=handle, index=index, element_shape=shape, element_dtype=self._type(dtype)
        )

    def set(self, handle: Any, index: Any, item: Any, grows: bool = False) -> Any:
        return self.tf.raw_ops.TensorListSetItem(
            input_handle=handle, index=index, item=item, resize_if_index_out_of_bounds=grows
        )

    def stack(self, handle: Any, shape: Any = -1, size: int = -1, dtype: str = "float32") -> Any:
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

    def gather(self, handle: Any, indices: Any, shape: Any = -1, dtype: str = "float32") -> Any:
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

    def concat(
        self, handle: Any, shape: Any = -1, sizes: Any = (), dtype: str = "float32"
    ) -> list[Any]:
        return list(
            self.tf.raw_ops.TensorListConcatV2(
                input_handle=handle,
                element_shape=shape,
                leading_dims=self.fed(sizes, INT64),
                element_dtype=self._type(dtype),
            )
        )

    def concat_v1(self, handle: Any, dtype: str = "float32", **attrs: Any) -> list[Any]:
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

    def join(self, first: Any, second: Any, dtype: str = "float32") -> Any:
        return self.tf.raw_ops.TensorListConcatLists(
            input_a=first, input_b=second, element_dtype=self._type(dtype)
        )

    def push_batch(self, handles: Any, tensor: Any) -> Any:
        return self.tf.raw_ops.TensorListPushBackBatch(input_handles=handles, tensor=tensor)

    def floats(self, *values: float) -> Any:
        """A list of scalars."""
        return self.unstack(self.tf.constant([float(v) for v in values]), self.scalar)

    def _type(self, name: str) -> Any:
        return getattr(self.tf, name)


Case = Callable[[Ops], Any]

GOOD: dict[str, Case] = {
    "push and stack": lambda o: o.stack(o.push(o.empty(), o.fed([1.0, 2]), o.fed([3.0, 4]))),
    "push static": lambda o: o.stack(o.push(o.empty([2]), [1.0, 2], [3.0, 4])),
    "push shapes that differ": lambda o: o.length(o.push(o.empty(), o.fed([1.0]), o.fed(2.0))),
    "stack nothing": lambda o: o.stack(o.empty([2, 3])),
    "stack nothing, asked": lambda o: o.stack(o.empty(), [2, 3]),
    "stack unset": lambda o: o.stack(o.reserve(2, [3])),
    "stack partly set": lambda o: o.stack(o.set(o.reserve(2), 1, o.fed([1.0, 2]))),
    "stack known size": lambda o: o.stack(
        o.set(o.reserve(2, [-1, 2]), 1, o.fed([[1.0, 2]])), size=2
    ),
    "unstack": lambda o: o.stack(o.unstack([[1.0, 2], [3, 4]], [2])),
    "unstack partly known": lambda o: o.stack(o.unstack([[1.0, 2], [3, 4]], [-1])),
    "unstack no rows": lambda o: o.length(o.unstack(o.fed(np.zeros((0, 3))))),
    "element shape unknown": lambda o: o.element_shape(o.empty()),
    "element shape of no tensors": lambda o: o.element_shape(o.unstack(o.fed(np.zeros((0, 3))))),
    "element shape": lambda o: o.element_shape(o.unstack([[1.0, 2]], [2])),
    "element shape partly": lambda o: o.element_shape(o.empty([2, -1])),
    "element shape scalar": lambda o: o.element_shape(o.empty(o.scalar)),
    "element shape int64": lambda o: o.element_shape(o.empty(o.ints([2, -1])), "int64"),
    "get": lambda o: o.get(o.unstack([[1.0, 2], [3, 4]], [2]), 1),
    "get with another shape": lambda o: o.get(o.unstack([[1.0, 2]], [2]), 0, o.ints([3])),
    "get unset, asked": lambda o: o.get(o.reserve(2), 0, [2]),
    "get unset": lambda o: o.get(o.reserve(2, [3]), 0),
    "get unset, others known": lambda o: o.get(o.set(o.reserve(3, [-1]), 2, o.fed([1.0, 2])), 0),
    "get unset scalar": lambda o: o.get(o.reserve(3, o.scalar), 0),
    "get unset string": lambda o: o.tf.reshape(
        o.get(o.reserve(3, o.scalar, "string"), 0, dtype="string"), [1]
    ),
    "list in a list": lambda o: o.length(
        o.get(
            o.set(o.reserve(3, o.scalar, "variant"), 0, o.push(o.empty(), 1.0)), 0, dtype="variant"
        )
    ),
    "push a list": lambda o: o.length(o.push(o.empty(dtype="variant"), o.empty())),
    "set and grow": lambda o: o.stack(o.set(o.reserve(2, o.scalar), 4, 1.0, grows=True)),
    "pop": lambda o: o.pop(o.push(o.empty(), 1.0))[1],
    "pop rest": lambda o: o.stack(o.pop(o.push(o.empty(), 1.0, 2.0))[0]),
    "pop unset": lambda o: o.pop(o.reserve(2, [2]))[1],
    "pop unset, asked": lambda o: o.pop(o.reserve(2), [2])[1],
    "gather": lambda o: o.gather(o.unstack([[1.0, 2], [3, 4]], [2]), [1, 0, 1]),
    "gather fed": lambda o: o.gather(o.unstack([[1.0, 2], [3, 4]], [2]), o.ints([1, 0])),
    "gather matrix": lambda o: o.gather(o.unstack([[1.0, 2], [3, 4]], [2]), o.ints([[1]])),
    "gather none": lambda o: o.gather(o.unstack([[1.0, 2], [3, 4]], [2]), o.ints([])),
    "gather unset": lambda o: o.gather(o.reserve(2, [2]), o.ints([0])),
    "concat": lambda o: o.concat(o.push(o.empty(), o.fed([1.0, 2]), o.fed([3.0]))),
    "concat nothing": lambda o: o.concat(o.empty(), [-1, 2]),
    "concat nothing known": lambda o: o.concat(o.empty([3, 2])),
    "concat unset": lambda o: o.concat(o.reserve(2, [3, 2])),
    "concat unset, sizes": lambda o: o.concat(o.reserve(2, [-1, 2]), sizes=[1, 2]),
    "concat partly set": lambda o: o.concat(
        o.set(o.reserve(2, [-1, 2]), 0, [[1.0, 2]]), sizes=[3, 2]
    ),
    "concat like the others": lambda o: o.concat(o.set(o.reserve(2, [-1]), 0, [1.0, 2])),
    "concat v1": lambda o: o.concat_v1(o.push(o.empty(), o.fed([1.0, 2]), o.fed([3.0]))),
    "concat v1 nothing": lambda o: o.concat_v1(o.empty(), element_shape=[None, 2]),
    "split": lambda o: o.get(o.split(o.fed([1.0, 2, 3]), [1, 2]), 1),
    "split empty part": lambda o: o.get(o.split(o.fed([1.0, 2, 3]), [1, 0, 2]), 1),
    "split static": lambda o: o.element_shape(o.split([[1.0, 2, 3]], [1], [-1, 3])),
    "scatter": lambda o: o.stack(o.scatter([[1.0, 2], [3, 4]], [1, 0])),
    "scatter with holes": lambda o: o.stack(o.scatter_v2([[1.0, 2], [3, 4]], [0, 2], [2], 4)),
    "scatter nothing": lambda o: o.length(o.scatter_v2(o.fed(np.zeros((0, 2))), o.ints([]))),
    "scatter into": lambda o: o.stack(o.scatter_into(o.reserve(3, [2]), [[1.0, 2]], [1])),
    "scatter into and grow": lambda o: o.length(
        o.scatter_into(o.reserve(3, [2]), o.fed([[1.0, 2]]), o.ints([4]))
    ),
    "shrink": lambda o: o.stack(o.resize(o.floats(1, 2, 3), 2)),
    "grow": lambda o: o.stack(o.resize(o.floats(1, 2, 3), 4)),
    "join": lambda o: o.stack(o.join(o.floats(1, 2, 3), o.floats(4))),
    "push to several": lambda o: o.stack(
        o.push_batch(o.tf.stack([o.floats(1, 2), o.empty(o.scalar)]), o.fed([4.0, 5]))[0]
    ),
    "add": lambda o: o.stack(o.tf.add_n([o.floats(1, 2), o.floats(3, 4), o.floats(5, 6)])),
    "add unset": lambda o: o.stack(
        o.tf.add_n([o.set(o.reserve(2, o.scalar), 0, 5.0), o.floats(3, 4)])
    ),
    "add all unset": lambda o: o.stack(
        o.tf.add_n([o.reserve(2, o.scalar), o.reserve(2, o.scalar)])
    ),
    "zeros like": lambda o: o.stack(o.tf.zeros_like(o.floats(1, 2))),
    "zeros like unset": lambda o: o.stack(o.tf.zeros_like(o.set(o.reserve(2, o.scalar), 0, 5.0))),
    "strings": lambda o: o.stack(
        o.set(o.unstack(o.tf.constant(["a", "b"]), o.scalar), 0, "c"), dtype="string"
    ),
    "identity": lambda o: o.stack(o.tf.identity(o.push(o.empty(o.scalar), 1.0))),
}

BUILD_ERRORS: dict[str, Case] = {
    "push another type": lambda o: o.push(o.empty(dtype="int32"), 1.0),
    "push a list to floats": lambda o: o.push(o.empty(), o.empty()),
    "stack another type": lambda o: o.stack(o.push(o.empty(), 1.0), dtype="int32"),
    "stack another shape": lambda o: o.stack(o.empty([2]), [3]),
    "unstack another shape": lambda o: o.unstack([[1.0, 2], [3, 4]], [3]),
    "get another shape": lambda o: o.get(o.unstack([[1.0, 2]], [2]), 0, [3]),
    "get another type": lambda o: o.get(o.unstack([[1.0, 2]], [2]), 0, dtype="int32"),
    "set another shape": lambda o: o.set(o.reserve(2, [2]), 0, [1.0, 2, 3]),
    "pop another type": lambda o: o.pop(o.push(o.empty(), 1.0), dtype="int32"),
    "shape of rank 2": lambda o: o.empty([[1]]),
    "gather another shape": lambda o: o.gather(o.unstack([[1.0, 2]], [2]), [0], [3]),
    "gather another type": lambda o: o.gather(o.unstack([[1.0, 2]], [2]), [0], dtype="int32"),
    "concat another type": lambda o: o.concat(o.push(o.empty(), 1.0), dtype="int32"),
    "concat another shape": lambda o: o.concat(o.push(o.empty([2]), [1.0, 2]), [3]),
    "scatter into another type": lambda o: o.scatter_into(
        o.reserve(3, [2], "int32"), o.fed([[1.0, 2]]), o.ints([0])
    ),
    "join another type": lambda o: o.join(o.floats(1), o.unstack([1], o.scalar)),
    "join as another type": lambda o: o.join(o.empty(), o.empty(), "int32"),
    "join another shape": lambda o: o.join(o.floats(1), o.unstack([[1.0]], [1])),
    "push one to several": lambda o: o.push_batch(o.floats(1, 2), 4.0),
    "no list": lambda o: o.length(o.fed(3.0)),
    "add another type": lambda o: o.tf.add_n([o.floats(1), o.unstack([1], o.scalar)]),
    "add another shape": lambda o: o.tf.add_n([o.floats(1), o.reserve(1, [2])]),
}

RUN_ERRORS: dict[str, Case] = {
    "push another shape": lambda o: o.length(o.push(o.empty([2]), o.fed([1.0, 2, 3]))),
    "push static shape": lambda o: o.length(o.push(o.empty([2]), [1.0, 2, 3])),
    "push too many": lambda o: o.length(o.push(o.empty(limit=1), 1.0, 2.0)),
    "stack nothing": lambda o: o.stack(o.empty()),
    "stack nothing, partly": lambda o: o.stack(o.empty(), o.ints([2, -1])),
    "stack another shape": lambda o: o.stack(o.push(o.empty(), o.fed([1.0, 2])), o.ints([3])),
    "stack shapes that differ": lambda o: o.stack(o.push(o.empty(), o.fed([1.0, 2]), o.fed([3.0]))),
    "stack another size": lambda o: o.stack(o.push(o.empty(), 1.0), size=2),
    "stack unset": lambda o: o.stack(o.reserve(2)),
    "unstack another shape": lambda o: o.length(o.unstack(o.fed([[1.0, 2]]), o.ints([3]))),
    "unstack a scalar": lambda o: o.length(o.unstack(o.fed(1.0))),
    "get behind the end": lambda o: o.get(o.floats(1, 2), 2),
    "get before the start": lambda o: o.get(o.floats(1, 2), -1),
    "get unset": lambda o: o.get(o.reserve(2), 0),
    "get unset, partly": lambda o: o.get(o.reserve(2, [-1]), 0),
    "get unset, another shape": lambda o: o.get(o.reserve(2, [3]), 0, o.ints([2])),
    "reserve negative": lambda o: o.length(o.reserve(o.ints(-1))),
    "reserve a vector": lambda o: o.length(o.reserve(o.ints([2]))),
    "limit is a vector": lambda o: o.length(o.empty(limit=o.ints([1, 2]))),
    "shape of rank 2": lambda o: o.length(o.empty(o.ints([[1]]))),
    "scalar shape": lambda o: o.length(o.empty(o.ints(5))),
    "negative shape": lambda o: o.length(o.empty(o.ints([-2]))),
    "set behind the end": lambda o: o.length(o.set(o.reserve(2), 2, 1.0)),
    "set before the start": lambda o: o.length(o.set(o.reserve(2), -1, 1.0)),
    "set another type": lambda o: o.length(o.set(o.reserve(2), 0, 1)),
    "set another shape": lambda o: o.length(o.set(o.reserve(2, [2]), 0, o.fed([1.0]))),
    "pop from nothing": lambda o: o.pop(o.empty())[1],
    "pop unset": lambda o: o.pop(o.reserve(2))[1],
    "gather behind the end": lambda o: o.gather(o.floats(1, 2), o.ints([2])),
    "gather before the start": lambda o: o.gather(o.floats(1, 2), o.ints([-1])),
    "gather none of unknown": lambda o: o.gather(o.empty(), o.ints([])),
    "gather unset": lambda o: o.gather(o.reserve(2), o.ints([0])),
    "gather another shape": lambda o: o.gather(o.floats(1, 2), [0], o.ints([3])),
    "gather shapes that differ": lambda o: o.gather(
        o.push(o.empty(), o.fed([1.0, 2]), o.fed([3.0])), o.ints([0, 1])
    ),
    "concat rows that differ": lambda o: o.concat(
        o.push(o.empty(), o.fed([[1.0, 2]]), o.fed([[3.0]]))
    ),
    "concat scalars": lambda o: o.concat(o.push(o.empty(), o.fed(1.0))),
    "concat known scalars": lambda o: o.concat(o.empty(o.scalar)),
    "concat nothing": lambda o: o.concat(o.empty()),
    "concat unset": lambda o: o.concat(o.reserve(2, [-1, 2])),
    "concat unset, too few sizes": lambda o: o.concat(o.reserve(2, [-1, 2]), sizes=[1]),
    "concat another shape": lambda o: o.concat(o.push(o.empty([2]), o.fed([1.0, 2])), o.ints([3])),
    "concat all unset": lambda o: o.concat(o.reserve(2), sizes=[1, 2]),
    "split too little": lambda o: o.length(o.split(o.fed([1.0, 2, 3]), [1, 1])),
    "split too much": lambda o: o.length(o.split(o.fed([1.0, 2, 3]), [2, 2])),
    "split negative": lambda o: o.length(o.split(o.fed([1.0, 2, 3]), [-1, 4])),
    "split a scalar": lambda o: o.length(o.split(o.fed(1.0), [1])),
    "split by a matrix": lambda o: o.length(o.split(o.fed([1.0]), [[1]])),
    "split another shape": lambda o: o.length(o.split(o.fed([[1.0, 2]]), [1], o.ints([-1, 3]))),
    "scatter negative": lambda o: o.length(o.scatter(o.fed([[1.0], [2]]), o.ints([-1, 0]))),
    "scatter too many rows": lambda o: o.length(o.scatter(o.fed([[1.0], [2]]), o.ints([0]))),
    "scatter a scalar": lambda o: o.length(o.scatter(o.fed(1.0), o.ints([0]))),
    "scatter another shape": lambda o: o.length(
        o.scatter(o.fed([[1.0]]), o.ints([0]), o.ints([3]))
    ),
    "scatter behind the end": lambda o: o.length(
        o.scatter_v2(o.fed([[1.0], [2]]), o.ints([0, 3]), size=3)
    ),
    "scatter into -2": lambda o: o.length(o.scatter_v2(o.fed([[1.0]]), o.ints([0]), size=-2)),
    "scatter into, rows": lambda o: o.length(
        o.scatter_into(o.reserve(3), o.fed([[1.0]]), o.ints([0, 1]))
    ),
    "scatter into, matrix": lambda o: o.length(
        o.scatter_into(o.reserve(3), o.fed([[1.0]]), o.ints([[0]]))
    ),
    "resize negative": lambda o: o.length(o.resize(o.reserve(3), -1)),
    "resize by a vector": lambda o: o.length(o.resize(o.reserve(3), o.ints([1]))),
    "join unknown": lambda o: o.length(o.join(o.floats(1), o.empty())),
    "push to several, too many": lambda o: o.length(
        o.push_batch(o.tf.stack([o.floats(1), o.floats(2)]), o.fed([4.0, 5, 6]))[0]
    ),
    "push to several, shape": lambda o: o.length(
        o.push_batch(o.tf.stack([o.floats(1), o.empty([2])]), o.fed([4.0, 5]))[0]
    ),
    "add other lengths": lambda o: o.stack(o.tf.add_n([o.floats(1, 2), o.floats(3)])),
    "add other shapes": lambda o: o.stack(
        o.tf.add_n([o.set(o.reserve(2, [-1]), 0, [5.0]), o.set(o.reserve(2, [-1]), 0, [6.0, 7])])
    ),
}
