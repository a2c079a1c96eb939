"""What a feed dictionary feeds: its tensors, and arrays of their type and shape."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from dataflow.errors import InternalError
from dataflow.graph.graph import Graph
from dataflow.graph.tensor import Tensor
from dataflow.session.conversions import NAME, TENSOR, find_conversion, kind_of, kinds
from dataflow.session.handles import TensorHandle
from dataflow.values import dtypes, nest
from dataflow.values.shapes import MAX_RANK, RankError

# Below this every integer is exact in every floating point type of 8 bits of mantissa or more.
_EXACT_IN_FLOATS = 256


class FeedSlot:
    """A fed tensor; converts what is fed to it."""

    __slots__ = ("_dims", "_exact_floats", "_integers", "_scalar", "_shape", "dtype", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        base = tensor.dtype.base_dtype
        self._scalar: Any = _host_type(base)
        self.dtype = np.dtype(self._scalar)
        self._exact_floats = base.is_floating and base.size >= 2
        self._integers: Any = None
        if base.is_integer and base.size:
            self._integers = range(int(base.min), int(base.max) + 1)
        self._shape = tensor._shape_val
        self._dims = self._shape.dims_tuple

    def convert(self, value: Any, feed: Any = None, feed_value: Any = None) -> np.ndarray:
        """The array to feed for a value; the value itself if it is one of the right type.

        Args:
          value: What to feed.
          feed: The key under which the program gave it, if not `tensor` itself.
          feed_value: What the program gave under that key, if not `value` itself.

        Raises:
          TypeError: The value is a Tensor or an int that the type cannot hold, or it cannot be
            converted.
          ValueError: The array does not fit the tensor's static shape, or cannot be made.
          RankError: The array has too many dimensions.
        """
        if value.__class__ is np.ndarray and value.dtype is self.dtype:
            array: np.ndarray = value
        else:
            array = self._array(value, feed, feed_value)
        tensor = self.tensor
        shape = tensor._shape_val
        if shape is not self._shape:
            self._shape = shape
            self._dims = shape.dims_tuple
        dims = self._dims
        if dims is None:
            if array.ndim > MAX_RANK:
                raise RankError(f"The value fed for Tensor {tensor.name}", array.ndim)
        elif dims != array.shape and not _fits(dims, array.shape):
            raise ValueError(
                f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has "
                f"shape {shape}"
            )
        graph = tensor.graph
        if graph._unfeedable and not graph.is_feedable(tensor):
            raise ValueError(f"Tensor {tensor.name} may not be fed.")
        return array

    def for_runtime(self, array: np.ndarray) -> Any:
        """The value as the runtime takes it: strings are bytes, a lone handle is itself.

        Raises:
          InternalError: An element of an array of strings is no string.
        """
        if self.dtype.kind != "O":
            return array
        if self.tensor.dtype.base_dtype is not dtypes.string:
            return array if array.ndim else array[()]
        elements = array.reshape(-1).tolist()
        kinds = set(map(type, elements))
        if kinds <= {bytes}:
            return array
        if kinds == {str}:
            texts = map(str.encode, elements)
            return np.fromiter(texts, object, array.size).reshape(array.shape)
        encoded = np.empty(array.size, object)
        for index, element in enumerate(elements):
            if isinstance(element, str):
                encoded[index] = element.encode()
            elif isinstance(element, bytes):
                encoded[index] = bytes(element)
            else:
                raise InternalError(
                    None,
                    None,
                    f"Unsupported object type {type(element).__name__} in the value fed for the "
                    f"string tensor {self.tensor.name}",
                )
        return encoded.reshape(array.shape)

    def _array(self, value: Any, feed: Any, feed_value: Any) -> np.ndarray:
        if value.__class__ is float and self._exact_floats:
            return np.array(value, self.dtype)
        if isinstance(value, Tensor):
            raise TypeError(
                "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
                "Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, "
                f"the tensor object was {value if feed_value is None else feed_value} which was "
                "passed to the argument `feed_dict` with key "
                f"{self.tensor if feed is None else feed}."
            )
        if isinstance(value, TensorHandle):
            return np.asarray(value.fed_to(self.tensor), self.dtype)
        dtype = self.dtype
        try:
            if isinstance(value, int) and not self._holds(value):
                raise TypeError(
                    f"Type of feed value {value} with type {type(value)} is not compatible with "
                    f"Tensor type {self._scalar}. Try explicitly setting the type of the feed "
                    "tensor to a larger type (e.g. int64)."
                )
            if issubclass(dtype.type, np.number):
                return np.asarray(value).astype(dtype, copy=False)
            return np.asarray(value, dtype=dtype)
        except (TypeError, ValueError) as error:
            # The text stays numpy's, as it does in TensorFlow.
            note = f"This was fed for {self.tensor.name}, of type {self.tensor.dtype.name}."
            if sys.version_info >= (3, 11):
                error.add_note(note)
            else:
                error.args = (f"{error}\n{note}",)
            raise

    def _holds(self, value: int) -> bool:
        """Whether the element type has this very number."""
        if self._integers is not None:
            return value in self._integers
        if self._exact_floats and -_EXACT_IN_FLOATS <= value <= _EXACT_IN_FLOATS:
            return True
        if self._scalar is object:
            return False
        return bool(self._scalar(np.array(value).astype(self.dtype)) == value)


def _fits(dims: tuple[int | None, ...], sizes: tuple[int, ...]) -> bool:
    if len(dims) != len(sizes):
        return False
    for known, size in zip(dims, sizes, strict=True):
        if known != size and known is not None:
            return False
    return True


def _host_type(dtype: dtypes.DType) -> Any:
    """The numpy scalar type of arrays of a type; handles are Python objects."""
    return dtype.as_numpy_dtype if dtype.is_numpy_compatible else object


def add_feed_key(feed_dict: dict[Any, Any], tokens: list[Any]) -> bool:
    """Appends tokens that tell the keys of feed dictionaries apart; see `add_structure_key`.

    Returns:
      False if the dictionary has keys that must be looked at together with their values.
    """
    for key in feed_dict:
        cls = key.__class__
        kind = kinds.get(cls) or kind_of(cls)
        if kind == TENSOR:
            tokens.append(id(key))
        elif kind == NAME:
            tokens.append(key)
        else:
            return False
    return True


def expand(feed_dict: Mapping[Any, Any]) -> Iterable[tuple[Any, Any, Any, Any]]:
    """Takes nested keys and keys of several tensors apart.

    Yields:
      (key, value, feed, feed_value): what one tensor is fed, and the entry it stems from.

    Raises:
      TypeError: `feed_dict` is no mapping.
      ValueError: A nested key and its value differ in the number of their parts.
    """
    for feed, feed_value in nest.flatten_dict_items(feed_dict).items():
        conversion = find_conversion(feed)
        if conversion is None:
            yield feed, feed_value, feed, feed_value
        elif conversion.feed is None:
            raise TypeError(
                f'{feed} in argument `feed_dict` has type "{type(feed).__name__}", which was '
                "registered without a feed function, so it can only be fetched."
            )
        else:
            for key, value in conversion.feed(feed, feed_value):
                yield key, value, feed, feed_value


def feed_tensor(graph: Graph, key: Any) -> Tensor:
    """The tensor that a simple key stands for.

    Raises:
      TypeError: It stands for none, or for one of another graph.
    """
    try:
        tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error.args[0]}") from None
    assert isinstance(tensor, Tensor)
    return tensor


def feed_list_tensors(graph: Graph, feeds: Any) -> list[Tensor]:
    """The tensors of a list of feeds without values, for `partial_run_setup`.

    Raises:
      TypeError: A feed cannot be interpreted as a tensor.
    """
    tensors = []
    for feed in feeds if isinstance(feeds, (list, tuple)) else [feeds]:
        conversion = find_conversion(feed)
        if conversion is None:
            keys = [feed]
        elif conversion.feed_keys is None:
            raise TypeError(
                f'Feed argument {feed} has type "{type(feed).__name__}", which was registered '
                "without a feed function for partial runs."
            )
        else:
            keys = conversion.feed_keys(feed)
        for key in keys:
            try:
                tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
            except (TypeError, ValueError, KeyError) as error:
                raise type(error)(
                    f"Cannot interpret argument `feed` key as Tensor: {error.args[0]}"
                ) from None
            assert isinstance(tensor, Tensor)
            tensors.append(tensor)
    return tensors
