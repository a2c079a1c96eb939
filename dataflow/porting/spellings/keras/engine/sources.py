"""tensorflow.python.keras.engine: inputs as tensors of a graph, batches of any data, and what is
asked of datasets before training."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from typing import Any

import numpy as np

from dataflow.graph.tensor import Tensor
from dataflow.keras import backend, ops
from dataflow.keras.engine.data import is_dataset, is_iterator
from dataflow.keras.utils import Sequence
from dataflow.porting.spellings.keras.batches import make_batches
from dataflow.porting.spellings.keras.files import is_generator_or_sequence
from dataflow.values import dtypes, logging, nest

_FILES = frozenset(("FixedLengthRecord", "TextLine", "TFRecord"))
_PLAIN = _FILES | {
    *("Cache", "Concatenate", "Filter", "Map", "ParallelMap", "Prefetch", "Range", "Repeat"),
    *("Skip", "SparseTensorSlice", "Take", "Tensor", "TensorSlice", "Zip"),
}


class ModelInputs:
    """Inputs of a model: arrays or tensors, alone, in a list, or by their names."""

    def __init__(self, inputs: Any) -> None:
        self._inputs = inputs
        if isinstance(inputs, dict):
            self._input_names = sorted(inputs)
            self._flattened_inputs = [inputs[name] for name in self._input_names]
        else:
            self._flattened_inputs = nest.flatten(inputs)
            count = len(self._flattened_inputs)
            self._input_names = [f"input_{place + 1}" for place in range(count)]

    def get_input_names(self) -> list[str]:
        """Their names."""
        return self._input_names

    def get_symbolic_inputs(self, return_single_as_list: bool = False) -> Any:
        """Placeholders in the place of arrays, in the structure that was given."""
        pairs = zip(self._input_names, self._flattened_inputs, strict=True)
        self._flattened_inputs = [_placeholder(name, each) for name, each in pairs]
        if isinstance(self._inputs, dict):
            return dict(zip(self._input_names, self._flattened_inputs, strict=True))
        if not isinstance(self._inputs, (list, tuple)) and not return_single_as_list:
            return self._flattened_inputs[0]
        return self._flattened_inputs

    def as_dict(self) -> Iterator[tuple[str, Any]]:
        """Names and inputs."""
        return zip(self._input_names, self._flattened_inputs, strict=True)

    def as_list(self) -> list[Any]:
        """The inputs."""
        return self._flattened_inputs


def _placeholder(name: str, value: Any) -> Any:
    if isinstance(value, (list, float, int)):
        value = np.asarray(value)
        value = value[:, None] if value.ndim == 1 else value
    if isinstance(value, Tensor) or not hasattr(value, "shape"):
        return value
    kind = dtypes.as_dtype(value.dtype)
    if kind.is_floating and isinstance(value, np.ndarray):
        kind = dtypes.as_dtype(backend.floatx())
    sizes = tuple(ops.TensorShape(value.shape).as_list()[1:]) or (1,)
    return backend.placeholder(shape=(None, *sizes), name=name, dtype=kind)


def convert_to_generator_like(
    data: Any,
    batch_size: int | None = None,
    steps_per_epoch: int | None = None,
    epochs: int = 1,
    shuffle: bool = False,
) -> tuple[Any, int | None]:
    """What gives batches of any data, and how many an epoch has.

    Raises:
      ValueError: They are arrays, and there is no size of batches.
    """
    if isinstance(data, tuple):
        data = tuple(each for each in data if any(x is not None for x in nest.flatten(each)))
    if is_generator_or_sequence(data) or is_iterator(data):
        if isinstance(data, Sequence) and steps_per_epoch is None:
            steps_per_epoch = len(data)
        return data, steps_per_epoch
    if is_dataset(data):
        return data.make_one_shot_iterator(), steps_per_epoch
    flat = nest.flatten(data)
    count = int(flat[0].shape[0])
    if batch_size is None:
        raise ValueError(
            "When passing input data as arrays, do not specify `steps_per_epoch`/`steps` argument. "
            "Please use `batch_size` instead."
        )

    def batches(size: int) -> Iterator[Any]:
        order = np.arange(count)
        for _ in range(epochs):
            if shuffle:
                np.random.shuffle(order)
            for begin, end in make_batches(count, size):
                rows = [each[order[begin:end]] for each in flat]
                yield nest.pack_sequence_as(data, rows)

    return batches(batch_size), math.ceil(count / batch_size)


def assert_not_batched(dataset: Any) -> None:
    """Raises ValueError unless a dataset and what it is made of surely give single samples."""
    _check_kinds(dataset, _PLAIN | {"Shuffle"}, "batched")


def assert_not_shuffled(dataset: Any) -> None:
    """Raises ValueError unless a dataset and what it is made of surely keep their order."""
    _check_kinds(dataset, _PLAIN | {"Batch", "PaddedBatch", "Window"}, "shuffled")


def _check_kinds(dataset: Any, allowed: frozenset[str], what: str) -> None:
    # Readers flatten the names of their files.
    kind = type(dataset).__name__.removesuffix("V2").removesuffix("V1").removesuffix("Dataset")
    if kind not in _FILES:
        kind = dataset._variant_tensor.op.type.partition("Dataset")[0]
    if kind not in allowed:
        raise ValueError(f"Could not assert that dataset is not {what}.")
    for each in dataset._inputs():
        _check_kinds(each, allowed, what)


def verify_dataset_shuffled(x: Any) -> None:
    """Warns of a dataset that surely keeps its order."""
    try:
        assert_not_shuffled(x)
    except ValueError:
        return
    logging.warning(
        "Expected a shuffled dataset but input dataset `x` is not shuffled. Please invoke "
        "`shuffle()` on input dataset."
    )


def is_dataset_or_iterator(data: Any) -> bool:
    """Whether it is a dataset of tf.data, or an iterator of one."""
    return is_dataset(data) or is_iterator(data)


def is_eager_dataset_or_iterator(data: Any) -> bool:
    """False: there are no eager ones here."""
    return False


def has_tensors(ls: Any) -> bool:
    """Whether there is a tensor in a list, among the values of a dictionary, or it is one."""
    values = ls.values() if isinstance(ls, dict) else ls
    atoms = [*values] if isinstance(ls, (list, tuple, dict)) else [ls]
    return any(isinstance(each, Tensor) for each in atoms)


has_symbolic_tensors = has_tensors


def is_feature_layer(layer: Any) -> bool:
    """Whether a layer takes features by their names."""
    return bool(getattr(layer, "_is_feature_layer", False))


def should_run_validation(validation_freq: Any, epoch: int) -> bool:
    """Whether there is a validation after an epoch.

    Args:
      validation_freq: After how many epochs, or the numbers of the epochs from 1 on.
      epoch: Its number from 0 on.

    Raises:
      ValueError: It is another thing, or less than 1.
    """
    if isinstance(validation_freq, int):
        if validation_freq < 1:
            raise ValueError("`validation_freq` can not be less than 1.")
        return (epoch + 1) % validation_freq == 0
    if not isinstance(validation_freq, Container):
        raise ValueError(
            "`validation_freq` must be an Integer or `collections_abc.Container` (e.g. list, "
            "tuple, etc.)"
        )
    return epoch + 1 in validation_freq
