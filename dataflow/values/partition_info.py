"""PartitionInfo: tells an initializer which part of a partitioned variable it is asked for."""

from __future__ import annotations

from collections.abc import Sequence


class PartitionInfo:
    """The whole variable's shape, and where in it a part starts.

    Args:
      full_shape: Shape of the whole variable.
      var_offset: Where the part starts, along each dimension.

    Raises:
      TypeError: An argument is no list or tuple.
      ValueError: They differ in length, or the part would start outside.
    """

    def __init__(self, full_shape: Sequence[int], var_offset: Sequence[int]) -> None:
        _check_sequence("full_shape", full_shape)
        _check_sequence("var_offset", var_offset)
        if len(var_offset) != len(full_shape):
            raise ValueError(
                f"Expected equal length, but `var_offset` is of length {len(var_offset)} while "
                f"full_shape is of length {len(full_shape)}."
            )
        for offset, size in zip(var_offset, full_shape, strict=True):
            if not 0 <= offset < size:
                raise ValueError(
                    f"Expected 0 <= offset < shape but found offset={offset}, shape={size} for "
                    f"var_offset={var_offset}, full_shape={full_shape}"
                )
        self._full_shape = full_shape
        self._var_offset = var_offset

    @property
    def full_shape(self) -> Sequence[int]:
        """Shape of the whole variable."""
        return self._full_shape

    @property
    def var_offset(self) -> Sequence[int]:
        """Where the part starts."""
        return self._var_offset

    def single_offset(self, shape: Sequence[int]) -> int:
        """Where a part of this shape starts along the one dimension that is cut."""
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self._var_offset[axis]

    def single_slice_dim(self, shape: Sequence[int]) -> int | None:
        """The one dimension that is cut if a part has this shape, or None.

        Raises:
          TypeError: `shape` is no list or tuple.
          ValueError: It is not that of a part, or more than one dimension would be cut.
        """
        _check_sequence("shape", shape)
        if len(shape) != len(self._full_shape):
            raise ValueError(
                f"Expected equal length, but received shape={shape} of length {len(shape)} while "
                f"self.full_shape={self._full_shape} is of length {len(self._full_shape)}."
            )
        for i, size in enumerate(shape):
            if self._var_offset[i] + size > self._full_shape[i]:
                raise ValueError(
                    f"With self.var_offset={self._var_offset}, a partition of shape={shape} would "
                    f"exceed self.full_shape={self._full_shape} in dimension {i}."
                )
        cut = [i for i, size in enumerate(shape) if size != self._full_shape[i]]
        if len(cut) > 1:
            raise ValueError(
                f"Cannot use single_slice_dim() with shape={shape} and "
                f"self.full_shape={self._full_shape} since slice dim could be either dimension "
                f"{cut[1]} or {cut[0]}."
            )
        return cut[0] if cut else None


def _check_sequence(name: str, value: object) -> None:
    if not isinstance(value, (list, tuple)):
        raise TypeError(
            f"`{name}` must be a sequence (like tuple or list) instead of {type(value).__name__}"
        )
