"""What is minimized, and which constraints it is under."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any


class ConstrainedMinimizationProblem(ABC):
    """An objective to minimize while no constraint is positive."""

    @property
    @abstractmethod
    def objective(self) -> Any:
        """A scalar."""

    @property
    def num_constraints(self) -> int:
        """How many constraints there are.

        Raises:
          ValueError: Shapes are not known, or those of constraints and their proxies differ.
        """
        shape = self.constraints.shape
        proxies = shape if self.proxy_constraints is None else self.proxy_constraints.shape
        if not (shape.is_fully_defined() and proxies.is_fully_defined()):
            raise ValueError("constraints and proxy_constraints must have fully-known shapes")
        if shape.as_list() != proxies.as_list():
            raise ValueError("constraints and proxy_constraints must have the same shape")
        return math.prod(shape.as_list())

    @property
    @abstractmethod
    def constraints(self) -> Any:
        """Numbers that are not to be positive."""

    @property
    def proxy_constraints(self) -> Any:
        """What stands for the constraints where gradients are needed; they themselves if None."""
        return None

    @property
    def pre_train_ops(self) -> Any:
        """Operations that run before each step, or None."""
        return None
