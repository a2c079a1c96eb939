"""Arrays that are not numpy's: what a kernel may do with those of a GPU, on any machine.

They behave as cupy's do where that decides whether a kernel runs: numpy cannot read them, numpy's
functions and arrays do not mix with them, and results have them also where numpy gives scalars.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

import numpy as np

from dataflow.actors.devices.device_type import DeviceType
from dataflow.actors.devices.registry import register_device_type, unregister_device_type
from dataflow.kernels.contract import registry

_NAME: Final = "FOREIGN"

_TAKES_NUMPY: Final = frozenset({"asarray", "array", "ascontiguousarray", "asanyarray"})
"""Functions of the library that bring numpy's arrays to the device."""
_READS_ONE: Final = frozenset({"item", "tolist", "tobytes"})
"""What gives plain Python values."""
_TYPES: Final = (np.generic, np.ndarray)
"""Classes that are named, not called."""


class ForeignArray:
    """An array of the device."""

    __slots__ = ("_data",)
    __array_priority__ = 100

    def __init__(self, data: Any) -> None:
        self._data = np.asarray(data)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return _call(getattr(ufunc, method), inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return _call(function, args, options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # numpy would read memory by its interfaces.
        found = getattr(self._data, name)
        if not callable(found):
            return _wrapped(found)
        if name in _READS_ONE:
            return found
        return lambda *args, **options: _call(found, args, options)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_data":
            object.__setattr__(self, name, value)
        else:
            setattr(self._data, name, _plain(value))

    def __getitem__(self, key: Any) -> Any:
        return ForeignArray(self._data[_index(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._data[_index(key)] = _plain(value)

    def __iter__(self) -> Any:
        return map(ForeignArray, self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __bool__(self) -> bool:
        return bool(self._data)

    def __int__(self) -> int:
        return int(self._data)

    def __float__(self) -> float:
        return float(self._data)

    def __complex__(self) -> complex:
        return complex(self._data)

    def __index__(self) -> int:
        return operator.index(self._data)

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'ForeignArray'")


def _operator(name: str) -> Callable[..., Any]:
    function = getattr(operator, name)

    def run(self: ForeignArray, *others: Any) -> Any:
        return _call(function, (self, *others), {})

    return run


def _reflected(name: str) -> Callable[..., Any]:
    function = getattr(operator, name)

    def run(self: ForeignArray, other: Any) -> Any:
        return _call(function, (other, self), {})

    return run


for _name in ("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(ForeignArray, f"__{_name}__", _operator(_name))
for _name in (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and_", "or_", "xor", "lshift", "rshift"),
):
    _short = _name.strip("_")
    setattr(ForeignArray, f"__{_short}__", _operator(_name))
    setattr(ForeignArray, f"__r{_short}__", _reflected(_name))
    setattr(ForeignArray, f"__i{_short}__", _operator(f"i{_short}"))


class ForeignLibrary:
    """The device's array library: numpy's functions, for its own arrays."""

    def __init__(self, library: Any = np) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._library, name)
        made: Any = found
        if isinstance(found, ModuleType):
            made = ForeignLibrary(found)
        elif callable(found) and not (isinstance(found, type) and issubclass(found, _TYPES)):
            made = _Function(found, name)
        setattr(self, name, made)
        return made


class _Function:
    """A function of the library."""

    def __init__(self, function: Any, name: str) -> None:
        self._function = function
        self.__name__ = name

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self.__name__ not in _TAKES_NUMPY:
            _refuse_numpy(args)
            _refuse_numpy(options.values())
        return _call(self._function, args, options)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._function, name)
        return _Function(found, name) if callable(found) else found


def _refuse_numpy(values: Any) -> None:
    for value in values:
        if isinstance(value, np.ndarray):
            raise TypeError("Unsupported type <class 'numpy.ndarray'>")
        if isinstance(value, (tuple, list)):
            if any(isinstance(each, np.generic) for each in value):
                raise TypeError("Expected an array of the device, got a scalar of numpy's.")
            _refuse_numpy(value)


def _call(function: Any, args: Any, options: Any) -> Any:
    given = [*args, *options.values()]
    if any(isinstance(value, ForeignArray) for value in given):
        _refuse_numpy(given)
    plain = {key: _plain(value) for key, value in options.items()}
    result = function(*map(_plain, args), **plain)
    for value in given:
        if isinstance(value, ForeignArray) and value._data is result:
            return value
    return _wrapped(result)


def _plain(value: Any) -> Any:
    if isinstance(value, ForeignArray):
        return value._data
    if isinstance(value, (tuple, list)):
        return type(value)(map(_plain, value)) if type(value) in (tuple, list) else value
    return value


def _index(key: Any) -> Any:
    return tuple(map(_plain, key)) if isinstance(key, tuple) else _plain(key)


def _wrapped(result: Any) -> Any:
    if isinstance(result, (np.ndarray, np.generic)):
        return ForeignArray(result)
    if isinstance(result, (tuple, list)):
        made = map(_wrapped, result)
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)
    return result


@contextmanager
def foreign_device() -> Iterator[list[np.ndarray]]:
    """Sessions that are opened here have a device of these arrays; nodes go there if they can.

    Yields:
      What is brought to the device and back, as it is brought.
    """
    library: Any = ForeignLibrary()
    moved: list[np.ndarray] = []

    def to_device(value: Any, index: int) -> ForeignArray:
        moved.append(np.array(value))
        return ForeignArray(moved[-1].copy())

    def to_host(value: Any) -> Any:
        if not isinstance(value, ForeignArray):
            return value
        moved.append(value._data.copy())
        return moved[-1]

    registry.serve_generic_kernels(_NAME)
    register_device_type(
        DeviceType(
            name=_NAME,
            count=lambda: 1,
            priority=500,
            array_module=lambda: library,
            to_device=to_device,
            to_host=to_host,
            asynchronous=True,
        )
    )
    try:
        yield moved
    finally:
        unregister_device_type(_NAME)
        registry._generic_device_types.discard(_NAME)
