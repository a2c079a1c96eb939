"""Kernels of what conditionals and calls of functions are accompanied by.

The calls themselves are not kernels: passes put the functions' bodies in their place, and
`actors.calls` runs those that call themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.element_types import SIGNED
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes
from dataflow.values.devices import DeviceParts, parse

_WITH_TRUTH: Final = frozenset(
    {dtypes.bool, dtypes.string, dtypes.float32, dtypes.float64, dtypes.uint8, *SIGNED}
)
"""Types whose scalars are true or false; tensors of other ranks are of any type."""


@kernel("FakeParam")
def fake_param(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Zeros, with no elements where the shape is not known."""
    dtype = node.attr("dtype")
    dims = node.attr("shape").dims_tuple or ()
    if dtype in (dtypes.resource, dtypes.variant):
        value = np.empty([size or 0 for size in dims], object)
    elif dtype is dtypes.string:
        value = np.full([size or 0 for size in dims], b"", object)
    else:
        value = xp.zeros([size or 0 for size in dims], dtype.as_numpy_dtype)
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return lambda: value


@kernel("DeviceIndex", host_outputs=("index",))
def device_index(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The place of the device's type, known when the node is bound."""
    names = [name.decode(errors="replace") for name in node.attr("device_names")]
    kind = parse(node.device).device_type
    index = np.int32(names.index(kind) if kind in names else len(names))
    return lambda: index


def _text(name: bytes) -> str:
    return name.decode(errors="replace")


def _device(name: bytes) -> DeviceParts:
    try:
        return parse(_text(name))
    except ValueError as error:
        raise InvalidArgumentError(None, None, str(error)) from None


@kernel("_CalledDevice", host_inputs=("target",), host_outputs=("index",))
def called_device(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The place of the device that a string names."""
    here = parse(node.device)
    places = {_device(name): np.int32(i) for i, name in enumerate(node.attr("device_names"))}

    def index(target: Any) -> np.int32:
        if np.ndim(target):
            raise InvalidArgumentError(None, None, "target must be scalar")
        name = np.asarray(target).item()
        found = places.get(here.merged_with(_device(name)))
        if found is None:
            raise InvalidArgumentError(None, None, f"{_text(name)} unknown device.")
        return found

    return index


@kernel("_ForSteps", host_inputs=("start", "limit", "delta"), host_outputs=("steps",))
def for_steps(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The size of a range, which may not lead away from its end."""

    def steps(*numbers: Any) -> np.int64:
        for name, number in zip(("start", "limit", "delta"), numbers, strict=True):
            if np.ndim(number):
                raise InvalidArgumentError(
                    None, None, f"{name} must be a scalar, but {shape_text(np.shape(number))}"
                )
        start, limit, delta = map(int, numbers)
        if start != limit and (limit - start) * delta <= 0:
            raise InvalidArgumentError(
                None, None, f"Invalid start/limit/delta: {start} {limit} {delta}"
            )
        return np.int64(-((start - limit) // delta) if start != limit else 0)

    return steps


@kernel("ToBool", host_outputs=("output",))
def to_bool(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Python's truth of a scalar, the presence of elements in anything else."""
    dtype = node.input_dtypes[0].base_dtype

    def truth(value: Any) -> np.bool_:
        if np.ndim(value):
            return np.bool_(value.size > 0)
        if dtype not in _WITH_TRUTH:
            raise InvalidArgumentError(None, None, f"{dtype.name} cannot be converted to a boolean")
        return np.bool_(bool(np.asarray(value).item() if dtype is dtypes.string else value))

    return truth
