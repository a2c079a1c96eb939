"""Tensor arrays as nodes of a graph: what each method of `tf.TensorArray` adds to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.cast as cast_ops
import dataflow.ops.basic.identity as identity_ops
import dataflow.ops.basic.range as range_ops
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.values import dtypes, logging
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape, as_shape


class NodeArray:
    """An array behind a handle of dtype resource.

    Each state of the array has a flow of its own, a scalar that orders the ops on the array.
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        """Makes a new array or wraps a handle; see `tf.TensorArray`."""
        _check_arguments(
            size, dynamic_size, clear_after_read, tensor_array_name, handle, element_shape
        )
        self.dynamic_size = dynamic_size or False
        self.dtype: DType = dtypes.as_dtype(dtype).base_dtype
        self.infer_shape = infer_shape
        self.colocate_with_first_write_call = colocate_with_first_write_call
        self._size = size
        # Shared, like the shape, by all states of the array: the first write decides.
        self._colocate_with: list[Any] = []
        self._element_shape = [as_shape(element_shape)]
        with scopes.name_scope(name, "TensorArray", [handle, size, flow]) as scope:
            if handle is not None:
                if flow is None:
                    raise ValueError("flow must not be None if handle is not None.")
                self.handle, self.flow = handle, flow
                return
            with self._apart():
                self.handle, self.flow = apply_op(
                    "TensorArrayV3",
                    size,
                    dtype=dtype,
                    element_shape=element_shape,
                    identical_element_shapes=infer_shape,
                    dynamic_size=self.dynamic_size,
                    clear_after_read=True if clear_after_read is None else clear_after_read,
                    tensor_array_name=tensor_array_name,
                    name=scope,
                )

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """Frees the array's own node of devices: it goes where the first value comes from."""
        if not self.colocate_with_first_write_call:
            yield
            return
        with scopes.device(None), scopes.colocate_with(None, ignore_existing=True):
            yield

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the elements' shape."""
        return self._element_shape[0]

    def with_flow(self, flow: Tensor) -> NodeArray:
        """The same array in another state."""
        array = NodeArray(
            self.dtype,
            handle=self.handle,
            flow=flow,
            infer_shape=self.infer_shape,
            colocate_with_first_write_call=self.colocate_with_first_write_call,
        )
        array.dynamic_size = self.dynamic_size
        array._size = self._size
        array._colocate_with = self._colocate_with
        array._element_shape = self._element_shape
        return array

    def set_element_shape(self, shape: TensorShape) -> None:
        """Says what is known of the elements' shape."""
        self._element_shape = [shape]

    def _check_element_shape(self, shape: TensorShape) -> None:
        merge_element_shape(self._element_shape, shape, self.infer_shape)

    @contextmanager
    def _maybe_colocate_with(self, value: Tensor) -> Iterator[None]:
        if not self.colocate_with_first_write_call:
            yield
            return
        if not self._colocate_with:
            self._colocate_with.append(value)
        with scopes.colocate_with(self._colocate_with[0].op):
            yield

    def identity(self) -> NodeArray:
        """The same array behind what the new state has to wait for."""
        return self.with_flow(identity_ops.identity(self.flow))

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> NodeArray:
        """The array of gradients for one call of `tf.gradients`."""
        if flow is None:
            flow = self.flow
        with (
            scopes.name_scope(name, "TensorArrayGrad", [self.handle]),
            scopes.colocate_with(self.handle.op),
        ):
            handle = apply_op(
                "TensorArrayGradV3", self.handle, flow, source=source, name=name
            ).grad_handle
            with scopes.control_dependencies([handle]):
                flow = identity_ops.identity(flow, name="gradient_flow")
            array = NodeArray(
                self.dtype,
                handle=handle,
                flow=flow,
                infer_shape=self.infer_shape,
                colocate_with_first_write_call=False,
            )
            array._element_shape = self._element_shape
            return array

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """An element."""
        value = single(
            "TensorArrayReadV3", self.handle, index, self.flow, dtype=self.dtype, name=name
        )
        value.set_shape(self.element_shape)
        return value

    def write(self, index: Any, value: Any, name: str | None = None) -> NodeArray:
        """The array with one more element."""
        with scopes.name_scope(name, "TensorArrayWrite", [self.handle, index, value]):
            value = written_value(value, self.dtype)
            self._check_element_shape(value.shape)
            with self._maybe_colocate_with(value):
                flow = single("TensorArrayWriteV3", self.handle, index, value, self.flow, name=name)
            return self.with_flow(flow)

    def stack(self, name: str | None = None) -> Tensor:
        """All elements along a new first dimension."""
        with (
            scopes.colocate_with(self.handle.op),
            scopes.name_scope(name, "TensorArrayStack", [self.handle]),
        ):
            value = self.gather(range_ops.range(0, self.size()), name=name)
            if self.element_shape and not self.dynamic_size and self._size is not None:
                size = TensorShape([known_size(self._size)])
                value.set_shape(size.concatenate(self.element_shape))
            return value

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Some elements along a new first dimension."""
        value = single(
            "TensorArrayGatherV3",
            self.handle,
            indices,
            self.flow,
            dtype=self.dtype,
            name=name,
            element_shape=self.element_shape,
        )
        if self.element_shape:
            value.set_shape(TensorShape([None]).concatenate(self.element_shape))
        return value

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first dimension."""
        value: Tensor = apply_op(
            "TensorArrayConcatV3",
            self.handle,
            self.flow,
            dtype=self.dtype,
            name=name,
            element_shape_except0=self.element_shape[1:],
        ).value
        if self.element_shape:
            rows = None
            if self.infer_shape:
                size = known_size(self.size())
                first = (self.element_shape.dims_tuple or (None,))[0]
                if size is not None and first is not None:
                    rows = size * first
            value.set_shape(TensorShape([rows]).concatenate(self.element_shape[1:]))
        return value

    def unstack(self, value: Any, name: str | None = None) -> NodeArray:
        """The array with the slices of a tensor along its first dimension as elements."""
        with scopes.name_scope(name, "TensorArrayUnstack", [self.handle, value]):
            count: Any = array_shape.shape(value)
            indices = range_ops.range(0, count[0])
            return self.scatter(indices=indices, value=value, name=name)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> NodeArray:
        """The array with the slices of a tensor as elements at these indices."""
        with scopes.name_scope(name, "TensorArrayScatter", [self.handle, value, indices]):
            value = written_value(value, self.dtype)
            self._check_element_shape(value.shape[1:])
            with self._maybe_colocate_with(value):
                flow = single(
                    "TensorArrayScatterV3", self.handle, indices, value, self.flow, name=name
                )
            return self.with_flow(flow)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> NodeArray:
        """The array with parts of a tensor, of these sizes, as elements."""
        with scopes.name_scope(name, "TensorArraySplit", [self.handle, value, lengths]):
            value = convert_to_tensor(value, dtype=self.dtype, name="value")
            with self._maybe_colocate_with(value):
                lengths = lengths_input(lengths)
                part = part_shape(value, lengths)
                if part is not None:
                    self._check_element_shape(part)
                flow = single(
                    "TensorArraySplitV3", self.handle, value, lengths, self.flow, name=name
                )
            return self.with_flow(flow)

    def size(self, name: str | None = None) -> Tensor:
        """Number of elements."""
        if not self.dynamic_size and self._size is not None:
            return convert_to_tensor(self._size, dtype=dtypes.int32)
        return single("TensorArraySizeV3", self.handle, self.flow, name=name)

    def close(self, name: str | None = None) -> Any:
        """The operation that frees the array."""
        return apply_op("TensorArrayCloseV3", self.handle, name=name)


