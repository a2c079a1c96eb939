"""Bijectors made of others, or of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.distributions.bijectors.base import Bijector
from dataflow.graph.constant_value import constant_value
from dataflow.ops.basic.constant import constant


class Invert(Bijector):
    """The inverse of another bijector."""

    def __init__(
        self, bijector: Bijector, validate_args: bool = False, name: str | None = None
    ) -> None:
        """Takes the other one.

        Raises:
          NotImplementedError: It is not injective.
        """
        if not bijector._is_injective:
            raise NotImplementedError("Invert is not implemented for non-injective bijectors.")
        self._bijector = bijector
        super().__init__(
            graph_parents=bijector.graph_parents,
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            is_constant_jacobian=bijector.is_constant_jacobian,
            validate_args=validate_args,
            dtype=bijector.dtype,
            name=name or f"invert_{bijector.name}",
        )

    @property
    def bijector(self) -> Bijector:
        """The other one."""
        return self._bijector

    def _knows(self, way: str) -> bool:
        return self._bijector._knows("inverse" if way == "forward" else "forward")

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._bijector._inverse_event_shape(input_shape)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return self._bijector._inverse_event_shape_tensor(input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._bijector._forward_event_shape(output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self._bijector._forward_event_shape_tensor(output_shape)

    def _forward(self, x: Any) -> Any:
        return self._bijector._inverse(x)

    def _inverse(self, y: Any) -> Any:
        return self._bijector._forward(y)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return self._bijector._forward_log_det_jacobian(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return self._bijector._inverse_log_det_jacobian(x)


def _least_axes(bijectors: Sequence[Bijector], forward: bool) -> int:
    """How many axes a chain is of: each step needs what it is of itself, and what is before it
    can add or take axes."""
    least = change = 0
    for each in reversed(bijectors) if forward else bijectors:
        before, after = each.forward_min_event_ndims, each.inverse_min_event_ndims
        if not forward:
            before, after = after, before
        least = max(least, before - change)
        change += after - before
    return least


class Chain(Bijector):
    """Bijectors one after the other, the last of which comes first."""

    def __init__(
        self,
        bijectors: Sequence[Bijector] | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        """Takes them; of none is the identity.

        Raises:
          NotImplementedError: One is not injective.
          ValueError: They are of several types.
        """
        chained = tuple(bijectors or ())
        for each in chained:
            if not each._is_injective:
                raise NotImplementedError(
                    f"Invert is not implemented for non-injective bijector ({each.name})"
                )
        kinds = {each.dtype for each in chained} - {None}
        if len(kinds) > 1:
            raise ValueError(f"incompatible dtypes: {list(kinds)}")
        self._bijectors = chained
        super().__init__(
            graph_parents=[parent for each in chained for parent in each.graph_parents],
            forward_min_event_ndims=_least_axes(chained, True),
            inverse_min_event_ndims=_least_axes(chained, False),
            is_constant_jacobian=all(each.is_constant_jacobian for each in chained),
            validate_args=validate_args,
            dtype=kinds.pop() if kinds else None,
            name=name
            or (
                "_of_".join(["chain", *(each.name for each in chained)]) if chained else "identity"
            ),
        )

    @property
    def bijectors(self) -> tuple[Bijector, ...]:
        """They."""
        return self._bijectors

    def _forward_event_shape(self, input_shape: Any) -> Any:
        for each in reversed(self._bijectors):
            input_shape = each.forward_event_shape(input_shape)
        return input_shape

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        for each in reversed(self._bijectors):
            input_shape = each.forward_event_shape_tensor(input_shape)
        return input_shape

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        for each in self._bijectors:
            output_shape = each.inverse_event_shape(output_shape)
        return output_shape

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        for each in self._bijectors:
            output_shape = each.inverse_event_shape_tensor(output_shape)
        return output_shape

    def _forward(self, x: Any) -> Any:
        for each in reversed(self._bijectors):
            x = each.forward(x)
        return x

    def _inverse(self, y: Any) -> Any:
        for each in self._bijectors:
            y = each.inverse(y)
        return y

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        total: Any = constant(0.0, dtype=y.dtype)
        axes = self._inverse_min_event_ndims
        shape = _event_shape(y, axes)
        for each in self._bijectors:
            total = total + each.inverse_log_det_jacobian(y, event_ndims=axes)
            shape = each.inverse_event_shape_tensor(shape)
            axes = _length(shape)
            y = each.inverse(y)
        return total

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        total: Any = constant(0.0, dtype=x.dtype)
        axes = self._forward_min_event_ndims
        shape = _event_shape(x, axes)
        for each in reversed(self._bijectors):
            total = total + each.forward_log_det_jacobian(x, event_ndims=axes)
            shape = each.forward_event_shape_tensor(shape)
            axes = _length(shape)
            x = each.forward(x)
        return total


def _event_shape(value: Any, axes: int) -> Any:
    sizes: Any = array_shape.shape(value)
    rank: Any = array_shape.rank(value) if value.shape.rank is None else value.shape.rank
    found: Any = sizes[rank - axes :]
    found.set_shape([axes])
    return found


def _length(shape: Any) -> Any:
    """How many axes a shape tells of."""
    known = shape.shape[0].value if shape.shape.rank == 1 else None
    if known is not None:
        return known
    count = array_shape.size(shape)
    constant_count = constant_value(count)
    return count if constant_count is None else int(constant_count)


class Inline(Bijector):
    """A bijector of functions."""

    def __init__(
        self,
        forward_fn: Callable[..., Any] | None = None,
        inverse_fn: Callable[..., Any] | None = None,
        inverse_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_event_shape_fn: Callable[..., Any] | None = None,
        forward_event_shape_tensor_fn: Callable[..., Any] | None = None,
        inverse_event_shape_fn: Callable[..., Any] | None = None,
        inverse_event_shape_tensor_fn: Callable[..., Any] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str = "inline",
    ) -> None:
        """Takes the functions, each called with one tensor or shape; those of shapes are the
        identity if they are None, and what needs another one fails."""
        super().__init__(
            forward_min_event_ndims=forward_min_event_ndims,
            inverse_min_event_ndims=inverse_min_event_ndims,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name,
        )
        self._functions = {
            "forward_fn": forward_fn,
            "inverse_fn": inverse_fn,
            "inverse_log_det_jacobian_fn": inverse_log_det_jacobian_fn,
            "forward_log_det_jacobian_fn": forward_log_det_jacobian_fn,
            "forward_event_shape_fn": forward_event_shape_fn,
            "forward_event_shape_tensor_fn": forward_event_shape_tensor_fn,
            "inverse_event_shape_fn": inverse_event_shape_fn,
            "inverse_event_shape_tensor_fn": inverse_event_shape_tensor_fn,
        }

    def _knows(self, way: str) -> bool:
        other = "inverse" if way == "forward" else "forward"
        return (
            self._functions[f"{way}_log_det_jacobian_fn"] is not None
            or self._functions[f"{other}_log_det_jacobian_fn"] is None
        )

    def _call(self, name: str, value: Any) -> Any:
        function = self._functions[name]
        if not callable(function):
            raise NotImplementedError(f"{name} is not a callable function.")
        return function(value)

    def _shape(self, name: str, shape: Any) -> Any:
        function = self._functions[name]
        return shape if function is None else function(shape)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._shape("forward_event_shape_fn", input_shape)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return self._shape("forward_event_shape_tensor_fn", input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._shape("inverse_event_shape_fn", output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self._shape("inverse_event_shape_tensor_fn", output_shape)

    def _forward(self, x: Any) -> Any:
        return self._call("forward_fn", x)

    def _inverse(self, y: Any) -> Any:
        return self._call("inverse_fn", y)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return self._call("inverse_log_det_jacobian_fn", y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return self._call("forward_log_det_jacobian_fn", x)
