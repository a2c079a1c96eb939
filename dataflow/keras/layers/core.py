"""Layers that change the form of tensors, mask them, or call a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras import ops, regularizers
from dataflow.keras.arguments import takes_arguments
from dataflow.keras.backend.questions import convert_shapes
from dataflow.keras.backend.settings import format_of
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.layers.adapted import Dropout
from dataflow.library.layers.input_spec import InputSpec
from dataflow.values import nest
from dataflow.values.shapes import TensorShape, as_shape
from dataflow.variables.variable import variable_creator_scope


class Masking(Layer):
    """Masks steps whose values are all equal to one value, and sets them to zero."""

    supports_masking = True
    _compute_output_and_mask_jointly = True

    @takes_arguments
    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Where some value is another."""
        return K.any(ops.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs: Any) -> Any:
        """The inputs, zero where they are masked."""
        kept = K.any(ops.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = inputs * ops.cast(kept, inputs.dtype)
        outputs._keras_mask = ops.squeeze(kept, axis=[-1])
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape

    mask_value: float


class _SpatialDropout(Dropout):
    """Sets whole channels to zero in training."""

    _rank = 1

    def _noise_shape_of(self, inputs: Any) -> Any:
        sizes = ops.shape(inputs)
        ones = [1] * self._rank
        if getattr(self, "data_format", "channels_last") == "channels_first":
            return ops.stack([sizes[0], sizes[1], *ones])
        return ops.stack([sizes[0], *ones, sizes[self._rank + 1]])


class SpatialDropout1D(_SpatialDropout):
    """Sets whole channels of sequences to zero in training."""

    @takes_arguments
    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)
        self.input_spec = InputSpec(ndim=3)


class _SpatialDropoutND(_SpatialDropout):
    @takes_arguments
    def __init__(self, rate: float, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)
        self.data_format = format_of(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)


class SpatialDropout2D(_SpatialDropoutND):
    """Sets whole channels of images to zero in training."""

    _rank = 2


class SpatialDropout3D(_SpatialDropoutND):
    """Sets whole channels of volumes to zero in training."""

    _rank = 3


