"""tensorflow.python.keras.utils.generic_utils: parts of arrays, and checks of arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from dataflow.values import nest


def make_batches(size: int, batch_size: int) -> list[tuple[int, int]]:
    """Where each batch of so many elements begins and ends."""
    return [(start, min(size, start + batch_size)) for start in range(0, size, batch_size)]


def slice_arrays(arrays: Any, start: Any = None, stop: int | None = None) -> Any:
    """Elements from `start` to `stop`, or those that a list of places names, of each array.

    Args:
      arrays: An array, a list of them or of None, or None.
      start: Where they begin, or a list or an array of places.
      stop: Where they end.

    Raises:
      ValueError: There is an end to a list of places.
    """
    if arrays is None:
        return [None]
    if isinstance(start, list) and stop is not None:
        raise ValueError("The stop argument has to be None if the value of start is a list.")
    # Datasets of HDF5 files take lists of places only.
    places = start.tolist() if hasattr(start, "shape") else start
    part = places if hasattr(start, "__len__") else slice(start, stop)
    if not isinstance(arrays, list):
        return arrays[part] if hasattr(start, "__len__") else [None]
    return [array[part] if hasattr(array, "__getitem__") else None for array in arrays]


def object_list_uid(object_list: Any) -> str:
    """A text that tells objects from others."""
    return ", ".join(str(abs(id(each))) for each in nest.flatten(object_list))


def is_all_none(structure: Any) -> bool:
    """True if nothing but None is in a nest."""
    return all(each is None for each in nest.flatten(structure))


def check_for_unexpected_keys(
    name: str, input_dict: Mapping[str, Any], expected_values: Collection[str]
) -> None:
    """Checks the keys of a dict.

    Raises:
      ValueError: One is not among the expected ones.
    """
    unknown = set(input_dict).difference(expected_values)
    if unknown:
        raise ValueError(
            f"Unknown entries in {name} dictionary: {[*unknown]}. "
            f"Only expected following keys: {expected_values}"
        )


def validate_kwargs(
    kwargs: Iterable[str],
    allowed_kwargs: Collection[str],
    error_message: str = "Keyword argument not understood:",
) -> None:
    """Checks the names of arguments.

    Raises:
      TypeError: One is not among the allowed ones.
    """
    for name in kwargs:
        if name not in allowed_kwargs:
            raise TypeError(error_message, name)
