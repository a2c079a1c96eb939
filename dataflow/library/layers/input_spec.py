"""InputSpec: what a layer asks of its inputs, and the check of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dataflow.values import nest
from dataflow.values.dtypes import as_dtype
from dataflow.values.shapes import TensorShape, as_shape

_FIELDS: Final = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")


class InputSpec:
    """What one input of a layer must be like; None asks for nothing.

    Args:
      dtype: Element type.
      shape: Shape, None where any size will do.
      ndim: Number of dimensions; that of `shape` if there is one.
      max_ndim: Most dimensions.
      min_ndim: Fewest dimensions.
      axes: Axis -> size.

    Raises:
      TypeError: A key of `axes` is no whole number.
      ValueError: An axis of `axes` is beyond the dimensions.
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: Mapping[int, int | None] | None = None,
    ) -> None:
        self.dtype = None if dtype is None else as_dtype(dtype).name
        known = TensorShape(shape)
        self.shape = known.dims_tuple
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        try:
            self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        except (ValueError, TypeError):
            raise TypeError("The keys in axes must be integers.") from None
        if self.axes and (self.ndim is not None or self.max_ndim is not None):
            highest = (self.ndim or self.max_ndim or 0) - 1
            if max(self.axes) > highest:
                raise ValueError(
                    f"Axis {max(self.axes)} is greater than the maximum allowed value: {highest}"
                )

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {name: getattr(self, name) for name in _FIELDS}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """The same again of what `get_config` gave."""
        return cls(**config)

    def __repr__(self) -> str:
        given = [f"{name}={value}" for name, value in self.get_config().items() if value]
        return f"InputSpec({', '.join(given)})"


def check_inputs(specs: Any, inputs: Any, layer_name: str) -> None:
    """Raises ValueError unless inputs are as a layer's `input_spec` asks."""
    if not specs:
        return
    specs, inputs = nest.flatten(specs), nest.flatten(inputs)
    for each in inputs:
        if not hasattr(each, "shape"):
            raise TypeError(f"Inputs to a layer should be tensors. Got: {each}")
    if len(inputs) != len(specs):
        raise ValueError(
            f"Layer {layer_name} expects {len(specs)} input(s), but it received {len(inputs)} "
            f"input tensors. Inputs received: {inputs}"
        )
    for index, (each, spec) in enumerate(zip(inputs, specs, strict=True)):
        if spec is not None:
            wrong = _difference(spec, each, as_shape(each.shape).dims_tuple)
            if wrong:
                raise ValueError(
                    f"Input {index} of layer {layer_name} is incompatible with the layer: {wrong}"
                )
            _check_sizes(spec, as_shape(each.shape).dims_tuple, index, layer_name)


def _difference(spec: InputSpec, given: Any, shape: tuple[int | None, ...] | None) -> str:
    """What is wrong with an input, or nothing."""
    if shape is None:
        needs_rank = any(each is not None for each in (spec.ndim, spec.min_ndim, spec.max_ndim))
        text = "its rank is undefined, but the layer requires a defined rank."
        return text if needs_rank else ""
    rank = len(shape)
    shown = as_shape(given.shape).as_list()
    if spec.ndim is not None and rank != spec.ndim:
        return f"expected ndim={spec.ndim}, found ndim={rank}. Full shape received: {shown}"
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return f"expected max_ndim={spec.max_ndim}, found ndim={rank}"
    if spec.min_ndim is not None and rank < spec.min_ndim:
        return (
            f": expected min_ndim={spec.min_ndim}, found ndim={rank}. Full shape received: {shown}"
        )
    if spec.dtype is not None and given.dtype.name != spec.dtype:
        return f"expected dtype={spec.dtype}, found dtype={given.dtype}"
    for axis, size in spec.axes.items():
        if size is not None and shape[axis] not in (size, None):
            return (
                f"expected axis {axis} of input shape to have value {size} but received input "
                f"with shape {list(shape)}"
            )
    return ""


def _check_sizes(spec: InputSpec, shape: Any, index: int, layer_name: str) -> None:
    for want, have in zip(spec.shape or (), shape or (), strict=False):
        if want is not None and have is not None and want != have:
            raise ValueError(
                f"Input {index} is incompatible with layer {layer_name}: expected "
                f"shape={spec.shape}, found shape={list(shape)}"
            )
