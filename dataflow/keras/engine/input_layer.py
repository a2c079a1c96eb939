"""Input: the tensors that models begin with."""

from __future__ import annotations

from typing import Any

from dataflow.keras import backend
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.engine.node import KerasHistory, Node
from dataflow.values import dtypes


class InputLayer(Layer):
    """Holds a placeholder, or a tensor that there is already.

    Args:
      input_shape: Shape without the batch.
      batch_size: Size of the batch; None for any.
      dtype: Element type; float32, or the tensor's, if None.
      input_tensor: A tensor to hold.
      sparse: Whether the placeholder is one of sparse tensors.
      name: Name of the layer and of the placeholder.
      ragged: Not supported.
      **kwargs: `batch_input_shape`: shape with the batch.

    Raises:
      ValueError: An argument is unknown, or shapes are given twice.
    """

    def __init__(
        self,
        input_shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        input_tensor: Any = None,
        sparse: bool = False,
        name: str | None = None,
        ragged: bool = False,
        **kwargs: Any,
    ) -> None:
        if "batch_input_shape" in kwargs:
            whole = kwargs.pop("batch_input_shape")
            if input_shape and whole:
                raise ValueError(
                    "Only provide the input_shape OR batch_input_shape argument to InputLayer, not "
                    "both at the same time."
                )
            batch_size, input_shape = whole[0], tuple(whole[1:])
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
        name = name or f"input_{backend.get_uid('input')}"
        if dtype is None:
            dtype = backend.floatx() if input_tensor is None else backend.dtype(input_tensor)
        super().__init__(name=name, dtype=dtype)
        self.built = self.supports_masking = True
        self.sparse, self.ragged, self.batch_size = sparse, ragged, batch_size
        self.is_placeholder = input_tensor is None
        if input_tensor is None:
            if isinstance(input_shape, int):
                input_shape = (input_shape,)
            if input_shape is None:
                shape = None
            else:
                shape = (batch_size, *_sizes(input_shape))
            self._batch_input_shape = shape
            input_tensor = backend.placeholder(
                shape=shape, dtype=self.dtype, name=self.name, sparse=sparse, ragged=ragged
            )
        else:
            self._batch_input_shape = backend.int_shape(input_tensor)
        input_tensor._keras_mask = None
        self._input_tensor = input_tensor
        self._begin_with(input_tensor)

    def _begin_with(self, tensor: Any) -> None:
        # A node that begins a model has lists, of what every other has by itself.
        ends = [tensor]
        Node(self, ends, ends, {})
        tensor._keras_history = KerasHistory(self, 0, 0)
        self._self_keep_call(tensor, tensor)

    @property
    def input_shape(self) -> Any:
        """The sizes of the tensor, in a list."""
        return [super().input_shape]

    @property
    def output_shape(self) -> Any:
        """The sizes of the tensor, in a list."""
        return [super().output_shape]

    def get_config(self) -> dict[str, Any]:
        """The shape with the batch, and the type."""
        return {
            "batch_input_shape": self._batch_input_shape,
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
        }


def _sizes(shape: Any) -> list[int | None]:
    return [getattr(each, "value", each) for each in shape]


def Input(
    shape: Any = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: Any = None,
    sparse: bool = False,
    tensor: Any = None,
    ragged: bool = False,
    **kwargs: Any,
) -> Any:
    """A tensor that models begin with: values are fed to it.

    Args:
      shape: Its shape without the batch.
      batch_size: Size of the batch; None for any.
      name: Its name.
      dtype: Its type; float32 if None.
      sparse: Whether it is a sparse one.
      tensor: A tensor that there is already, to be taken instead.
      ragged: Not supported.
      **kwargs: `batch_shape`, or `batch_input_shape`: shape with the batch.

    Raises:
      ValueError: There is no shape.
    """
    whole = kwargs.pop("batch_shape", None) or kwargs.pop("batch_input_shape", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
    if whole is not None:
        if shape is not None:
            raise ValueError(
                "Only provide the `shape` OR `batch_input_shape` argument to Input, "
                "not both at the same time."
            )
        batch_size, shape = whole[0], tuple(whole[1:])
    if shape is None and tensor is None:
        raise ValueError(
            "Please provide to Input either a `shape` or a `tensor` argument. Note that `shape` "
            "does not include the batch dimension."
        )
    kind = None if dtype is None else dtypes.as_dtype(dtype).name
    layer = InputLayer(shape, batch_size, kind, tensor, sparse, name, ragged)
    return layer._inbound_nodes[0].output_tensors[0]
