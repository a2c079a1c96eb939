"""Static shapes of tensors: `TensorShape` and `Dimension` as TensorFlow 1 programs see them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, Final, SupportsIndex, overload

from dataflow.errors import InvalidArgumentError
from dataflow.proto import tensor_shape_pb2

MAX_RANK: Final = 32
"""Dimensions that a tensor may have.

numpy's arrays, from version 2.0 on, have 64 at most, but iterators of 32 are at work in parts of it
(`ufunc.at`, indexing, `flat`), and some of these end the process where an array has more.
"""


class RankError(InvalidArgumentError, ValueError):
    """A tensor would have too many dimensions. TensorFlow's front end raises ValueError."""

    def __init__(self, what: str, rank: int) -> None:
        self.rank = rank
        super().__init__(
            None, None, f"{what} has {rank} dimensions, at most {MAX_RANK} are supported."
        )


def _is_whole(value: Real) -> bool:
    return math.isfinite(value) and value == math.floor(value)


class Dimension:
    """Size of one dimension of a shape, or an unknown size.

    Comparing or computing with an unknown size gives `None` or an unknown `Dimension`, so two
    unknown dimensions are never equal.

    Raises:
        ValueError: The size is negative, or no whole number.
        TypeError: The size is neither None nor a number.
    """

    __slots__ = ("_value",)

    _value: int | None

    def __init__(self, value: Any) -> None:
        if isinstance(value, Dimension):
            self._value = value._value
            return
        if value is not None:
            if not isinstance(value, int):
                if isinstance(value, Real) and not isinstance(value, Integral):
                    # `[None, 28 / 2]` is a shape for TensorFlow 1.
                    if not _is_whole(value):
                        raise ValueError(f"Ambiguous dimension: {value}")
                    value = math.floor(value)
                elif isinstance(value, (str, bytes)):
                    value = int(value)
                try:
                    value = int(value.__index__())
                except AttributeError:
                    raise TypeError(
                        "Dimension value must be integer or None or have an __index__ method, "
                        f"got value '{value!r}' with type '{type(value)!r}'"
                    ) from None
            if value < 0:
                raise ValueError(f"Dimension {value:d} must be >= 0")
        self._value = value

    @property
    def value(self) -> int | None:
        """The size, None if it is unknown."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether the two sizes are equal or one of them is unknown."""
        other = as_dimension(other)
        return self._value is None or other._value is None or self._value == other._value

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError if both sizes are known and differ."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The known one of two compatible sizes.

        Raises:
            ValueError: Both sizes are known and differ.
        """
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return Dimension(other._value if self._value is None else self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> Any:
        return self._value

    def __index__(self) -> Any:
        return self._value

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self._value,)

    # Defining `__eq__` alone leaves the class unhashable, as TensorFlow's is: an unknown dimension
    # could not be found again in a dict.
    def __eq__(self, other: object) -> Any:
        size = _operand(other)
        if size is NotImplemented:
            return NotImplemented
        return None if self._value is None or size is None else self._value == size

    def __ne__(self, other: object) -> Any:
        size = _operand(other)
        if size is NotImplemented:
            return NotImplemented
        return None if self._value is None or size is None else self._value != size

    def __lt__(self, other: Any) -> Any:
        size = as_dimension(other)._value
        return None if self._value is None or size is None else self._value < size

    def __le__(self, other: Any) -> Any:
        size = as_dimension(other)._value
        return None if self._value is None or size is None else self._value <= size

    def __gt__(self, other: Any) -> Any:
        size = as_dimension(other)._value
        return None if self._value is None or size is None else self._value > size

    def __ge__(self, other: Any) -> Any:
        size = as_dimension(other)._value
        return None if self._value is None or size is None else self._value >= size

    def __add__(self, other: Any) -> Dimension:
        size = _operand(other)
        if size is NotImplemented:
            return NotImplemented
        return Dimension(None if self._value is None or size is None else self._value + size)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dimension:
        size = _operand(other)
        if size is NotImplemented:
            return NotImplemented
        return Dimension(None if self._value is None or size is None else self._value - size)

    def __rsub__(self, other: Any) -> Dimension:
        size = as_dimension(other)._value
        return Dimension(None if self._value is None or size is None else size - self._value)

    def __mul__(self, other: Any) -> Dimension:
        size = _operand(other)
        if size is NotImplemented:
            return NotImplemented
        return Dimension(None if self._value is None or size is None else self._value * size)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Dimension:
        size = _operand(other)
        if size is NotImplemented:
            return NotImplemented
        return Dimension(None if self._value is None or size is None else self._value // size)

    def __rfloordiv__(self, other: Any) -> Dimension:
        size = as_dimension(other)._value
        return Dimension(None if self._value is None or size is None else size // self._value)

    def __truediv__(self, other: Any) -> Dimension:
        raise TypeError(
            "unsupported operand type(s) for /: "
            f"'Dimension' and '{type(other).__name__}', please use // instead"
        )

    def __rtruediv__(self, other: Any) -> Dimension:
        raise TypeError(
            "unsupported operand type(s) for /: "
            f"'{type(other).__name__}' and 'Dimension', please use // instead"
        )

    def __mod__(self, other: Any) -> Dimension:
        size = as_dimension(other)._value
        return Dimension(None if self._value is None or size is None else self._value % size)

    def __rmod__(self, other: Any) -> Dimension:
        return as_dimension(other) % self


def as_dimension(value: Any) -> Dimension:
    """Convert an integer, None or a `Dimension` to a `Dimension`."""
    return value if isinstance(value, Dimension) else Dimension(value)


def _operand(other: object) -> Any:
    """Size of the other operand; NotImplemented if it cannot be a dimension."""
    try:
        return as_dimension(other)._value
    except (TypeError, ValueError):
        return NotImplemented


class TensorShape:
    """Static shape: every dimension known, some unknown, or not even the number of dimensions.

    Indexing and iterating give `Dimension` objects; `as_list` and `dims_tuple` give plain sizes.
    Immutable, hashable, equal by sizes.

    Args:
        dims: None for an unknown rank, an iterable of sizes, one size, a `TensorShapeProto` or a
            `TensorShape`. A size is an integer, None or a `Dimension`.

    Raises:
        TypeError: `dims` holds something that is no size.
        ValueError: A size is negative.
    """

    __slots__ = ("_dims",)

    _dims: tuple[int | None, ...] | None

    def __init__(self, dims: Any) -> None:
        object.__setattr__(self, "_dims", _sizes(dims))

    @staticmethod
    def of(dims: tuple[int | None, ...] | None) -> TensorShape:
        """Wrap sizes that are known to be valid; the fast way to make a shape."""
        shape = object.__new__(TensorShape)
        object.__setattr__(shape, "_dims", dims)
        return shape

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"TensorShape is immutable; cannot set {name!r}")

    @property
    def _v2_behavior(self) -> bool:
        """False: indexing gives `Dimension` objects. TensorFlow's own tests ask for it."""
        return False

    @property
    def dims_tuple(self) -> tuple[int | None, ...] | None:
        """Plain sizes, None where unknown; None for an unknown rank."""
        return self._dims

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions; None for an unknown rank."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    @property
    def rank(self) -> int | None:
        """Number of dimensions, None if unknown."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """Same as `rank`."""
        return self.rank

    def as_list(self) -> list[int | None]:
        """Sizes, None where unknown.

        Raises:
            ValueError: The rank is unknown.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self) -> tensor_shape_pb2.TensorShapeProto:
        """The shape as a message, -1 standing for an unknown size."""
        proto = tensor_shape_pb2.TensorShapeProto()
        if self._dims is None:
            proto.unknown_rank = True
        else:
            for size in self._dims:
                proto.dim.add().size = -1 if size is None else size
        return proto

    def num_elements(self) -> int | None:
        """Product of the sizes, None if one is unknown."""
        if self._dims is None or None in self._dims:
            return None
        return math.prod(self._dims)  # type: ignore[arg-type]

    def is_fully_defined(self) -> bool:
        """Whether every size is known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless every size is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some fully known shape fits both."""
        mine, theirs = self._dims, as_shape(other)._dims
        if mine is None or theirs is None:
            return True
        return len(mine) == len(theirs) and all(
            a is None or b is None or a == b for a, b in zip(mine, theirs, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError if no shape fits both."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is a shape that every shape fitting this one fits, too."""
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None:
            return True
        if self._dims is None or len(self._dims) != len(other._dims):
            return False
        return all(b is None or a == b for a, b in zip(self._dims, other._dims, strict=True))

    def merge_with(self, other: Any) -> TensorShape:
        """What is known from either of two compatible shapes.

        Raises:
            ValueError: The shapes are incompatible.
        """
        known: TensorShape = as_shape(other)
        mine, theirs = self._dims, known._dims
        if mine is None:
            return known
        if theirs is None:
            return self
        if not self.is_compatible_with(known):
            raise ValueError(f"Shapes {self} and {known} are not compatible")
        return TensorShape.of(
            tuple(b if a is None else a for a, b in zip(mine, theirs, strict=True))
        )

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The narrowest shape that both this one and `other` fit."""
        mine, theirs = self._dims, as_shape(other)._dims
        if mine is None or theirs is None or len(mine) != len(theirs):
            return TensorShape.of(None)
        return TensorShape.of(
            tuple(a if a == b else None for a, b in zip(mine, theirs, strict=True))
        )

    def concatenate(self, other: Any) -> TensorShape:
        """This shape's dimensions followed by those of `other`; unknown if either rank is."""
        mine, theirs = self._dims, as_shape(other)._dims
        if mine is None or theirs is None:
            return TensorShape.of(None)
        return TensorShape.of(mine + theirs)

    def assert_same_rank(self, other: Any) -> None:
        """Raise ValueError if both ranks are known and differ."""
        other = as_shape(other)
        if self.rank is not None and other.rank is not None and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_has_rank(self, rank: int | None) -> None:
        """Raise ValueError if the rank is known and is not `rank`."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank:d}")

    def with_rank(self, rank: int) -> TensorShape:
        """This shape with the rank made known.

        Raises:
            ValueError: It has another rank.
        """
        try:
            return self.merge_with(unknown_shape(rank=rank))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank:d}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; ValueError if it is known to have fewer dimensions."""
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank:d}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; ValueError if it is known to have more dimensions."""
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank:d}")
        return self

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[Dimension]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter([Dimension(size) for size in self._dims])

    @overload
    def __getitem__(self, key: SupportsIndex) -> Dimension: ...

    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...

    def __getitem__(self, key: SupportsIndex | slice) -> Dimension | TensorShape:
        """A dimension, or the shape of a slice of the dimensions.

        An unknown shape gives unknown dimensions, of a known number if the slice tells it.
        """
        if self._dims is not None:
            if isinstance(key, slice):
                return TensorShape.of(self._dims[key])
            try:
                return Dimension(self._dims[key])
            except IndexError:
                raise IndexError("list index out of range") from None
        if not isinstance(key, slice):
            return Dimension(None)
        start, stop = key.start if key.start is not None else 0, key.stop
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        if stop is None or start < 0 or stop < 0:
            return TensorShape.of(None)
        return unknown_shape(rank=stop - start)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        first: TensorShape = as_shape(other)
        return first.concatenate(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is TensorShape:
            return self._dims == other._dims
        try:
            return self._dims == as_shape(other)._dims
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        sizes = ["?" if size is None else str(size) for size in self._dims]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"

    def __repr__(self) -> str:
        return f"TensorShape({self.dims})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self.dims,)


def _sizes(dims: Any) -> tuple[int | None, ...] | None:
    """Validated sizes of anything `TensorShape` accepts."""
    if isinstance(dims, (tuple, list)):
        return tuple(as_dimension(size)._value for size in dims)
    if dims is None:
        return None
    if isinstance(dims, TensorShape):
        return dims._dims
    if isinstance(dims, tensor_shape_pb2.TensorShapeProto):
        if dims.unknown_rank:
            return None
        return tuple(None if d.size == -1 else Dimension(d.size)._value for d in dims.dim)
    if isinstance(dims, (str, bytes)):
        raise TypeError(
            "A string has ambiguous TensorShape, please wrap in a list or convert to an int: "
            f"{dims!s}"
        )
    try:
        iterator = iter(dims)
    except TypeError:
        return (as_dimension(dims)._value,)
    sizes = []
    for size in iterator:
        try:
            sizes.append(as_dimension(size)._value)
        except TypeError as error:
            raise TypeError(
                f"Failed to convert '{dims!r}' to a shape: '{size!r}'could not be converted to a "
                "dimension. A shape should either be single dimension (e.g. 10), or an iterable "
                "of dimensions (e.g. [1, 10, None])."
            ) from error
    return tuple(sizes)


def as_shape(shape: Any) -> TensorShape:
    """Convert anything `TensorShape` accepts to a `TensorShape`."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None, **kwargs: Any) -> TensorShape:
    """A shape of unknown sizes.

    Args:
        rank: Number of dimensions, None if that is unknown, too.
        **kwargs: `ndims`, the older name of `rank`.

    Raises:
        TypeError: Another keyword argument.
    """
    if rank is None and "ndims" in kwargs:
        rank = kwargs.pop("ndims")
    if kwargs:
        raise TypeError(f"Unknown argument: {kwargs}")
    return TensorShape.of(None if rank is None else (None,) * rank)


def dimension_value(dimension: Dimension | int | None) -> int | None:
    """Plain size of a `Dimension`; anything else is returned as it is."""
    return dimension._value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Dimension at an index, an unknown one if the rank is unknown."""
    return shape[index]
