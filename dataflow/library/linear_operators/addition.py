"""Sums of linear operators, those first that keep what is special about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.library.check_types import assert_proper_iterable
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.dense import (
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
)
from dataflow.library.linear_operators.diagonal import LinearOperatorDiag
from dataflow.library.linear_operators.identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from dataflow.library.linear_operators.pieces import common_batch
from dataflow.ops.array.fill import ones

_IDENTITIES = (LinearOperatorIdentity, LinearOperatorScaledIdentity)
_DIAGONALS = (*_IDENTITIES, LinearOperatorDiag)


@dataclass(frozen=True, slots=True)
class Adder:
    """Adds two operators of some kinds."""

    name: str
    kinds: tuple[type[LinearOperator], ...]
    make: Callable[..., LinearOperator]
    """Takes both, and hints and a name by keyword."""

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        """Whether both are of its kinds."""
        return isinstance(op1, self.kinds) and isinstance(op2, self.kinds)

    def add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str | None = None
    ) -> LinearOperator:
        """The sum; it is self-adjoint or positive definite where both are."""
        positive = op1.is_positive_definite and op2.is_positive_definite
        with name_scope(self.name):
            return self.make(
                op1,
                op2,
                is_non_singular=True if positive else None,
                is_self_adjoint=op1.is_self_adjoint and op2.is_self_adjoint,
                is_positive_definite=positive,
                name=operator_name or f"Add/{op1.name}__{op2.name}/",
            )


def _scaled(op1: Any, op2: Any, **options: Any) -> LinearOperator:
    multipliers = [
        each.multiplier
        if isinstance(each, LinearOperatorScaledIdentity)
        else ones(each.batch_shape_tensor(), dtype=each.dtype)
        for each in (op1, op2)
    ]
    return LinearOperatorScaledIdentity(
        num_rows=op1.range_dimension_tensor(), multiplier=sum(multipliers), **options
    )


def _diagonal(op1: Any, op2: Any, **options: Any) -> LinearOperator:
    return LinearOperatorDiag(diag=op1.diag_part() + op2.diag_part(), **options)


def _dense(op1: Any, op2: Any) -> Any:
    sparse, other = (op1, op2) if isinstance(op1, _DIAGONALS) else (op2, op1)
    return sparse.add_to_tensor(other.to_dense())


add_and_return_scaled_identity = Adder("AddAndReturnScaledIdentity", _IDENTITIES, _scaled)
add_and_return_diag = Adder("AddAndReturnDiag", _DIAGONALS, _diagonal)
add_and_return_tril = Adder(
    "AddAndReturnTriL",
    (*_DIAGONALS, LinearOperatorLowerTriangular),
    lambda op1, op2, **options: LinearOperatorLowerTriangular(tril=_dense(op1, op2), **options),
)
add_and_return_matrix = Adder(
    "AddAndReturnMatrix",
    (LinearOperator,),
    lambda op1, op2, **options: LinearOperatorFullMatrix(matrix=_dense(op1, op2), **options),
)

_TIERS = (
    [add_and_return_scaled_identity],
    [add_and_return_diag],
    [add_and_return_tril],
    [add_and_return_matrix],
)


def add_operators(
    operators: Iterable[LinearOperator],
    operator_name: str | None = None,
    addition_tiers: Sequence[Sequence[Adder]] | None = None,
    name: str | None = None,
) -> list[LinearOperator]:
    """Operators with the same sum, fewer where some can be added.

    Args:
      operators: Operators of one dtype, domain and range, whose batches broadcast.
      operator_name: Name of sums; by default it says what was added.
      addition_tiers: Adders, those of one tier tried until none can add, then those of the next;
        by default identities come first, then diagonal, triangular and all operators.
      name: Name of the scope of the operations.

    Raises:
      TypeError: One is no LinearOperator.
      ValueError: There is none, or their shapes do not fit.
    """
    assert_proper_iterable(operators)
    left = list(reversed(list(operators)))
    if not left:
        raise ValueError(f"Argument 'operators' must contain at least one operator.  Found: {left}")
    if not all(isinstance(each, LinearOperator) for each in left):
        raise TypeError(
            f"Argument 'operators' must contain only LinearOperator instances.  Found: {left}"
        )
    _check_dimensions(left)
    common_batch([each.batch_shape for each in left])
    with name_scope(name, "add_operators"):
        for tier in _TIERS if addition_tiers is None else addition_tiers:
            left = _added(left, tier, operator_name)
    return left


def _added(
    operators: list[LinearOperator], tier: Sequence[Adder], name: str | None
) -> list[LinearOperator]:
    """What is left when those that the adders of a tier can add are added, last ones first."""
    apart = []
    while operators:
        first = operators.pop()
        match = next(
            (
                (at, adder)
                for at in reversed(range(len(operators)))
                for adder in tier
                if adder.can_add(first, operators[at])
            ),
            None,
        )
        if match is None:
            apart.append(first)
            continue
        at, adder = match
        operators.append(adder.add(first, operators.pop(at), name))
    return apart


def _check_dimensions(operators: Sequence[LinearOperator]) -> None:
    for kind in ("domain", "range"):
        known = [
            (each.name, size)
            for each in operators
            if (size := getattr(each, f"{kind}_dimension").value) is not None
        ]
        if len({size for _, size in known}) > 1:
            raise ValueError(f"Operators must have the same {kind} dimension. Found: {known}")
