"""tf.TensorArray: an array of tensors that a loop writes and reads one by one."""

from __future__ import annotations

from typing import Any

from dataflow.control_flow.version import is_functional
from dataflow.functions.flow import FlowCarrier
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.ops.lists.tensor_array_lists import NodeList
from dataflow.ops.lists.tensor_array_nodes import NodeArray
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


class TensorArray(FlowCarrier):
    """An array of tensors of one element type, for use with `while_loop` and its like.

    A method that changes the array returns it in its new state; the old one is not to be used any
    more. Each state has a flow, a tensor that orders the operations on the array and carries its
    gradients.

    Args:
      dtype: Element type.
      size: Number of elements, an int32 scalar; needed unless `handle` is given.
      dynamic_size: Writing behind the end makes the array longer. Default: False.
      clear_after_read: Reading an element drops it, which frees its memory but lets it be read
        only once. Default: True.
      tensor_array_name: Name of the array at run time.
      handle: Handle of an array that exists.
      flow: Flow of an array that exists.
      infer_shape: All elements must have the same shape.
      element_shape: What is known of that shape.
      colocate_with_first_write_call: Puts the array on the device of the first tensor that is
        written, unstacked or split into it, not on that of the device scope.
      name: Name of the operation.

    Raises:
      ValueError: Arguments contradict each other, or a size is missing.
      TypeError: `handle` is no tensor.
    """

    _type_spec: Any
    """Describes the array, for datasets."""

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
        self._implementation: NodeArray | NodeList
        is_list = flow is not None and flow.dtype == dtypes.variant
        if is_list or is_functional(scopes.get_default_graph()):
            assert handle is None, "An array with a handle is not for functional control flow."
            self._implementation = NodeList(
                dtype,
                size=size,
                dynamic_size=dynamic_size,
                flow=flow,
                infer_shape=infer_shape,
                element_shape=element_shape,
                name=name,
            )
            return
        self._implementation = NodeArray(
            dtype,
            size=size,
            dynamic_size=dynamic_size,
            clear_after_read=clear_after_read,
            tensor_array_name=tensor_array_name,
            handle=handle,
            flow=flow,
            infer_shape=infer_shape,
            element_shape=element_shape,
            colocate_with_first_write_call=colocate_with_first_write_call,
            name=name,
        )

    def mark_used(self) -> None:
        """Says that this state is meant to be left alone, of which nothing warns here."""

    @staticmethod
    def _of(implementation: NodeArray | NodeList) -> TensorArray:
        if isinstance(implementation, NodeArray) and is_functional(scopes.get_default_graph()):
            raise NotImplementedError(
                "Attempting to build a graph-mode TF2-style TensorArray from either an eager-mode "
                "TensorArray or a TF1-style TensorArray.  This is not currently supported.  You "
                "may be attempting to capture a TensorArray inside a tf.function or tf.data map "
                "function. Instead, construct a new TensorArray inside the function."
            )
        array = TensorArray.__new__(TensorArray)
        array._implementation = implementation
        return array

    @property
    def flow(self) -> Tensor:
        """The scalar that orders the operations on the array in this state."""
        return self._implementation.flow

    def _with_flow(self, flow: Tensor) -> TensorArray:
        return self._of(self._implementation.with_flow(flow))

    def _of_branch(self, flow: Tensor, shape: TensorShape) -> TensorArray:
        # Not even the size is taken from one branch.
        array = TensorArray(
            self.dtype, flow=flow, dynamic_size=self.dynamic_size, infer_shape=self._infer_shape
        )
        array._implementation.set_element_shape(shape)
        return array

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._implementation.dtype

    @property
    def handle(self) -> Any:
        """The tensor that stands for the array at run time."""
        return self._implementation.handle

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the elements' shape."""
        return self._implementation.element_shape

    @property
    def dynamic_size(self) -> bool | None:
        """Whether the array grows."""
        return self._implementation.dynamic_size

    @property
    def _infer_shape(self) -> bool:
        return self._implementation.infer_shape

    def identity(self) -> TensorArray:
        """The same array, ordered behind the control dependencies in force."""
        return self._of(self._implementation.identity())

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> TensorArray:
        """The array of this array's gradients.

        Args:
          source: Names the call of `tf.gradients` it belongs to.
          flow: The state whose size it gets; this one if None.
          name: Name of the operation.
        """
        return self._of(self._implementation.grad(source, flow=flow, name=name))

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at `index`, an int32 scalar."""
        return self._implementation.read(index, name=name)

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Puts a value to `index`, an int32 scalar.

        Raises:
          ValueError: The value's shape does not fit the elements' shape.
        """
        return self._of(self._implementation.write(index, value, name=name))

    def stack(self, name: str | None = None) -> Tensor:
        """All elements, which must have one shape, along a new first dimension."""
        return self._implementation.stack(name=name)

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at `indices`, an int32 vector, along a new first dimension."""
        return self._implementation.gather(indices, name=name)

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first dimension, in which alone they may differ."""
        return self._implementation.concat(name=name)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Makes the slices of a tensor along its first dimension the elements.

        Raises:
          ValueError: The slices' shape does not fit the elements' shape.
        """
        return self._of(self._implementation.unstack(value, name=name))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Puts the slices of a tensor along its first dimension to `indices`, an int32 vector.

        Raises:
          ValueError: The slices' shape does not fit the elements' shape.
        """
        return self._of(self._implementation.scatter(indices, value, name=name))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Makes parts of a tensor, of these lengths along its first dimension, the elements.

        Raises:
          ValueError: The parts' shape does not fit the elements' shape.
        """
        return self._of(self._implementation.split(value, lengths, name=name))

    def size(self, name: str | None = None) -> Tensor:
        """Number of elements, an int32 scalar."""
        return self._implementation.size(name=name)

    def close(self, name: str | None = None) -> Any:
        """The operation that frees the array."""
        return self._implementation.close(name=name)
