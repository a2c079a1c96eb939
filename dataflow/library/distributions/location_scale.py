"""What distributions that are moved and stretched share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.distributions.base import FULLY_REPARAMETERIZED
from dataflow.library.distributions.shapes import Broadcast, check_same_type, positive
from dataflow.ops.basic.identity import identity
from dataflow.values import dtypes


class LocationScale(Broadcast):
    """`loc + scale z`, where z is of a distribution without parameters."""

    def _begin(
        self,
        loc: Any,
        scale: Any,
        flags: tuple[bool, bool],
        parameters: Mapping[str, Any],
        name: str,
    ) -> None:
        """Does a constructor's work; `flags` are `validate_args` and `allow_nan_stats`."""
        with name_scope(name, values=[loc, scale]) as scope:
            self._loc: Any = identity(convert_to_tensor(loc, name="loc"), name="loc")
            self._scale: Any = identity(positive(scale, "scale", flags[0]), name="scale")
            check_same_type(self._loc, self._scale)
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=flags[0],
            allow_nan_stats=flags[1],
            parameters=parameters,
            graph_parents=[self._loc, self._scale],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        shape = convert_to_tensor(sample_shape, dtype=dtypes.int32)
        return {"loc": shape, "scale": shape}

    @property
    def loc(self) -> Any:
        """What is added."""
        return self._loc

    @property
    def scale(self) -> Any:
        """What is multiplied by."""
        return self._scale

    def _arguments(self) -> tuple[Any, ...]:
        return self._loc, self._scale

    def _z(self, x: Any) -> Any:
        return (x - self._loc) / self._scale
