"""Initializers: objects that make initial values of a given shape."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.linalg.diag as array_diag
import dataflow.ops.linalg.qr as linalg_qr
import dataflow.ops.math.rounding as math_rounding
import dataflow.ops.random.stateful as random_ops
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.partition_info import PartitionInfo
from dataflow.values.shapes import TensorShape

if TYPE_CHECKING:
    from typing_extensions import Self


class Initializer:
    """Makes initial values: `initializer(shape, dtype=None, partition_info=None)`."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        """A tensor of that shape.

        Args:
          shape: Sizes, as integers.
          dtype: Element type; the initializer's own if None.
          partition_info: Which part of a larger variable the tensor is for.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments to make the initializer again, as plain values."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """An initializer from what `get_config` gave."""
        return cls(**config)


class Zeros(Initializer):
    """Gives zeros."""

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        return array_fill.zeros(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[str, Any]:
        return {"dtype": self.dtype.name}


class Ones(Initializer):
    """Gives ones."""

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        return array_fill.ones(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[str, Any]:
        return {"dtype": self.dtype.name}


class Constant(Initializer):
    """Gives fixed values.

    Args:
      value: A number that fills the shape, or values for it; of too few the last one is repeated.
      dtype: Element type.
      verify_shape: Refuses values that do not have the shape exactly.

    Raises:
      TypeError: `value` is neither a number, list, tuple nor array.
    """

    def __init__(
        self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False
    ) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected "
                "Python scalar, list or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(
        self,
        shape: Any,
        dtype: Any = None,
        partition_info: PartitionInfo | None = None,
        verify_shape: bool | None = None,
    ) -> Tensor:
        return constant(
            self.value,
            dtype=self.dtype if dtype is None else dtype,
            shape=shape,
            verify_shape=self._verify_shape if verify_shape is None else verify_shape,
        )

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value, "dtype": self.dtype.name}


class RandomUniform(Initializer):
    """Draws from [minval, maxval)."""

    def __init__(
        self,
        minval: Any = 0.0,
        maxval: Any = None,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        dtype = dtypes.as_dtype(self.dtype if dtype is None else dtype)
        # The default fits all types.
        minval = 0 if dtype.is_integer and self.minval == 0.0 else self.minval
        return random_ops.random_uniform(shape, minval, self.maxval, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {
            "minval": self.minval,
            "maxval": self.maxval,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class RandomNormal(Initializer):
    """Draws from a normal distribution.

    Raises:
      ValueError: `dtype` is no floating type.
    """

    def __init__(
        self,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = floating_type(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        return random_ops.random_normal(
            shape, self.mean, self.stddev, self.dtype if dtype is None else dtype, seed=self.seed
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "stddev": self.stddev,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class TruncatedNormal(RandomNormal):
    """Draws from a normal distribution; what is beyond two standard deviations is drawn again."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        return random_ops.truncated_normal(
            shape, self.mean, self.stddev, self.dtype if dtype is None else dtype, seed=self.seed
        )


class Orthogonal(Initializer):
    """Gives a random orthogonal matrix, with all dimensions but the last as rows (Saxe, 2013).

    Args:
      gain: Factor of the result.
      seed: Seed of the operation.
      dtype: Element type.
    """

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        self.gain = gain
        self.seed = seed
        self.dtype = floating_type(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        """See `Initializer`.

        Raises:
          ValueError: The shape has less than two dimensions.
        """
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        rows, columns = int(math.prod(int(d) for d in shape[:-1])), int(shape[-1])
        normal = random_ops.random_normal(
            (max(rows, columns), min(rows, columns)),
            dtype=self.dtype if dtype is None else dtype,
            seed=self.seed,
        )
        q, r = linalg_qr.qr(normal, full_matrices=False)
        # Signs that only depend on the draw make the distribution uniform.
        matrix: Any = q
        matrix *= math_rounding.sign(array_diag.diag_part(r))
        if rows < columns:
            matrix = array_transpose.matrix_transpose(matrix)
        gain: Any = self.gain
        result: Tensor = gain * array_shape.reshape(matrix, shape)
        return result

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


class Identity(Initializer):
    """Gives the identity matrix.

    Args:
      gain: Factor of the result.
      dtype: Element type.
    """

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32) -> None:
        self.gain = gain
        self.dtype = floating_type(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        """See `Initializer`.

        Raises:
          ValueError: The shape is not that of a matrix.
        """
        whole = whole_shape(shape, partition_info)
        if len(whole) != 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        sizes = whole.as_list() if isinstance(whole, TensorShape) else whole
        rows, columns = sizes
        matrix = array_diag.eye(rows, columns, dtype=self.dtype if dtype is None else dtype)
        if partition_info is not None:
            matrix = array_slice.slice(matrix, partition_info.var_offset, shape)
        gain: Any = self.gain
        result: Tensor = gain * matrix
        return result

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "dtype": self.dtype.name}


def whole_shape(shape: Any, partition_info: PartitionInfo | None) -> Any:
    """The shape of the variable that a tensor of `shape` is for, or for a part of."""
    return shape if partition_info is None else partition_info.full_shape


def floating_type(dtype: Any) -> DType:
    """The element type.

    Raises:
      ValueError: It is no floating type.
    """
    found = dtypes.as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {found}.")
    return found
