"""What is to be read from examples: which features, of which types, in which form."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.parsing.lists import packed
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """A feature that becomes a sparse or ragged tensor."""

    key: bytes
    dtype: DType
    splits: Any = None
    """The numpy type of row splits, if it becomes ragged."""


@dataclass(frozen=True, slots=True, eq=False)
class DenseFeature:
    """A feature that becomes a tensor."""

    key: bytes
    dtype: DType
    shape: tuple[int | None, ...]
    """Of one example's; the first size is None if that may differ between examples."""
    default: Any
    """What stands in for it where it is missing, or the element that fills up shorter ones."""
    absent: Any = None
    """The payload that stands in for it; None if it must be there."""

    is_variable: bool = field(init=False)
    """Whether examples may have different numbers of elements."""
    stride: int = field(init=False)
    """How many elements an example has, or of how many it has a multiple."""

    def __post_init__(self) -> None:
        is_variable = bool(self.shape) and self.shape[0] is None
        known: Any = self.shape[1:] if is_variable else self.shape
        object.__setattr__(self, "is_variable", is_variable)
        object.__setattr__(self, "stride", math.prod(known))

    @property
    def text(self) -> str:
        """The shape as errors print it."""
        return shape_text("?" if size is None else size for size in self.shape)  # type: ignore[misc]


AnyFeature = Feature | DenseFeature


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """All that is to be read."""

    sparse: tuple[Feature, ...]
    dense: tuple[DenseFeature, ...]
    ragged: tuple[Feature, ...]
    forms: list[Any] = field(default_factory=list)
    """How messages were built that had them; see `alike`."""

    others: tuple[Feature, ...] = field(init=False)
    """Those that become no dense tensors."""
    all: tuple[AnyFeature, ...] = field(init=False)
    """They, and then those that do."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "others", (*self.sparse, *self.ragged))
        object.__setattr__(self, "all", (*self.others, *self.dense))


def inner_sizes(shape: TensorShape, place: int) -> tuple[int | None, ...]:
    """The sizes of a dense feature.

    Raises:
      InvalidArgumentError: They are not known, but for the first one.
    """
    dims = shape.dims_tuple
    if dims is None or None in dims[1:]:
        shown = (
            "<unknown>" if dims is None else shape_text("?" if d is None else d for d in dims)  # type: ignore[misc]
        )
        raise invalid(
            f"dense_shapes[{place}] has unknown rank or unknown inner dimensions: {shown}"
        )
    return dims


def dense_feature(
    place: int, key: bytes, dtype: DType, shape: tuple[int | None, ...], default: Any
) -> DenseFeature:
    """A dense feature of one of the ops that read examples.

    Raises:
      InvalidArgumentError: The default value does not fit.
    """
    made = DenseFeature(key, dtype, shape, default)
    if made.is_variable:
        if default.size != 1:
            raise invalid(
                f"dense_shape[{place}] is a variable length shape: {made.text}, therefore "
                f"def_value[{place}] must contain a single element (the padding element).  But its "
                f"shape is: {shape_text(default.shape)}"
            )
        absent = [] if dtype.name == "string" else b""
        return DenseFeature(key, dtype, shape, default, absent)
    if default.size and default.shape != shape:
        raise invalid(
            f"def_value[{place}].shape() == {shape_text(default.shape)} is not compatible with "
            f"dense_shapes_[{place}] == {made.text}"
        )
    return DenseFeature(
        key, dtype, shape, default, packed(default, dtype) if default.size else None
    )


def missing_text(feature: DenseFeature) -> str:
    """What errors say of a feature that is not there."""
    return (
        f"Feature: {feature.key.decode(errors='backslashreplace')} (data type: "
        f"{type_name(feature.dtype)}) is required but could not be found."
    )
