"""Batches of arrays and of iterators, as feeds of placeholders."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from dataflow.contrib.learn.learn_io.dask_io import extract_dask_data, extract_dask_labels
from dataflow.contrib.learn.learn_io.pandas_io import (
    extract_pandas_data,
    extract_pandas_labels,
    extract_pandas_matrix,
)
from dataflow.ops.basic.placeholder import placeholder
from dataflow.values import dtypes, logging

_SEED = 42
"""By which rows are shuffled if no other generator is given."""


def setup_train_data_feeder(
    x: Any,
    y: Any,
    n_classes: Any,
    batch_size: int | None = None,
    shuffle: bool = True,
    epochs: int | None = None,
) -> DataFeeder:
    """A feeder of training data; a `StreamingDataFeeder` if they are iterators.

    Args:
      x: An array or table of features, arrays by name, or an iterator of examples.
      y: The same of labels, or None.
      n_classes: See `DataFeeder`.
      batch_size: How many examples a batch has; all if None.
      shuffle: Whether examples are shuffled, unless they come from an iterator.
      epochs: How often all examples are given; endlessly if None.

    Raises:
      ValueError: Of `x` and `y` only `x` is an iterator, or a batch has no examples.
    """
    x, y = extract_pandas_data(extract_dask_data(x)), extract_pandas_labels(extract_dask_labels(y))
    if not isinstance(x, Iterator):
        return DataFeeder(x, y, n_classes, batch_size, shuffle=shuffle, epochs=epochs)
    if y is not None and not isinstance(y, Iterator):
        raise ValueError("Both x and y should be iterators for streaming learning to work.")
    return StreamingDataFeeder(x, y, n_classes, batch_size)


def setup_predict_data_feeder(x: Any, batch_size: int | None = None) -> Any:
    """Batches to predict of: a list, or an iterator of one.

    Args:
      x: An array or table of features, or an iterator of examples.
      batch_size: How many examples a batch has; all if None.

    Raises:
      ValueError: A batch has no examples.
    """
    x = extract_pandas_data(extract_dask_data(x))
    _check_size(batch_size)
    if isinstance(x, Iterator):
        return _batches(x, batch_size)
    if len(x.shape) == 1:
        x = np.reshape(x, (-1, 1))
    if batch_size is None:
        return [x]
    count = math.ceil(len(x) / batch_size)
    return [x[i * batch_size : (i + 1) * batch_size] for i in range(count)]


def setup_processor_data_feeder(x: Any) -> Any:
    """What a preprocessor goes through: the values of a table, or what is given."""
    return extract_pandas_matrix(x)


def check_array(array: Any, dtype: Any) -> Any:
    """An array or list as an array of a type; what is neither is given back."""
    return np.asarray(array, dtype=dtype) if isinstance(array, np.ndarray | list) else array


class DataFeeder:
    """Batches of arrays."""

    def __init__(
        self,
        x: Any,
        y: Any,
        n_classes: Any,
        batch_size: int | None = None,
        shuffle: bool = True,
        random_state: np.random.RandomState | None = None,
        epochs: int | None = None,
    ) -> None:
        """Takes arrays.

        Args:
          x: Features `[examples, ...]`, or several by name.
          y: Labels `[examples, ...]`, several by name, or None.
          n_classes: How many classes labels have, whose feeds are then one-hot; 0 and 1 are for
            numbers, None gives labels as they are. By name for labels by name.
          batch_size: How many examples a batch has; all if None.
          shuffle: Whether examples are shuffled, each time anew.
          random_state: Shuffles them.
          epochs: How often all examples are given; endlessly if None.

        Raises:
          ValueError: A batch has no examples.
          TypeError: Labels by name have classes that are not.
        """
        self._x = _each(x, lambda value: check_array(value, value.dtype))
        y = np.array(y) if isinstance(y, list) else y
        self._y = _each(y, lambda value: check_array(value, value.dtype))
        if n_classes is not None and y is not None and not isinstance(y, dict):
            self._y = check_array(y, np.int64 if n_classes > 1 else np.float32)
        self.n_classes = n_classes
        self.max_epochs = epochs
        self.input_shape, self.output_shape, self._batch_size = _shapes(
            _each(self._x, np.shape), _each(self._y, np.shape), n_classes, batch_size
        )
        self._input_dtype = _each(self._x, lambda value: _warned(value.dtype))
        self._output_dtype: Any = np.float32
        if y is not None:
            self._output_dtype = _each(self._y, lambda value: _warned(value.dtype))
        if isinstance(n_classes, dict) and isinstance(y, dict):
            one_hot = dict.fromkeys(n_classes.keys() & y.keys(), np.float32)
            self._output_dtype = {**self._output_dtype, **one_hot}
        self._shuffle = shuffle
        self.random_state = random_state or np.random.RandomState(_SEED)
        self.indices = self._order()
        self.offset = 0
        self.epoch = 0
        self._input_placeholder: Any = None
        self._output_placeholder: Any = None
        self._epoch_placeholder: Any = None

    @property
    def x(self) -> Any:
        """Features."""
        return self._x

    @property
    def y(self) -> Any:
        """Labels."""
        return self._y

    @property
    def shuffle(self) -> bool:
        """Whether examples are shuffled."""
        return self._shuffle

    @property
    def input_dtype(self) -> Any:
        """The type of the features, or types by name."""
        return self._input_dtype

    @property
    def output_dtype(self) -> Any:
        """The type of the labels, or types by name."""
        return self._output_dtype

    @property
    def batch_size(self) -> int:
        """How many examples a batch has."""
        return self._batch_size

    def make_epoch_variable(self) -> Any:
        """A placeholder that is fed how often all examples were given."""
        self._epoch_placeholder = placeholder(dtypes.int32, [1], name="epoch")
        return self._epoch_placeholder

    def input_builder(self) -> tuple[Any, Any]:
        """Placeholders for features and for labels, or None: of batches of any size."""
        self.set_placeholders(
            _placeholders(self.input_shape, self._input_dtype, "input"),
            _placeholders(self.output_shape, self._output_dtype, "output"),
        )
        return self._input_placeholder, self._output_placeholder

    def set_placeholders(self, input_placeholder: Any, output_placeholder: Any) -> None:
        """Takes placeholders for features and for labels, or None."""
        self._input_placeholder = input_placeholder
        self._output_placeholder = output_placeholder

    def get_feed_params(self) -> dict[str, int]:
        """Where it is: the epoch, the first example of the next batch, and how many one has."""
        return {"epoch": self.epoch, "offset": self.offset, "batch_size": self._batch_size}

    def get_feed_dict_fn(self) -> Callable[[], dict[str, Any]]:
        """A function that gives the feeds of the next batch, by the placeholders' names.

        It raises StopIteration when all epochs are over, and ValueError without placeholders.
        """
        return self._next_feeds

    def _next_feeds(self) -> dict[str, Any]:
        if self.max_epochs is not None and self.epoch >= self.max_epochs:
            raise StopIteration
        _check_placeholders(self._input_placeholder)
        feeds: dict[str, Any] = {}
        if self._epoch_placeholder is not None:
            feeds[self._epoch_placeholder.name] = [self.epoch]
        rows = self.indices[self.offset : self.offset + self._batch_size]
        feeds |= _fed(self._input_placeholder, _each(self._x, lambda value: _column(value[rows])))
        self.offset += self._batch_size
        if self.offset >= len(self.indices):
            self.indices = self._order()
            self.offset = 0
            self.epoch += 1
        if self._output_placeholder is None:
            return feeds
        labels = {
            key: _encoded(values[rows], shape, dtype, classes)
            for key, values, shape, dtype, classes in _several(
                self._y, self.output_shape, self._output_dtype, self.n_classes
            )
        }
        return feeds | _fed(self._output_placeholder, labels.get(None, labels))

    def _order(self) -> Any:
        first = next(iter(self._x.values())) if isinstance(self._x, dict) else self._x
        count = int(first.shape[0])
        return self.random_state.permutation(count) if self._shuffle else np.arange(count)


class StreamingDataFeeder(DataFeeder):
    """Batches of what iterators give, one example after the other."""

    def __init__(self, x: Any, y: Any, n_classes: Any, batch_size: int | None) -> None:
        """Takes iterators.

        Args:
          x: Gives the features of an example, an array or arrays by name.
          y: Gives its label, a number, an array, a list, or such by name; or None.
          n_classes: See `DataFeeder`.
          batch_size: How many examples a batch has; 1 if None.

        Raises:
          ValueError: A batch has no examples.
          StopIteration: There are no examples.
          TypeError: Labels by name have classes that are not.
        """
        first = next(x)
        self._x = itertools.chain([first], x)
        label = None
        self._y = None
        if y is not None:
            label = next(y)
            self._y = itertools.chain([label], y)
        self.n_classes = n_classes
        of_label = label[0] if isinstance(label, list) else label
        self.input_shape, self.output_shape, self._batch_size = _shapes(
            _each(first, lambda value: (1, *np.shape(value))),
            _each(of_label, lambda value: (1, *np.shape(value))),
            n_classes,
            batch_size,
        )
        self._input_dtype = _each(first, lambda value: _warned(value.dtype))
        self._output_dtype = _each(label, _label_dtype)
        if n_classes is not None and not isinstance(label, dict) and n_classes > 0:
            self._output_dtype = np.float32
        self._input_placeholder = self._output_placeholder = self._epoch_placeholder = None
        self.stopped = False

    def get_feed_params(self) -> dict[str, int]:
        """How many examples a batch has."""
        return {"batch_size": self._batch_size}

    def get_feed_dict_fn(self) -> Callable[[], dict[str, Any]]:
        """See `DataFeeder`; the function raises StopIteration when the examples have ended."""
        self.stopped = False
        return self._next_feeds

    def _next_feeds(self) -> dict[str, Any]:
        if self.stopped:
            raise StopIteration
        _check_placeholders(self._input_placeholder)
        rows = list(itertools.islice(self._x, self._batch_size))
        self.stopped = len(rows) < self._batch_size
        if not rows:
            raise StopIteration
        feeds = _fed(self._input_placeholder, self._filled(rows, self.input_shape))
        if self._y is None:
            return feeds
        labels = list(itertools.islice(self._y, len(rows)))
        return feeds | _fed(self._output_placeholder, self._filled_labels(labels))

    def _filled(self, rows: list[Any], shapes: Any) -> Any:
        """The features of rows as arrays of their type and shape."""
        found = {
            key: np.stack([np.reshape(_of(row, key), shape[1:]) for row in rows]).astype(dtype)
            for key, shape, dtype in _several(shapes, self._input_dtype)
        }
        return found.get(None, found)

    def _filled_labels(self, rows: list[Any]) -> Any:
        found = {
            key: _encoded([_of(row, key) for row in rows], shape, dtype, classes)
            for key, shape, dtype, classes in _several(
                self.output_shape, self._output_dtype, self.n_classes
            )
        }
        return found.get(None, found)


def _each(given: Any, function: Callable[[Any], Any]) -> Any:
    """A function of a value, or of each by name; None of None."""
    if isinstance(given, dict):
        return {key: function(value) for key, value in given.items()}
    return None if given is None else function(given)


def _several(given: Any, *others: Any) -> Iterator[tuple[Any, ...]]:
    """By name, or by None, what several dictionaries or single values have."""
    if not isinstance(given, dict):
        yield None, given, *others
        return
    for key, value in given.items():
        yield key, value, *(each.get(key) if each is not None else None for each in others)


def _of(row: Any, key: Any) -> Any:
    return row if key is None else row[key]


def _warned(dtype: Any) -> Any:
    if dtypes.as_dtype(dtype) == dtypes.float64:
        logging.warning("float64 is not supported by many models, consider casting to float32.")
    return dtype


def _label_dtype(label: Any) -> Any:
    if isinstance(label, list):
        return _label_dtype(label[0])
    return label.dtype if isinstance(label, np.ndarray) else _warned(np.dtype(type(label)))


def _check_size(batch_size: int | None) -> None:
    if batch_size is not None and batch_size <= 0:
        raise ValueError(f"Invalid batch_size {batch_size}.")


def _check_placeholders(given: Any) -> None:
    if given is None:
        raise ValueError(
            "There are no placeholders to feed: call input_builder or set_placeholders first."
        )


def _shapes(
    x_shape: Any, y_shape: Any, n_classes: Any, batch_size: int | None
) -> tuple[Any, Any, int]:
    """Shapes of batches of features and labels, and how many examples they have."""
    if isinstance(y_shape, dict) and not (n_classes is None or isinstance(n_classes, dict)):
        raise TypeError(f"n_classes must be a dictionary as labels are, not {n_classes!r}.")
    _check_size(batch_size)
    if batch_size is None:
        first = next(iter(x_shape.values())) if isinstance(x_shape, dict) else x_shape
        batch_size = int(first[0])
    inputs = _each(x_shape, lambda shape: [batch_size, *(shape[1:] or [1])])
    if y_shape is None:
        return inputs, None, batch_size
    outputs = {
        key: [batch_size, *_label_shape(shape), *([classes] if (classes or 0) > 1 else [])]
        for key, shape, classes in _several(y_shape, n_classes)
    }
    return inputs, outputs if isinstance(y_shape, dict) else outputs[None], batch_size


def _label_shape(shape: Any) -> list[int]:
    """Without the axis of examples, and without another one of size 1."""
    inner = list(shape[1:])
    return inner[1:] if inner and inner[0] == 1 else inner


def _placeholders(shapes: Any, types: Any, name: str) -> Any:
    if shapes is None:
        return None
    made = {
        key: placeholder(
            dtypes.as_dtype(dtype),
            [None, *shape[1:]],
            name=name if key is None else f"{name}_{key}",
        )
        for key, shape, dtype in _several(shapes, types)
    }
    return made if isinstance(shapes, dict) else made[None]


def _fed(placeholders: Any, values: Any) -> dict[str, Any]:
    """Values by the names of their placeholders."""
    if not isinstance(values, Mapping):
        return {placeholders.name: values}
    return {placeholders[key].name: value for key, value in values.items()}


def _column(values: Any) -> Any:
    return np.reshape(values, (-1, 1)) if values.ndim == 1 else values


def _encoded(rows: Any, shape: list[int], dtype: Any, classes: int | None) -> Any:
    """Labels as they are fed: one-hot if there are several classes."""
    size = [len(rows), *shape[1:]]
    if (classes or 0) <= 1:
        return np.reshape([row[0] if isinstance(row, list) else row for row in rows], size).astype(
            dtype
        )
    found = np.zeros(size, dtype)
    places = np.reshape(np.asarray(rows), size[:-1]).astype(np.int64)
    np.put_along_axis(found, places[..., None], 1, axis=-1)
    return found


def _batches(examples: Iterator[Any], batch_size: int | None) -> Iterator[Any]:
    while rows := list(itertools.islice(examples, batch_size)):
        if isinstance(rows[0], dict):
            yield {key: np.atleast_2d(np.array([row[key] for row in rows])) for key in rows[0]}
        else:
            yield np.atleast_2d(np.array(rows))
