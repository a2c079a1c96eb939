"""tensorflow.python.keras.testing_utils.layer_test: what must hold of every layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow import keras
from dataflow.library.datasets.specs import TensorSpec
from dataflow.values.dtypes import as_dtype
from dataflow.values.shapes import as_shape


def layer_test(
    layer_cls: Any,
    kwargs: dict[str, Any] | None = None,
    input_shape: Any = None,
    input_dtype: Any = None,
    input_data: Any = None,
    expected_output: Any = None,
    expected_output_dtype: Any = None,
    expected_output_shape: Any = None,
    validate_training: bool = True,
    adapt_data: Any = None,
) -> Any:
    """Checks a layer of one input and one output, in models of both kinds.

    What it says of its output's shape and type holds; models of it are made again of their
    configurations and give the same; it can be trained.

    Args:
      layer_cls: Class of the layer.
      kwargs: Its arguments.
      input_shape: Shape of a batch; None for any size.
      input_dtype: Element type of the inputs.
      input_data: The inputs; random numbers if None.
      expected_output: What the layer is to give, or None.
      expected_output_dtype: Element type of the output; that of the inputs if None.
      expected_output_shape: Static shape of the output, or None.
      validate_training: Whether a step of training is tried.
      adapt_data: What the layer's `adapt` is called with, or None.

    Returns:
      What the layer gave in a `Sequential`.

    Raises:
      AssertionError: Something does not hold.
      ValueError: There is neither a shape nor data.
    """
    data, input_shape, input_dtype = _inputs(input_shape, input_dtype, input_data)
    kwargs = kwargs or {}
    layer = _made(layer_cls, kwargs, adapt_data)
    layer.set_weights(layer.get_weights())

    x = keras.Input(shape=input_shape[1:], dtype=input_dtype)
    y = layer(x)
    label = f"When testing layer {layer_cls.__name__}, for input {x}, with {kwargs}: "
    wanted = expected_output_dtype or input_dtype
    if keras.backend.dtype(y) != as_dtype(wanted).base_dtype.name:
        raise AssertionError(f"{label}output is of type {keras.backend.dtype(y)}, not {wanted}")
    if expected_output_shape is not None:
        _check_shape(label, as_shape(expected_output_shape), as_shape(y.shape))
    model = keras.Model(x, y)
    told = layer.compute_output_shape(as_shape(input_shape))
    signature = layer.compute_output_signature(TensorSpec(shape=input_shape, dtype=input_dtype))
    output = model.predict(data)
    _check_shape(label, told, output.shape)
    _check_shape(label, signature.shape, output.shape)
    if as_dtype(signature.dtype) != as_dtype(output.dtype):
        raise AssertionError(f"{label}output is of type {output.dtype}, not {signature.dtype}")
    _check_values(output, expected_output)
    _check_copy(model, data, output)
    if validate_training:
        trained = keras.Model(x, layer(x))
        trained.compile("rmsprop", "mse", weighted_metrics=["acc"])
        trained.train_on_batch(data, output)

    config = {**layer.get_config(), "batch_input_shape": input_shape}
    row = keras.Sequential()
    again = type(layer).from_config(config)
    if adapt_data is not None:
        again.adapt(adapt_data)
    row.add(again)
    output = row.predict(data)
    _check_shape(label, told, output.shape)
    _check_values(output, expected_output)
    _check_copy(row, data, output)
    return output


def _inputs(shape: Any, dtype: Any, data: Any) -> tuple[Any, tuple[Any, ...], Any]:
    if data is not None:
        return data, tuple(data.shape if shape is None else shape), dtype or data.dtype
    if shape is None:
        raise ValueError("input_shape is None")
    kind = as_dtype(dtype or "float32")
    sizes = [np.random.randint(1, 4) if each is None else each for each in shape]
    data = 10 * np.random.random(sizes)
    if kind.is_floating:
        data -= 0.5
    return data.astype(kind.as_numpy_dtype), tuple(shape), kind.name


def _made(layer_cls: Any, kwargs: dict[str, Any], adapt_data: Any) -> Any:
    layer = layer_cls(**kwargs)
    if adapt_data is not None:
        layer.adapt(adapt_data)
    return layer


def _check_shape(label: str, told: Any, found: Any) -> None:
    if not as_shape(told).is_compatible_with(as_shape(found)):
        raise AssertionError(f"{label}output is of shape {found}, not {told}")


def _check_values(output: Any, expected: Any) -> None:
    if expected is not None:
        np.testing.assert_allclose(output, expected, rtol=1e-3, atol=1e-6)


def _check_copy(model: Any, data: Any, output: Any) -> None:
    copy = type(model).from_config(model.get_config())
    if model.weights:
        copy.set_weights(model.get_weights())
        _check_values(copy.predict(data), output)
