"""What an optimizer can be asked to optimize, and how each kind of it is updated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from dataflow.graph import scopes
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.tensor import Tensor
from dataflow.variables.variable import Variable

if TYPE_CHECKING:
    from dataflow.training.optimizer import Optimizer


class Target(ABC):
    """One of the things to optimize."""

    def __init__(self, item: Any) -> None:
        self._item = item

    @abstractmethod
    def target(self) -> Any:
        """What gradients are taken with respect to."""

    @abstractmethod
    def update_op(self, optimizer: Optimizer, grad: Any) -> Any:
        """Adds what updates it by a gradient; returns an operation or a tensor."""

    def _constrained(self, update: Any) -> Any:
        """The update, and after it the variable's constraint if it has one."""
        if self._item.constraint is None:
            return update
        with scopes.control_dependencies([update]):
            return self._item.assign(self._item.constraint(self._item))

    def _check_unconstrained(self) -> None:
        if self._item.constraint is not None:
            raise RuntimeError("Cannot use a constraint function on a sparse variable.")


class RefTarget(Target):
    """A reference variable."""

    def target(self) -> Any:
        return self._item._ref()

    def update_op(self, optimizer: Optimizer, grad: Any) -> Any:
        if isinstance(grad, IndexedSlices):
            self._check_unconstrained()
            return optimizer._apply_sparse_duplicate_indices(grad, self._item)
        return self._constrained(optimizer._apply_dense(grad, self._item))


class ResourceTarget(Target):
    """A variable behind a handle."""

    def target(self) -> Any:
        return self._item

    def update_op(self, optimizer: Optimizer, grad: Any) -> Any:
        if isinstance(grad, IndexedSlices):
            self._check_unconstrained()
            return optimizer._resource_apply_sparse_duplicate_indices(
                grad.values, self._item, grad.indices
            )
        return self._constrained(optimizer._resource_apply_dense(grad, self._item))


class TensorTarget(Target):
    """A tensor: it has gradients, but cannot be updated."""

    def target(self) -> Any:
        return self._item

    def update_op(self, optimizer: Optimizer, grad: Any) -> Any:
        raise NotImplementedError("Trying to update a Tensor ", self._item)


def target_of(item: Any) -> Target:
    """The target that a variable or tensor is.

    Raises:
      NotImplementedError: It is neither.
    """
    if getattr(getattr(item, "op", None), "type", "") == "VarHandleOp":
        return ResourceTarget(item)
    if isinstance(item, Variable):
        return RefTarget(item)
    if isinstance(item, Tensor):
        return TensorTarget(item)
    raise NotImplementedError("Trying to optimize unsupported type ", item)


def is_resource_variable(item: Any) -> bool:
    """True for variables behind a handle."""
    return hasattr(item, "_should_act_as_resource_variable")
