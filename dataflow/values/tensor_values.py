"""Python values as numpy arrays of a tensor's element type, by TensorFlow's inference rules."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import MAX_RANK, Dimension, RankError

Array = np.ndarray[Any, Any]


def numpy_from_values(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Array:
    """Convert a Python value, a numpy array or a nested list of either to an array.

    Python floats become float32 and integers int32 (int64 where they do not fit) unless a dtype is
    given; numpy values keep their type; strings become an object array of bytes.

    Args:
        values: The value.
        dtype: Element type; inferred from the values if None.
        shape: Sizes of the result; those of the values if None. Where it holds more elements than
            there are values, the last value stands for the rest.
        verify_shape: Whether the values must have exactly this shape.
        allow_broadcast: Whether only one value or exactly enough of them may fill the shape.

    Returns:
        A read-only array that shares nothing with `values`. One value that fills a shape is stored
        once (stride 0).

    Raises:
        TypeError: The values have no such type or shape.
        ValueError: There are too many values, or the nesting is ragged.
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    array, element_type = convert_values(values, dtype, shape)
    sizes = check_shape(array, shape, verify_shape, allow_broadcast)
    if element_type is dtypes.string:
        strings = flatten_strings(values, array)
        array = np.empty(len(strings), object)
        array[:] = strings
        if math.prod(sizes) == array.size:
            array = array.reshape(sizes)
    else:
        array = np.array(array, np.dtype(element_type.as_numpy_dtype), order="C", copy=True)
    if array.shape != sizes:
        array = _filled(array, sizes)
    array.flags.writeable = False
    return array


def _filled(array: Array, sizes: tuple[int, ...]) -> Array:
    """The elements of `array` in order, then its last one, up to the given sizes."""
    count = math.prod(sizes)
    flat = array.reshape(-1)
    if flat.size == count:
        return flat.reshape(sizes)
    if flat.size == 1:
        return np.broadcast_to(flat.reshape(()), sizes)
    filled = np.zeros(count, array.dtype)
    if flat.size:
        filled[: flat.size] = flat
        filled[flat.size :] = flat[-1]
    return filled.reshape(sizes)


def convert_values(values: Any, dtype: Any, shape: Any) -> tuple[Array, DType]:
    """Array of the values in their own shape, and the element type of the tensor they make.

    Strings may come in any numpy form: `flatten_strings` has the bytes.

    Raises:
        TypeError: The values cannot have the type.
        ValueError: `values` is None, or the nesting is ragged.
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if _is_array_like(values):
        values = np.asarray(values)
    if isinstance(values, (np.ndarray, np.generic)):
        if wanted is not None and wanted.is_numpy_compatible:
            array = values.astype(wanted.as_numpy_dtype)
        else:
            array = np.asarray(values)
    else:
        array = _convert_python(values, wanted, shape)
    found = dtypes.as_dtype(array.dtype)
    if wanted is not None:
        if wanted.is_quantized:
            found = wanted
        if wanted.base_dtype is not found:
            raise TypeError(
                f"`dtype` {wanted} is not compatible with {values} of dtype {array.dtype}."
            )
    return np.asarray(array), found


def _convert_python(values: Any, wanted: DType | None, shape: Any) -> Array:
    if values is None:
        raise ValueError("None values not supported.")
    numpy_type = wanted.as_numpy_dtype if wanted and wanted.is_numpy_compatible else None
    if shape is not None and math.prod(int(size) for size in shape) == 0:
        array = np.empty([int(size) for size in shape], numpy_type)
    else:
        _check_elements(values, wanted)
        if wanted is None and _starts_with_string(values):
            # numpy's own strings take four bytes a character, and all the room of the longest one.
            numpy_type = np.object_
        if numpy_type is not None and np.issubdtype(numpy_type, np.number):
            # In two steps: integers that do not fit wrap around rather than fail.
            array = np.array(values).astype(numpy_type)
        else:
            array = _python_array(values, numpy_type)
        dense = _dense_dimensions(values)
        if list(array.shape) != dense and not (wanted and wanted.is_quantized):
            raise ValueError(
                f"Expected values {values} to be a dense tensor with shape {dense}, "
                f"but got shape {list(array.shape)}."
            )
    if wanted is not None:
        return array
    if array.dtype == np.float64:
        return array.astype(np.float32)
    if array.dtype == np.int64:
        narrow = array.astype(np.int32)
        if np.array_equal(narrow, array):
            return narrow
    return array


def _python_array(values: Any, numpy_type: Any) -> Array:
    ragged: Exception | None = None
    try:
        array = np.array(values, numpy_type)
    except ValueError as error:
        ragged, array = error, np.array(values, object)
    wanted = _dense_dimensions(values)
    if list(array.shape) != wanted and (ragged or numpy_type is np.object_):
        raise ValueError(
            f"Argument must be a dense tensor: {values} - got shape {list(array.shape)}, but "
            f"wanted {wanted}."
        )
    if ragged is not None:
        raise ragged
    return array


def check_shape(
    array: Array, shape: Any, verify_shape: bool, allow_broadcast: bool
) -> tuple[int, ...]:
    """Sizes of the tensor that values in `array` make.

    Raises:
        TypeError: The array's shape is not the one asked for.
        ValueError: The array has more elements than the shape.
        RankError: There are too many sizes.
    """
    if shape is None:
        return _supported(tuple(array.shape))
    sizes = _supported(tuple(int(size) for size in shape))
    count = math.prod(sizes)
    if allow_broadcast:
        wrong = array.shape not in ((), (1,)) and array.size != count
    else:
        wrong = verify_shape and array.shape != sizes
    if wrong:
        raise TypeError(f"Expected Tensor's shape: {sizes}, got {array.shape}.")
    if not allow_broadcast and array.size > count:
        raise ValueError(
            f"Too many elements provided. Needed at most {count:d}, but received {array.size:d}"
        )
    return sizes


def _supported(sizes: tuple[int, ...]) -> tuple[int, ...]:
    if len(sizes) > MAX_RANK:
        raise RankError("The value of a tensor", len(sizes))
    return sizes


def as_bytes(value: Any) -> bytes:
    """A string as bytes, text in UTF-8.

    Raises:
        TypeError: The value is no string.
    """
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    raise TypeError(f"Expected binary or unicode string, got {value!r}")


def flatten_strings(values: Any, array: Array) -> list[bytes]:
    """Strings of `values` in order.

    Args:
        values: What the user gave. Strings in Python containers are taken from there: numpy's
            fixed-width strings lose trailing zero bytes.
        array: The same values as an array, in use where the user gave one.

    Raises:
        TypeError: An element is no string.
    """
    if isinstance(values, np.ndarray) or _is_array_like(values):
        return [as_bytes(element) for element in array.ravel().tolist()]
    if not array.size:
        return []
    try:
        return [as_bytes(element) for element in _leaves_of_lists(values)]
    except TypeError:
        raise TypeError(
            f"Failed to convert elements of {values} to Tensor. Consider casting elements to a "
            "supported type. See https://www.tensorflow.org/api_docs/python/tf/dtypes for "
            "supported TF dtypes."
        ) from None


def _leaves_of_lists(values: Any) -> Iterator[Any]:
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _leaves_of_lists(value)
    else:
        yield values


def _starts_with_string(values: Any) -> bool:
    while isinstance(values, (list, tuple)) and values:
        values = values[0]
    return isinstance(values, (str, bytes))


def _dense_dimensions(values: Any) -> list[int]:
    """Shape of a nested list as its first elements tell it."""
    sizes = []
    while isinstance(values, (list, tuple)):
        sizes.append(len(values))
        if not values:
            break
        values = values[0]
    return sizes


def _is_tensor(value: Any) -> bool:
    # This layer lies below the graph and cannot import its class.
    return hasattr(type(value), "value_index")


def _is_array_like(value: Any) -> bool:
    if type(value) in (int, float, str, bytes, list, tuple, bool) or _is_tensor(value):
        return False
    if callable(getattr(value, "__array__", None)):
        return True
    if isinstance(getattr(value, "__array_interface__", None), dict):
        return True
    try:
        memoryview(value)
    except TypeError:
        return False
    return not isinstance(value, bytes)


# What an element of a type may be in Python. Numpy arrays in a list count by their element type.
_INTEGRAL: Final = (numbers.Integral, np.integer, Dimension)
_REAL: Final = (numbers.Real, np.integer, np.floating)
_COMPLEX: Final = (numbers.Complex, np.number)


_PLAIN: Final = frozenset({int, float, bool, complex, str, bytes})


def _are_plain(values: Any, dtype: DType | None) -> bool:
    """Whether built-in types alone show that all elements fit; a fast answer for long lists."""
    if dtype is None:
        return _hold_only(values, _PLAIN)
    if not dtype.is_numpy_compatible or dtype.is_quantized:
        return False
    return _hold_only(values, _accepted_plain(dtype))


def _hold_only(values: Any, types: frozenset[type]) -> bool:
    if type(values) not in (list, tuple):
        return type(values) in types
    found = set(map(type, values))
    if found <= types:
        return True
    return found <= {list, tuple} and all(_hold_only(value, types) for value in values)


def _check_elements(values: Any, dtype: DType | None) -> None:
    """Raise TypeError naming the first element that does not fit the type."""
    if _are_plain(values, dtype):
        return
    if dtype is None or not dtype.is_numpy_compatible:
        found = next((leaf for leaf in _leaves(values) if _is_tensor(leaf)), None)
        if found is not None and dtype is None:
            raise TypeError("List of Tensors when single Tensor expected")
        mismatches = [] if found is None else [found]
    elif dtype.is_quantized:
        mismatches = _not_quantized(values)
    else:
        fits = _checker(dtype)
        mismatches = [leaf for leaf in _leaves(values) if not fits(leaf)][:1]
    if mismatches and dtype is not None:
        # Numbers are told as Python's, whatever numpy calls its own.
        wrong = mismatches[0].item() if isinstance(mismatches[0], np.generic) else mismatches[0]
        raise TypeError(
            f"Expected {dtype.name}, got {wrong!r} of type '{type(wrong).__name__}' instead."
        )


@cache
def _accepted(dtype: DType) -> tuple[type, ...]:
    """Classes whose instances may be elements of a tensor of the type."""
    if dtype.is_integer:
        return _INTEGRAL
    if dtype.is_floating:
        return _REAL
    if dtype.is_complex:
        return _COMPLEX
    return (bool,) if dtype.is_bool else (bytes, str)


@cache
def _accepted_plain(dtype: DType) -> frozenset[type]:
    return frozenset(t for t in _PLAIN if issubclass(t, _accepted(dtype)))


def _checker(dtype: DType) -> Callable[[Any], bool]:
    accepted = _accepted(dtype)

    def fits(leaf: Any) -> bool:
        if isinstance(leaf, accepted):
            return True
        return isinstance(leaf, np.ndarray) and issubclass(leaf.dtype.type, accepted)

    return fits


def _not_quantized(values: Any) -> list[Any]:
    """First value that is neither a tuple of integers nor a list of such."""
    if isinstance(values, tuple):
        fits = _checker(dtypes.int32)
        return [leaf for value in values for leaf in _leaves(value) if not fits(leaf)][:1]
    if not isinstance(values, list):
        return [values]
    return [wrong for value in values for wrong in _not_quantized(value)][:1]


def _leaves(values: Any) -> Iterator[Any]:
    """Elements of nested sequences and mappings, mappings in the order of their sorted keys."""
    if isinstance(values, Mapping):
        for key in sorted(values):
            yield from _leaves(values[key])
    elif isinstance(values, Sequence) and not isinstance(values, (str, bytes, bytearray)):
        for value in values:
            yield from _leaves(value)
    else:
        yield values