class Activation(Layer):
    """A function of one tensor, element by element, or its name."""

    supports_masking = True
    activation: Callable[[Any], Any]

    @takes_arguments
    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def call(self, inputs: Any) -> Any:
        """The function of the inputs."""
        return self.activation(inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape


class Reshape(Layer):
    """Another shape for each element of the batch; one size may be -1."""

    target_shape: tuple[int, ...]

    @takes_arguments
    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The batch and the new shape.

        Raises:
          ValueError: The inputs have another number of elements.
        """
        sizes: list[Any] = as_shape(input_shape).as_list()
        inner, wanted = sizes[1:], list(self.target_shape)
        if None in inner:
            return TensorShape([sizes[0], *(None if each == -1 else each for each in wanted)])
        count, known = int(np.prod(inner)), int(np.prod([each for each in wanted if each != -1]))
        fits = count == known if -1 not in wanted else known and count % known == 0
        if not fits:
            raise ValueError("total size of new array must be unchanged")
        return TensorShape([sizes[0], *(count // known if each == -1 else each for each in wanted)])

    def call(self, inputs: Any) -> Any:
        """The inputs in the new shape."""
        result = ops.reshape(inputs, (ops.shape(inputs)[0], *self.target_shape))
        result.set_shape(self.compute_output_shape(inputs.shape))
        return result


class Permute(Layer):
    """Another order of the dimensions behind the batch, counted from 1."""

    dims: tuple[int, ...]

    @takes_arguments
    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise ValueError(
                f"Invalid permutation `dims` for Permute Layer: {dims}. The set of indices in "
                "`dims` must be consecutive and start from 1."
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The sizes in the new order."""
        sizes = as_shape(input_shape).as_list()
        return TensorShape([sizes[0], *(sizes[each] for each in self.dims)])

    def call(self, inputs: Any) -> Any:
        """The inputs with their dimensions in the new order."""
        return ops.transpose(inputs, (0, *self.dims))


class RepeatVector(Layer):
    """Each vector n times: (batch, n, size)."""

    n: int

    @takes_arguments
    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.input_spec = InputSpec(ndim=2)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape with `n` in the middle."""
        sizes = as_shape(input_shape).as_list()
        return TensorShape([sizes[0], self.n, sizes[1]])

    def call(self, inputs: Any) -> Any:
        """The repeated vectors."""
        return K.repeat(inputs, self.n)


class Lambda(Layer):
    """Any function as a layer, with further arguments by their names.

    Args:
      function: The function.
      output_shape: The shape without the batch, or a function of the input's.
      mask: The mask of the outputs, or a function of the inputs and theirs.
      arguments: What the function gets besides.
      **kwargs: See `Layer`.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.function, self.arguments = function, arguments or {}
        self._output_shape, self.mask = output_shape, mask
        self.supports_masking = mask is not None
        code = getattr(function, "__code__", None)
        names = (
            () if code is None else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        )
        self._passed = [each for each in ("mask", "training") if each in names]
        self._variables_made: dict[str, Any] = {}

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        """The function of the inputs; the variables that it makes are the layer's."""
        with variable_creator_scope(self._one_of_each_name):
            return self._of(inputs, mask, training)

    def _of(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        given = dict(self.arguments)
        for name, value in (("mask", mask), ("training", training)):
            if name in self._passed:
                given[name] = value
        return self.function(inputs, **given)

    def _one_of_each_name(self, make: Callable[..., Any], **options: Any) -> Any:
        """Makes a variable at the first call; later ones get it again."""
        name = options["name"]
        if name not in self._variables_made:
            made = self._variables_made[name] = make(**options)
            own = self._trainable_weights if made.trainable else self._non_trainable_weights
            own.append(made)
            K.track_variable(made)
        return self._variables_made[name]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask that was given."""
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape that was given, or else that of the function of tensors of some shape."""
        shapes = convert_shapes(input_shape, to_tuples=False)
        if callable(self._output_shape):
            return convert_shapes(self._output_shape(convert_shapes(shapes)), to_tuples=False)
        if self._output_shape is not None:
            batch = nest.flatten(shapes)[0].as_list()[0]
            return nest.map_structure(
                lambda each: TensorShape([batch, *each.as_list()]),
                convert_shapes(self._output_shape, to_tuples=False),
            )
        with ops.Graph().as_default():
            inputs = nest.map_structure(
                lambda each: ops.placeholder(self.dtype or K.floatx(), each), shapes
            )
            try:
                outputs = self._of(inputs)
            except TypeError:
                raise NotImplementedError(
                    "We could not automatically infer the shape of the Lambda's output. Please "
                    "specify `output_shape` for this Lambda."
                ) from None
            return nest.map_structure(lambda each: each.shape, outputs)

    def get_config(self) -> dict[str, Any]:
        """The functions by their names; in this process `from_config` takes them from there."""
        config = self._base_config()
        for name, value in (
            ("function", self.function),
            ("output_shape", self._output_shape),
            ("mask", self.mask),
        ):
            config[name], config[f"{name}_type"] = _told(value)
            config["module" if name == "function" else f"{name}_module"] = getattr(
                value, "__module__", None
            )
        return {**config, "arguments": dict(self.arguments)}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """The layer of what `get_config` gave.

        Raises:
          ValueError: The config comes from a file, and the function has no name: its code is not
            run.
        """
        config = dict(config)
        for name in ("function", "output_shape", "mask"):
            kind = config.pop(f"{name}_type", "raw")
            config.pop("module" if name == "function" else f"{name}_module", None)
            if isinstance(config.get(name), _Function):
                config[name] = config[name].function
            elif kind == "lambda":
                raise ValueError(
                    "A `Lambda` layer of a function without a name is not made again of a file: "
                    "nothing that is loaded may run code. Give the function a name, and it in "
                    "`custom_objects`."
                )
            elif kind == "function":
                from dataflow.keras.objects import deserialize_keras_object

                config[name] = deserialize_keras_object(
                    config[name], None, custom_objects, "function in Lambda layer"
                )
        return cls(**config)


class _Function(str):
    """The name of a function, which has the function itself as long as it is not written."""

    __slots__ = ("function",)

    function: Callable[..., Any]

    def __copy__(self) -> _Function:
        return self

    def __deepcopy__(self, memo: Any) -> _Function:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)


def _told(value: Any) -> tuple[Any, str]:
    if not callable(value):
        return value, "raw"
    name = _Function(value.__name__)
    name.function = value
    return name, "lambda" if name == "<lambda>" else "function"


class ActivityRegularization(Layer):
    """A loss of the inputs' sizes."""

    supports_masking = True

    @takes_arguments
    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1, l2), **kwargs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape


class Softmax(Layer):
    """Exponentials over their sum along a dimension."""

    supports_masking = True
    axis: int

    @takes_arguments
    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def call(self, inputs: Any) -> Any:
        """See above."""
        return ops.softmax(inputs, axis=self.axis)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the input."""
        return input_shape
