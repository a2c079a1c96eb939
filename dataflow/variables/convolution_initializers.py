"""Initializers of convolutions that keep the lengths of what goes into them (Xiao et al., 2018)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.scatter as array_scatter
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.linalg.diag as array_diag
import dataflow.ops.linalg.matmul as linalg_matmul
import dataflow.ops.linalg.qr as linalg_qr
import dataflow.ops.math.rounding as math_rounding
import dataflow.ops.random.stateful as random_ops
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.values import dtypes
from dataflow.values.partition_info import PartitionInfo
from dataflow.variables.initializers import Initializer, floating_type

_Taps = Mapping[tuple[int, ...], Any]
"""Place in a kernel -> the matrix there."""


class _Scaled(Initializer):
    """One with a factor and a seed.

    Args:
      gain: Factor of the lengths.
      seed: Seed of the operations.
      dtype: Element type.

    Raises:
      ValueError: `dtype` is no floating type.
    """

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        self.gain = gain
        self.seed = seed
        self.dtype = floating_type(dtype)

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


def _check_filters(shape: Any) -> None:
    if shape[-2] > shape[-1]:
        raise ValueError("In_filters cannot be greater than out_filters.")


def _orthogonal(size: int, dtype: Any, seed: int | None) -> Any:
    q, r = linalg_qr.qr(random_ops.random_normal([size, size], dtype=dtype, seed=seed))
    return q * math_rounding.sign(array_diag.diag_part(r))


class ConvolutionDeltaOrthogonal(_Scaled):
    """Gives a kernel whose centre is an orthogonal matrix, and the rest zeros."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        """See `Initializer`.

        Raises:
          ValueError: The shape has not 3 to 5 dimensions, or fewer outputs than inputs.
        """
        if not 3 <= len(shape) <= 5:
            raise ValueError(
                "The tensor to initialize must be at least three-dimensional and at most "
                "five-dimensional"
            )
        _check_filters(shape)
        dtype = self.dtype if dtype is None else dtype
        matrix = _orthogonal(shape[-1], dtype, self.seed)[: shape[-2], :] * cast(self.gain, dtype)
        centre = [[(size - 1) // 2 for size in shape[:-2]]]
        return array_scatter.scatter_nd(centre, array_shape.expand_dims(matrix, 0), shape)


class ConvolutionOrthogonal(_Scaled):
    """What the initializers of kernels of 1 to 3 dimensions have in common."""

    _words: tuple[int, str]

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        """See `Initializer`.

        Raises:
          ValueError: The shape has another number of dimensions, fewer outputs than inputs, or
            sizes that differ.
        """
        rank, word = self._words
        if len(shape) != rank + 2:
            raise ValueError(f"The tensor to initialize must be {word}-dimensional")
        _check_filters(shape)
        size, inputs, outputs = shape[0], shape[-2], shape[-1]
        if any(each != size for each in shape[:rank]):
            raise ValueError("Kernel sizes must be equal.")
        matrix = self._matrix(outputs)[0:inputs, :]
        taps: _Taps = {(0,) * rank: matrix}
        if size > 1:
            blocks = [self._block(rank, outputs) for _ in range(size - 1)]
            whole = functools.reduce(_convolved, blocks)
            taps = {place: linalg_matmul.matmul(matrix, tap) for place, tap in whole.items()}
        stacked = array_concat.stack(list(dict(sorted(taps.items())).values()))
        kernel: Any = array_shape.reshape(stacked, shape)
        result: Tensor = kernel * cast(self.gain, self.dtype if dtype is None else dtype)
        return result

    def _drawn(self) -> int | None:
        """The seed of the next draw."""
        seed = self.seed
        if self.seed:
            self.seed += 1
        return seed

    def _matrix(self, size: int) -> Any:
        return _orthogonal(size, self.dtype, self._drawn())

    def _projection(self, size: int) -> Any:
        """A symmetric matrix that is its own square."""
        matrix = self._matrix(size)
        taken: Any = random_ops.random_normal([size], seed=self._drawn())
        part = matrix * cast(taken > 0, self.dtype)
        return linalg_matmul.matmul(part, array_transpose.matrix_transpose(part))

    def _block(self, rank: int, size: int) -> _Taps:
        """A kernel of size 2: on each axis a projection, and what that leaves out."""
        axes = []
        for _ in range(rank):
            projection = self._projection(size)
            rest = cast(array_diag.diag([1.0] * size), self.dtype) - projection
            axes.append((projection, rest))
        return {
            place: functools.reduce(
                linalg_matmul.matmul, (axes[i][bit] for i, bit in enumerate(place))
            )
            for place in itertools.product(range(2), repeat=rank)
        }


def _convolved(first: _Taps, second: _Taps) -> _Taps:
    found: dict[tuple[int, ...], Any] = {}
    for (one, tap), (other, following) in itertools.product(first.items(), second.items()):
        place = tuple(map(sum, zip(one, other, strict=True)))
        product = linalg_matmul.matmul(tap, following)
        found[place] = found[place] + product if place in found else product
    return found


class ConvolutionOrthogonal1D(ConvolutionOrthogonal):
    """Gives an orthogonal kernel of a convolution in one dimension."""

    _words = (1, "three")


class ConvolutionOrthogonal2D(ConvolutionOrthogonal):
    """Gives an orthogonal kernel of a convolution in two dimensions."""

    _words = (2, "four")


class ConvolutionOrthogonal3D(ConvolutionOrthogonal):
    """Gives an orthogonal kernel of a convolution in three dimensions."""

    _words = (3, "five")


convolutional_delta_orthogonal = ConvolutionDeltaOrthogonal
convolutional_orthogonal_1d = ConvolutionOrthogonal1D
convolutional_orthogonal_2d = ConvolutionOrthogonal2D
convolutional_orthogonal_3d = ConvolutionOrthogonal3D
