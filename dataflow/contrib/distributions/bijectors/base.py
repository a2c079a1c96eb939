"""Bijector: a function with an inverse, and how both change volumes."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.fill import ones
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.range import range as range_
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _snake(name: str) -> str:
    apart = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z0-9])([A-Z])", r"\1_\2", apart).lower()


class Bijector:
    """A function with an inverse.

    Subclasses define what is private here by the same name with an underscore: `_forward`,
    `_inverse`, and one of `_forward_log_det_jacobian` and `_inverse_log_det_jacobian`. What was
    computed of a tensor is kept, so that the inverse of a forward tensor is the tensor it was.
    """

    def __init__(
        self,
        graph_parents: Sequence[Any] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        dtype: Any = None,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str | None = None,
    ) -> None:
        """Makes one.

        Args:
          graph_parents: Tensors that it depends on.
          is_constant_jacobian: Whether volumes change alike everywhere.
          validate_args: Whether values are checked in the step.
          dtype: Type of the values, or None: any.
          forward_min_event_ndims: How many of the last axes the function is of.
          inverse_min_event_ndims: How many of the last axes its inverse is of.
          name: Name of the scope of its operations.

        Raises:
          ValueError: Neither number is given, one is negative, or a parent is no tensor.
          TypeError: A number is no integer.
        """
        if forward_min_event_ndims is None and inverse_min_event_ndims is None:
            raise ValueError(
                "Must specify at least one of `forward_min_event_ndims` and "
                "`inverse_min_event_ndims`."
            )
        for index, parent in enumerate(graph_parents or ()):
            if not isinstance(parent, Tensor):
                raise ValueError(f"Graph parent item {index} is not a Tensor; {parent}.")
        forward, inverse = forward_min_event_ndims, inverse_min_event_ndims
        self._forward_min_event_ndims = _axes(
            "forward_min_event_ndims", inverse if forward is None else forward
        )
        self._inverse_min_event_ndims = _axes(
            "inverse_min_event_ndims", forward if inverse is None else inverse
        )
        self._graph_parents = list(graph_parents or ())
        self._is_constant_jacobian = is_constant_jacobian
        self._validate_args = validate_args
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._name = name or _snake(type(self).__name__.lstrip("_"))
        self._known: dict[tuple[str, int, Any, Any], tuple[Any, Any, Any]] = {}

    @property
    def graph_parents(self) -> list[Any]:
        """Tensors that it depends on."""
        return self._graph_parents

    @property
    def forward_min_event_ndims(self) -> int:
        """How many of the last axes the function is of."""
        return self._forward_min_event_ndims

    @property
    def inverse_min_event_ndims(self) -> int:
        """How many of the last axes its inverse is of."""
        return self._inverse_min_event_ndims

    @property
    def is_constant_jacobian(self) -> bool:
        """Whether volumes change alike everywhere."""
        return self._is_constant_jacobian

    @property
    def _is_injective(self) -> bool:
        return True

    @property
    def validate_args(self) -> bool:
        """Whether values are checked in the step."""
        return self._validate_args

    @property
    def dtype(self) -> Any:
        """Type of the values, or None."""
        return self._dtype

    @property
    def name(self) -> str:
        """Name of the scope of its operations."""
        return self._name

    def forward_event_shape_tensor(
        self, input_shape: Any, name: str = "forward_event_shape_tensor"
    ) -> Any:
        """The shape of what the function makes of an event of a shape, a vector."""
        with self._name_scope(name, [input_shape]):
            shape = convert_to_tensor(input_shape, dtype=dtypes.int32, name="input_shape")
            return self._forward_event_shape_tensor(shape)

    def forward_event_shape(self, input_shape: Any) -> TensorShape:
        """The shape of what the function makes of an event of a shape, as far as it is known."""
        return TensorShape(self._forward_event_shape(TensorShape(input_shape)))

    def inverse_event_shape_tensor(
        self, output_shape: Any, name: str = "inverse_event_shape_tensor"
    ) -> Any:
        """The shape of what the inverse makes of an event of a shape, a vector."""
        with self._name_scope(name, [output_shape]):
            shape = convert_to_tensor(output_shape, dtype=dtypes.int32, name="output_shape")
            return self._inverse_event_shape_tensor(shape)

    def inverse_event_shape(self, output_shape: Any) -> TensorShape:
        """The shape of what the inverse makes of an event of a shape, as far as it is known."""
        return TensorShape(self._inverse_event_shape(TensorShape(output_shape)))

    def forward(self, x: Any, name: str = "forward") -> Any:
        """What the function makes of `x`.

        Raises:
          TypeError: `x` is of another type.
        """
        return self._call_forward(x, name)

    def _call_forward(self, x: Any, name: str, **conditions: Any) -> Any:
        with self._name_scope(name, [x]):
            x = self._converted(x, "x")
            return self._once("forward", x, self._forward, "inverse", conditions)

    def inverse(self, y: Any, name: str = "inverse") -> Any:
        """What the function makes `y` of; a tuple if it is several.

        Raises:
          TypeError: `y` is of another type.
        """
        return self._call_inverse(y, name)

    def _call_inverse(self, y: Any, name: str, **conditions: Any) -> Any:
        with self._name_scope(name, [y]):
            y = self._converted(y, "y")
            return self._once("inverse", y, self._inverse, "forward", conditions)

    def inverse_log_det_jacobian(
        self, y: Any, event_ndims: Any, name: str = "inverse_log_det_jacobian"
    ) -> Any:
        """The logarithm of by what the inverse multiplies volumes at `y`.

        Args:
          y: Where.
          event_ndims: How many of the last axes are one event: what is found is summed over those
            that the inverse is not of.
          name: Name of the scope of the operations.

        Raises:
          ValueError: The inverse is of more axes.
          NotImplementedError: It is not known.
        """
        return self._call_inverse_log_det_jacobian(y, event_ndims, name)

    def _call_inverse_log_det_jacobian(
        self, y: Any, event_ndims: Any, name: str, **conditions: Any
    ) -> Any:
        with self._name_scope(name, [y]):
            y = self._converted(y, "y")
            _check_axes(self._inverse_min_event_ndims, event_ndims)
            if self._knows("inverse"):
                found = self._inverse_log_det_jacobian(y, **conditions)
                return self._over_event(y, found, self._inverse_min_event_ndims, event_ndims)
            x = self._once("inverse", y, self._inverse, "forward", conditions)
            found = self._forward_log_det_jacobian(x, **conditions)
            return -self._over_event(x, found, self._forward_min_event_ndims, event_ndims)

    def forward_log_det_jacobian(
        self, x: Any, event_ndims: Any, name: str = "forward_log_det_jacobian"
    ) -> Any:
        """The logarithm of by what the function multiplies volumes at `x`.

        The arguments and errors are those of `inverse_log_det_jacobian`.
        """
        return self._call_forward_log_det_jacobian(x, event_ndims, name)

    def _call_forward_log_det_jacobian(
        self, x: Any, event_ndims: Any, name: str, **conditions: Any
    ) -> Any:
        if not self._is_injective:
            raise NotImplementedError(
                "forward_log_det_jacobian cannot be implemented for non-injective transforms."
            )
        with self._name_scope(name, [x]):
            x = self._converted(x, "x")
            _check_axes(self._forward_min_event_ndims, event_ndims)
            if self._knows("forward"):
                found = self._forward_log_det_jacobian(x, **conditions)
                return self._over_event(x, found, self._forward_min_event_ndims, event_ndims)
            y = self._once("forward", x, self._forward, "inverse", conditions)
            found = self._inverse_log_det_jacobian(y, **conditions)
            return -self._over_event(y, found, self._inverse_min_event_ndims, event_ndims)

    def _forward(self, x: Any) -> Any:
        raise NotImplementedError("forward not implemented.")

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError("inverse not implemented")

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        raise NotImplementedError("inverse_log_det_jacobian not implemented.")

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        raise NotImplementedError("forward_log_det_jacobian not implemented.")

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return input_shape

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return input_shape

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return output_shape

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return output_shape

    def _knows(self, way: str) -> bool:
        """Whether the way's own Jacobian is defined; the other's is asked otherwise."""
        own = getattr(type(self), f"_{way}_log_det_jacobian")
        other = "_inverse_log_det_jacobian" if way == "forward" else "_forward_log_det_jacobian"
        return own is not getattr(Bijector, f"_{way}_log_det_jacobian") or getattr(
            type(self), other
        ) is getattr(Bijector, other)

    @contextlib.contextmanager
    def _name_scope(self, name: str, values: Sequence[Any] = ()) -> Iterator[str]:
        with name_scope(self.name), name_scope(name, values=[*values, *self._graph_parents]) as own:
            yield own

    def _converted(self, value: Any, name: str) -> Any:
        tensor: Any = convert_to_tensor(value, name=name)
        if self._dtype is not None and self._dtype.base_dtype != tensor.dtype.base_dtype:
            raise TypeError(f"Input had dtype {self._dtype} but expected {tensor.dtype}.")
        return tensor

    def _once(
        self,
        way: str,
        value: Any,
        function: Callable[..., Any],
        back: str,
        conditions: Mapping[str, Any],
    ) -> Any:
        """What a way makes of a tensor; it and the way back are kept beside the tensor."""
        if not self._is_injective:
            return function(value, **conditions)
        # What is named by ids is kept as well: an id is its own only as long as it is there.
        given = tuple((name, id(each)) for name, each in sorted(conditions.items()))
        found = self._known.get((way, id(value), value.graph, given))
        if found is not None:
            return found[1]
        made = function(value, **conditions)
        self._known[(way, id(value), value.graph, given)] = value, made, conditions
        if isinstance(made, Tensor):
            self._known[(back, id(made), made.graph, given)] = made, value, conditions
        return made

    def _over_event(self, value: Any, jacobian: Any, least: int, event_ndims: Any) -> Any:
        """Sums a Jacobian over the axes of events that the function is not of."""
        if isinstance(jacobian, tuple):
            return tuple(self._over_event(value, each, least, event_ndims) for each in jacobian)
        known = constant_value(convert_to_tensor(event_ndims))
        axes: Any = None if known is None else int(known)
        if axes == least:
            return jacobian
        sizes: Any = array_shape.shape(value)
        rank: Any = array_shape.rank(value) if value.shape.rank is None else value.shape.rank
        if axes is None:
            count: Any = event_ndims - least
            wide = ones(sizes[rank - event_ndims : rank - least], jacobian.dtype) * jacobian
            return reduce_sum(wide, range_(-count, 0))
        wide = ones(sizes[rank - axes : rank - least], jacobian.dtype) * jacobian
        return reduce_sum(wide, list(range(least - axes, 0)))


def _axes(name: str, value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError(f"Expected {name} to be of type int, got {type(value).__name__}")
    if value < 0:
        raise ValueError(f"{name} must be a non-negative integer.")
    return value


def _check_axes(least: int, event_ndims: Any) -> None:
    tensor = convert_to_tensor(event_ndims, name="event_ndims")
    if not tensor.dtype.is_integer:
        raise ValueError(f"Expected integer dtype, got dtype {tensor.dtype}")
    known = constant_value(tensor)
    if known is None:
        return
    if tensor.shape.rank != 0:
        raise ValueError(f"Expected scalar event_ndims, got shape {tensor.shape}")
    if least > known:
        raise ValueError(f"event_ndims ({known}) must be larger than min_event_ndims ({least})")


class Identity(Bijector):
    """Leaves values as they are."""

    def __init__(self, validate_args: bool = False, name: str = "identity") -> None:
        """Takes no parameters."""
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x: Any) -> Any:
        return x

    def _inverse(self, y: Any) -> Any:
        return y

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return constant(0.0, dtype=x.dtype)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return constant(0.0, dtype=y.dtype)
