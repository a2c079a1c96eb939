"""tensorflow.python.keras.engine.data_adapter: datasets of what models are trained on."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.keras.engine.data import is_dataset
from dataflow.keras.utils import Sequence
from dataflow.library.datasets.dataset import Dataset
from dataflow.values import dtypes, nest


def is_none_or_empty(inputs: Any) -> bool:
    """Whether there is nothing."""
    return inputs is None or not nest.flatten(inputs)


class DataAdapter:
    """Makes a dataset of one kind of data.

    Args:
      x: The data.
      y: What is true of them.
      **kwargs: What a kind takes.

    Raises:
      ValueError: It is of another kind.
    """

    _size: int | None = None
    _batch_size: int | None = None
    _dataset: Any

    def __init__(self, x: Any, y: Any = None, **kwargs: Any) -> None:
        if not self.can_handle(x, y):
            raise ValueError(f"{type(self)} Cannot handle input {x}")

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """Whether data are of this kind."""
        raise NotImplementedError

    def get_dataset(self) -> Any:
        """The dataset, of tuples of inputs, targets and weights as far as they are there."""
        return self._dataset

    def get_size(self) -> int | None:
        """How many batches there are, if that is known."""
        return self._size

    def batch_size(self) -> int | None:
        """How many samples a batch has, if that is known."""
        return self._batch_size

    def has_partial_batch(self) -> bool:
        """Whether the last batch is smaller."""
        return False

    def partial_batch_size(self) -> int | None:
        """How many samples that one has."""
        return None

    def should_recreate_iterator(self, steps_per_epoch: int | None) -> bool:
        """Whether each epoch begins with the first batch."""
        return self.get_size() is not None or steps_per_epoch is None


class TensorLikeDataAdapter(DataAdapter):
    """Of arrays and tensors, whose rows are samples."""

    _kinds: ClassVar[tuple[type, ...]] = (Tensor, np.ndarray)

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """See `DataAdapter`."""
        kinds = TensorLikeDataAdapter._kinds
        return all(isinstance(each, kinds) for each in _atoms(x, y))

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weights: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        steps: int | None = None,
        shuffle: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(x, y, **kwargs)
        parts = [_tensors(x), _tensors(y), None if y is None else _weights(sample_weights)]
        inputs = tuple(each for each in parts if each is not None)
        count = int(nest.flatten(x)[0].shape[0])
        batch_size = batch_size or (math.ceil(count / steps) if steps else None)
        if not batch_size:
            raise ValueError(
                "`batch_size` or `steps` is required for `Tensor` or `NumPy` input data."
            )
        self._size, self._batch_size = math.ceil(count / batch_size), batch_size
        self._left = count % batch_size
        rows = Dataset.from_tensor_slices(inputs)
        rows = rows.shuffle(count) if shuffle else rows
        self._dataset = rows.batch(batch_size, drop_remainder=not self._left).repeat(epochs)

    def has_partial_batch(self) -> bool:
        """See `DataAdapter`."""
        return bool(self._left)

    def partial_batch_size(self) -> int | None:
        """See `DataAdapter`."""
        return self._left or None

    def should_recreate_iterator(self, steps_per_epoch: int | None) -> bool:
        """Not so: the dataset has all epochs."""
        return False


class CompositeTensorDataAdapter(TensorLikeDataAdapter):
    """The same with sparse tensors among them."""

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """See `DataAdapter`."""
        atoms = _atoms(x, y)
        kinds = (*TensorLikeDataAdapter._kinds, SparseTensor)
        is_sparse = any(isinstance(each, SparseTensor) for each in atoms)
        return is_sparse and all(isinstance(each, kinds) for each in atoms)


class ListsOfScalarsDataAdapter(TensorLikeDataAdapter):
    """Of numbers or words in lists."""

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """See `DataAdapter`."""
        return _is_list_of_scalars(x) and (y is None or _is_list_of_scalars(y))

    def __init__(self, x: Any, y: Any = None, sample_weights: Any = None, **kwargs: Any) -> None:
        x, y, weights = (
            each if each is None else np.asarray(each) for each in (x, y, sample_weights)
        )
        super().__init__(x, y, weights, **kwargs)


class _Given(DataAdapter):
    """Of what gives batches with all that belongs to them."""

    _what: ClassVar[str]

    def __init__(self, x: Any, y: Any = None, sample_weights: Any = None, **kwargs: Any) -> None:
        super().__init__(x, y, **kwargs)
        for name, value in (("y", y), ("sample_weight", sample_weights)):
            if not is_none_or_empty(value):
                raise ValueError(
                    f"`{name}` argument is not supported when using {self._what} as input."
                )

    def _take(self, batches: Any, first: Any) -> None:
        """Makes the dataset of a function that gives batches like the first one."""
        kinds = nest.map_structure(lambda each: dtypes.as_dtype(each.dtype), first)
        shapes = nest.map_structure(lambda each: (None, *each.shape[1:]), first)
        self._batch_size = int(nest.flatten(first)[0].shape[0])
        self._dataset = Dataset.from_generator(batches, kinds, output_shapes=shapes)


class DatasetAdapter(_Given):
    """Of a dataset: itself."""

    _what = "dataset"

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """See `DataAdapter`."""
        return is_dataset(x)

    def __init__(self, x: Any, y: Any = None, sample_weights: Any = None, **kwargs: Any) -> None:
        super().__init__(x, y, sample_weights, **kwargs)
        self._dataset = x


class GeneratorDataAdapter(_Given):
    """Of a generator of batches."""

    _what = "python generator"

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """See `DataAdapter`."""
        return inspect.isgenerator(x)

    def __init__(self, x: Any, y: Any = None, sample_weights: Any = None, **kwargs: Any) -> None:
        super().__init__(x, y, sample_weights, **kwargs)
        first = next(x)
        self._take(lambda: itertools.chain([first], x), first)


class KerasSequenceAdapter(_Given):
    """Of a `Sequence` of batches."""

    _what = "`keras.utils.Sequence`"

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """See `DataAdapter`."""
        return isinstance(x, Sequence)

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weights: Any = None,
        shuffle: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(x, y, sample_weights, **kwargs)

        def batches() -> Iterator[Any]:
            return (x[place] for place in range(len(x)))

        self._take(batches, x[0])
        self._size = len(x)
        if shuffle:
            self._dataset = self._dataset.shuffle(len(x))


ALL_ADAPTER_CLS: list[type[DataAdapter]] = [
    ListsOfScalarsDataAdapter,
    TensorLikeDataAdapter,
    DatasetAdapter,
    GeneratorDataAdapter,
    KerasSequenceAdapter,
    CompositeTensorDataAdapter,
]


def select_data_adapter(x: Any, y: Any) -> type[DataAdapter]:
    """The kind of data.

    Raises:
      ValueError: They are of none.
      RuntimeError: They are of several.
    """
    found = [kind for kind in ALL_ADAPTER_CLS if kind.can_handle(x, y)]
    told = f"input: {_type_name(x)}, {_type_name(y)}"
    if not found:
        raise ValueError(f"Failed to find data adapter that can handle {told}")
    if len(found) > 1:
        raise RuntimeError(
            "Data adapters should be mutually exclusive for handling inputs. Found multiple "
            f"adapters {found} to handle {told}"
        )
    return found[0]


def _type_name(x: Any) -> str:
    if isinstance(x, dict):
        keys, values = ({_type_name(each) for each in part} for part in (x, x.values()))
        return f"({type(x)} containing {keys} keys and {values} values)"
    if isinstance(x, (list, tuple)):
        return f"({type(x)} containing values of types { {_type_name(each) for each in x} })"
    return str(type(x))


def _atoms(x: Any, y: Any) -> list[Any]:
    return [*nest.flatten(x), *([] if y is None else nest.flatten(y))]


def _is_list_of_scalars(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return bool(x) and _is_list_of_scalars(x[0])
    return isinstance(x, (float, int, str))


def _tensors(x: Any) -> Any:
    """Arrays as what `Dataset.from_tensor_slices` takes: a single one alone, lists as tuples."""
    if is_none_or_empty(x):
        return None
    flat = nest.flatten(x)
    if len(flat) == 1:
        return flat[0]
    return tuple(_tensors(each) for each in x) if isinstance(x, (list, tuple)) else x


def _weights(sample_weights: Any) -> Any:
    """The weights of samples; 1 for outputs that have none."""
    if not isinstance(sample_weights, (list, tuple)):
        return _tensors(sample_weights)
    known = [each for each in sample_weights if each is not None]
    if not known:
        return None
    ones = np.ones([int(known[0].shape[0])], np.float32)
    return _tensors([ones if each is None else each for each in sample_weights])
