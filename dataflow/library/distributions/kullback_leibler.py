"""The divergence of Kullback and Leibler between distributions, by pairs of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.math.rounding as rounding
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.assertion import Assert
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.linear_operators.registrations import Table, nearest
from dataflow.ops.basic.identity import identity

_DIVERGENCES: Table = {}


def _registered_kl(type_a: type, type_b: type) -> Callable[..., Any] | None:
    return nearest(_DIVERGENCES, type_a, type_b)


def kl_divergence(
    distribution_a: Any,
    distribution_b: Any,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> Tensor:
    """The divergence of `distribution_b` from `distribution_a`: E_a[log(a / b)].

    Args:
      distribution_a: The distribution that the mean is taken over.
      distribution_b: Another one.
      allow_nan_stats: Whether NaN is a result; else the step fails.
      name: Name of the scope of the operations.

    Raises:
      NotImplementedError: No function is registered for the two classes.
    """
    function = _registered_kl(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type "
            f"{type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        found: Tensor = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return found
        is_number = rounding.is_nan(found)
        text = (
            "KL calculation between "
            f"{distribution_a.name} and {distribution_b.name} returned NaN values (and was called "
            "with allow_nan_stats=False). Values:"
        )
        check = Assert(~reductions.reduce_any(is_number), [text, found])
        with control_dependencies([check]):
            checked: Tensor = identity(found, name="checked_kl")
            return checked


def cross_entropy(
    ref: Any, other: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Tensor:
    """The cross entropy of `other` under `ref`: -E_ref[log(other)].

    Args:
      ref: The distribution that the mean is taken over.
      other: Another one.
      allow_nan_stats: Whether NaN is a result; else the step fails.
      name: Name of the scope of the operations.

    Raises:
      NotImplementedError: No divergence is registered for the two classes.
    """
    with name_scope(name, "cross_entropy"):
        divergence: Any = kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)
        found: Tensor = ref.entropy() + divergence
        return found


class RegisterKL:
    """Registers a function for the divergence of two classes, as a decorator: the function takes
    two distributions and a name."""

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        """Takes the two classes."""
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        """Registers the function, and returns it.

        Raises:
          TypeError: It cannot be called.
          ValueError: There is one for the two classes.
        """
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _DIVERGENCES:
            first, second = (each.__name__ for each in self._key)
            raise ValueError(
                f"KL({first} || {second}) has already been registered to: {_DIVERGENCES[self._key]}"
            )
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn
