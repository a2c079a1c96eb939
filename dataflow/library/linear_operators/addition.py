"""Sums of linear operators, those first that keep what is special about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

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


@dataclass(slots=True)
class Hints:
    """What is said of a sum; None says nothing."""

    is_non_singular: bool | None = None
    is_positive_definite: bool | None = None
    is_self_adjoint: bool | None = None

    def of_sum(self, op1: LinearOperator, op2: LinearOperator) -> Hints:
        """With what follows from the operators: a sum is what both are, unless these say it."""
        self_adjoint, definite = self.is_self_adjoint, self.is_positive_definite
        if self_adjoint is None:
            self_adjoint = op1.is_self_adjoint and op2.is_self_adjoint
        if definite is None:
            definite = op1.is_positive_definite and op2.is_positive_definite
        follows = bool(definite) and self.is_positive_definite is None
        return Hints(True if follows else self.is_non_singular, definite, self_adjoint)


class Adder:
    """Adds two operators of some kinds: subclasses define `can_add` and `_add`."""

    @property
    def name(self) -> str:
        """What it is called."""
        return type(self).__name__

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        """Whether it adds these two."""
        raise NotImplementedError

    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: Hints
    ) -> LinearOperator:
        raise NotImplementedError

    def add(
        self,
        op1: LinearOperator,
        op2: LinearOperator,
        operator_name: str | None,
        hints: Hints | None = None,
    ) -> LinearOperator:
        """The sum.

        Args:
          op1: An operator.
          op2: Another one, of the same dtype, whose shape broadcasts.
          operator_name: Its name; None for one that says what was added.
          hints: What is said of it; the rest follows from both.
        """
        hints = (hints or Hints()).of_sum(op1, op2)
        with name_scope(self.name.removeprefix("_"), values=op1.graph_parents + op2.graph_parents):
            name = operator_name or f"Add/{op1.name}__{op2.name}/"
            return self._add(op1, op2, name, hints)


class _OfKinds(Adder):
    _kinds: ClassVar[tuple[type[LinearOperator], ...]]
    _make: ClassVar[Callable[..., LinearOperator]]

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        """Whether both are of its kinds."""
        return isinstance(op1, self._kinds) and isinstance(op2, self._kinds)

    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: Hints
    ) -> LinearOperator:
        return type(self)._make(op1, op2, name=operator_name, **asdict(hints))


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


def _dense(op1: Any, op2: Any) -> Any:
    sparse, other = (op1, op2) if isinstance(op1, _DIAGONALS) else (op2, op1)
    return sparse.add_to_tensor(other.to_dense())


class AddAndReturnScaledIdentity(_OfKinds):
    """Adds identities and their multiples: the sum is a multiple."""

    _kinds = _IDENTITIES
    _make = staticmethod(_scaled)


class AddAndReturnDiag(_OfKinds):
    """Adds diagonals."""

    _kinds = _DIAGONALS
    _make = staticmethod(
        lambda op1, op2, **options: LinearOperatorDiag(
            diag=op1.diag_part() + op2.diag_part(), **options
        )
    )


class AddAndReturnTriL(_OfKinds):
    """Adds lower triangles."""

    _kinds = (*_DIAGONALS, LinearOperatorLowerTriangular)
    _make = staticmethod(
        lambda op1, op2, **options: LinearOperatorLowerTriangular(tril=_dense(op1, op2), **options)
    )


class AddAndReturnMatrix(_OfKinds):
    """Adds any operators."""

    _kinds = (LinearOperator,)
    _make = staticmethod(
        lambda op1, op2, **options: LinearOperatorFullMatrix(matrix=_dense(op1, op2), **options)
    )


_TIERS = (
    [AddAndReturnScaledIdentity()],
    [AddAndReturnDiag()],
    [AddAndReturnTriL()],
    [AddAndReturnMatrix()],
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
