"""tensorflow.python.keras.engine.training_utils: looks at what programs give to fit and predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dataflow.graph.tensor import Tensor
from dataflow.library.datasets.dataset import Dataset
from dataflow.library.datasets.iterators import Iterator
from dataflow.porting.spellings.keras.batches import slice_arrays
from dataflow.values import logging, nest


def check_steps_argument(input_data: Any, steps: int | None, steps_name: str) -> bool:
    """Whether the number of steps must be told, as data come by themselves.

    Raises:
      ValueError: It must, and is not.
    """
    is_iterator = isinstance(input_data, Iterator)
    is_symbolic = any(isinstance(each, Tensor) for each in nest.flatten(input_data))
    is_empty = isinstance(input_data, list) and not input_data
    if input_data is None or is_iterator or is_symbolic or is_empty:
        if steps is None:
            what = "a Dataset iterator" if is_iterator else "data tensors"
            raise ValueError(
                f"When using {what} as input to a model, you should specify the `{steps_name}` "
                "argument."
            )
        return True
    if isinstance(input_data, Dataset):
        return True
    arrays = (np.ndarray, list, tuple)
    parts = input_data.values() if isinstance(input_data, dict) else [input_data]
    if steps is not None and any(isinstance(each, arrays) for each in parts):
        logging.warning(
            "When passing input data as arrays, do not specify `steps_per_epoch`/`steps` "
            "argument. Please use `batch_size` instead."
        )
    return False


def standardize_sample_or_class_weights(
    x_weight: Any, output_names: Sequence[str], weight_type: str
) -> Any:
    """Weights as a list with one item for each output.

    Raises:
      TypeError: There are several outputs, and weights come neither by name nor in a list.
      ValueError: There are more or fewer than outputs, or one of another name.
    """
    is_list = isinstance(x_weight, (list, tuple))
    if x_weight is None or (is_list and not x_weight):
        return [None for _ in output_names]
    if len(output_names) == 1:
        if is_list and len(x_weight) == 1:
            return x_weight
        if isinstance(x_weight, dict) and output_names[0] in x_weight:
            return [x_weight[output_names[0]]]
        return [x_weight]
    if is_list:
        if len(x_weight) != len(output_names):
            raise ValueError(
                f"Provided `{weight_type}` was a list of {len(x_weight)} elements, but the model "
                f"has {len(output_names)} outputs. You should provide one `{weight_type}`array "
                "per model output."
            )
        return x_weight
    if isinstance(x_weight, Mapping):
        if unknown := sorted(set(x_weight) - set(output_names)):
            raise ValueError(
                f"Unknown entries in {weight_type} dictionary: {unknown}. Only expected following "
                f"keys: {list(output_names)}"
            )
        return [x_weight.get(name) for name in output_names]
    raise TypeError(
        f"The model has multiple outputs, so `{weight_type}` should be either a list or a dict. "
        f"Provided `{weight_type}` type not understood: {x_weight}"
    )


def split_training_and_validation_data(
    x: Any, y: Any, sample_weights: Any, validation_split: float
) -> tuple[Any, Any, Any, Any, Any, Any]:
    """Inputs, targets and weights for training, then those for validation, which come last.

    Raises:
      ValueError: The data are tensors.
    """
    if any(isinstance(each, Tensor) for each in nest.flatten(x)):
        raise ValueError(
            "If your data is in the form of symbolic tensors, you cannot use `validation_split`."
        )
    end = int(len(x[0]) * (1.0 - validation_split))
    given = (x, y, sample_weights or None)
    first = [None if each is None else slice_arrays(each, 0, end) for each in given]
    last = [None if each is None else slice_arrays(each, end) for each in given]
    if not sample_weights:
        first[2] = sample_weights
    return (*first, *last)  # type: ignore[return-value]