def merge_element_shape(known: list[TensorShape], shape: TensorShape, infer_shape: bool) -> None:
    """Takes note of a written element's shape, in the list that an array's states share.

    Raises:
      ValueError: It contradicts the elements' shape.
    """
    if not shape.is_compatible_with(known[0]):
        raise ValueError(f"Inconsistent shapes: saw {shape} but expected {known[0]} ")
    if infer_shape:
        known[0] = known[0].merge_with(shape)


def written_value(value: Any, dtype: DType) -> Tensor:
    """A value to write as a tensor; a wrong type is an error of the step that writes it."""
    tensor = convert_to_tensor(value, preferred_dtype=dtype, name="value")
    if tensor.dtype != dtype:
        logging.error(
            f"Error: Input value {tensor} has dtype {tensor.dtype}, but expected dtype {dtype}.  "
            "This leads to undefined behavior and will be an error in future versions of "
            "TensorFlow."
        )
    return tensor


def lengths_input(lengths: Any) -> Tensor:
    """The sizes of the parts that a tensor is split into, as the ops take them."""
    cast: Tensor = cast_ops.cast(lengths, dtypes.int64)
    return cast


def part_shape(value: Tensor, lengths: Tensor) -> TensorShape | None:
    """Shape of the parts, where building knows that they are all of one size."""
    known = constant_value(lengths)
    if value.shape.rank is None or known is None or known.shape in ((), (0,)):
        return None
    if known.max() != known.min():
        return None
    return TensorShape([int(known[0])]).concatenate(value.shape[1:])


def known_size(size: Any) -> int | None:
    """A size where building knows it."""
    value = constant_value(size) if isinstance(size, Tensor) else size
    return None if value is None else int(value)


def _check_arguments(
    size: Any,
    dynamic_size: Any,
    clear_after_read: Any,
    tensor_array_name: Any,
    handle: Any,
    element_shape: Any,
) -> None:
    """Refuses what cannot be said of an array that exists already, and an array without size."""
    if handle is None:
        if size is None:
            raise ValueError("Size must be provided if handle is not provided")
        return
    if tensor_array_name:
        raise ValueError("Cannot construct with both handle and tensor_array_name")
    if not isinstance(handle, Tensor):
        raise TypeError(
            f"Expected `handle` to be a Tensor, but got `{handle}` of type `{type(handle)}` "
            "instead."
        )
    if size is not None:
        raise ValueError("Cannot provide both a handle and size at the same time")
    for argument, given in (
        ("element_shape", element_shape),
        ("dynamic_size", dynamic_size),
        ("clear_after_read", clear_after_read),
    ):
        if given is not None:
            raise ValueError(f"Cannot provide both a handle and {argument} at the same time")
