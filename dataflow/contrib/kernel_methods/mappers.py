"""Features whose inner products approximate a kernel."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from dataflow.ops.basic.constant import constant
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.trig import cos
from dataflow.values import dtypes


class InvalidShapeError(Exception):
    """A tensor has another shape than a mapper takes."""


class DenseKernelMapper(ABC):
    """Makes features of dense tensors."""

    @abstractmethod
    def map(self, input_tensor: Any) -> Any:
        """Features [batch_size, output_dim] of numbers [batch_size, input_dim]."""
        raise NotImplementedError(f"map is not implemented for {self}.")

    @property
    @abstractmethod
    def name(self) -> str:
        """A name."""

    @property
    @abstractmethod
    def output_dim(self) -> int:
        """How many features there are."""


class RandomFourierFeatureMapper(DenseKernelMapper):
    """Features whose inner product is about exp(-|x - y|^2 / (2 stddev^2)) (Rahimi and Recht,
    Random Features for Large-Scale Kernel Machines, 2007)."""

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        stddev: float = 1.0,
        seed: int = 1,
        name: str | None = None,
    ) -> None:
        """Makes a mapper.

        Args:
          input_dim: How many numbers an example has.
          output_dim: How many features it gets.
          stddev: The kernel's width.
          seed: Of what is drawn; the same seed gives the same features.
          name: A name.
        """
        self._input_dim = input_dim
        self._output_dim = output_dim
        self._stddev = stddev
        self._seed = seed
        self._name = name

    @property
    def name(self) -> str:
        """The name that was given, or one of its own."""
        return self._name or str(id(self))

    @property
    def input_dim(self) -> int:
        """How many numbers an example has."""
        return self._input_dim

    @property
    def output_dim(self) -> int:
        """How many features it gets."""
        return self._output_dim

    def map(self, input_tensor: Any) -> Any:
        """Features [batch_size, output_dim] of numbers [batch_size, input_dim].

        Raises:
          InvalidShapeError: The tensor has another rank or size.
        """
        shape = input_tensor.shape
        if shape.ndims != 2:
            raise InvalidShapeError(
                f"The shape of the tensor should be 2. Got {shape.ndims} instead."
            )
        if shape[1].value != self._input_dim:
            raise InvalidShapeError(
                f"Invalid dimension: expected {self._input_dim} input features, got "
                f"{shape[1].value} instead."
            )
        random = np.random.RandomState(self._seed)
        sizes = [self._input_dim, self._output_dim]
        omega = random.normal(scale=1.0 / self._stddev, size=sizes)
        bias = random.uniform(0.0, 2 * np.pi, size=[self._output_dim])
        turned = matmul(input_tensor, constant(omega, dtypes.float32))
        turned += constant(bias, dtypes.float32)
        return math.sqrt(2.0 / self._output_dim) * cos(turned)
