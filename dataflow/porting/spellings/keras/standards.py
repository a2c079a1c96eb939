"""tensorflow.python.keras.engine.training_utils: checks of what models are trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.graph.tensor import Tensor
from dataflow.keras import losses, metrics, ops
from dataflow.keras.engine import data

_OF_SHAPES = (losses.MeanSquaredError, losses.BinaryCrossentropy, losses.CategoricalCrossentropy)
_FUNCTIONS = (
    *(losses.mean_squared_error, losses.binary_crossentropy),
    losses.categorical_crossentropy,
)


def standardize_weights(
    y: Any,
    sample_weight: Any = None,
    class_weight: Any = None,
    sample_weight_mode: str | None = None,
) -> Any:
    """The weight of each sample, by its own and that of its class; None for neither."""
    return data.standardize_weights(y, sample_weight, class_weight, sample_weight_mode)


def standardize_class_weights(class_weight: Any, output_names: list[str]) -> list[Any]:
    """The weights of classes for each output."""
    return data.class_weights_of(class_weight, output_names)


def standardize_single_array(x: Any, expected_shape: Any = None) -> Any:
    """Numbers in a row as a column, unless a row is expected.

    Raises:
      ValueError: It is an integer.
    """
    if x is None:
        return None
    if isinstance(x, int):
        raise ValueError(f"Expected an array data type but received an integer: {x}")
    expects_row = expected_shape is not None and len(expected_shape) == 1
    if x.shape is None or len(x.shape) != 1 or expects_row:
        return x
    return ops.expand_dims(x, 1) if isinstance(x, Tensor) else np.expand_dims(x, 1)


def check_array_lengths(inputs: Any, targets: Any, weights: Any = None) -> None:
    """Raises ValueError unless all arrays have as many rows."""
    data.check_lengths(inputs or [], targets or [], weights or [])


def check_loss_and_target_compatibility(
    targets: Sequence[Any], loss_fns: Sequence[Any], output_shapes: Sequence[Any]
) -> None:
    """Checks that targets go with losses.

    Args:
      targets: An array for each output, or None.
      loss_fns: A loss for each, or None.
      output_shapes: The shape of each.

    Raises:
      ValueError: They do not.
    """
    for y, loss, shape in zip(targets, loss_fns, output_shapes, strict=False):
        if y is None or loss is None or isinstance(y, Tensor):
            continue
        function = getattr(loss, "fn", loss)
        if function is losses.categorical_crossentropy and y.shape[-1] == 1:
            raise ValueError(
                f"You are passing a target array of shape {y.shape} while using as loss "
                "`categorical_crossentropy`. `categorical_crossentropy` expects targets to be "
                "binary matrices (1s and 0s) of shape (samples, classes). If your targets are "
                "integer classes, use `to_categorical`, or the loss function "
                "`sparse_categorical_crossentropy` instead, which does expect integer targets."
            )
        if not isinstance(loss, _OF_SHAPES) and function not in _FUNCTIONS:
            continue
        for have, want in zip(y.shape[1:], shape[1:], strict=False):
            if want is not None and have != want:
                name = getattr(loss, "name", None) or function.__name__
                raise ValueError(
                    f"A target array with shape {y.shape} was passed for an output of shape "
                    f"{shape} while using as loss `{name}`. This loss expects targets to have the "
                    "same shape as the output."
                )


def check_generator_arguments(
    y: Any = None, sample_weight: Any = None, validation_split: Any = None
) -> None:
    """Refuses what a generator gives itself.

    Raises:
      ValueError: Something of it was given.
    """
    for name, value, third in (("y", y, "targets"), ("sample_weight", sample_weight, "weights")):
        if value is not None:
            whose = "targets as the second" if third == "targets" else "sample weights as the third"
            raise ValueError(
                f"`{name}` argument is not supported when data isa generator or Sequence instance. "
                f"Instead pass {whose} element of the generator."
            )
    if validation_split:
        raise ValueError(
            "If your data is in the form of a Python generator, you cannot use `validation_split`."
        )


def batch_shuffle(index_array: Any, batch_size: int) -> Any:
    """Numbers in another order of their batches; what is left over stays behind."""
    count = len(index_array) // batch_size * batch_size
    batches = index_array[:count].reshape(-1, batch_size)
    np.random.shuffle(batches)
    return np.append(batches.flatten(), index_array[count:])


def get_metric_name(metric: Any, weighted: bool = False) -> str:
    """The name that histories have a metric by."""
    if metric in ("accuracy", "acc"):
        name = "acc"
    elif metric in ("crossentropy", "ce"):
        name = "ce"
    else:
        known = metrics.get(metric)
        name = getattr(known, "name", None) or known.__name__
    return f"weighted_{name}" if weighted else name


def generic_output_names(outputs_list: Sequence[Any]) -> list[str]:
    """Names for outputs by their places."""
    return [f"output_{place + 1}" for place in range(len(outputs_list))]


def list_to_tuple(maybe_list: Any) -> Any:
    """A list as a tuple; anything else as it is."""
    return tuple(maybe_list) if isinstance(maybe_list, list) else maybe_list
