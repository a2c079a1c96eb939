"""Functions for classes of operators that programs register: they go before what classes do."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

Table = dict[tuple[type, ...], Callable[..., Any]]

_ADJOINTS: Table = {}
_CHOLESKY_DECOMPS: Table = {}
_INVERSES: Table = {}
_MATMUL: Table = {}
_SOLVE: Table = {}


def nearest(table: Table, *classes: type) -> Callable[..., Any] | None:
    """The function for some classes, or for the nearest of their bases."""
    if not table:
        return None
    bases = (enumerate(inspect.getmro(each)) for each in classes)
    combinations = sorted(
        itertools.product(*bases), key=lambda each: sum(distance for distance, _ in each)
    )
    keys = (tuple(base for _, base in each) for each in combinations)
    return next((table[key] for key in keys if key in table), None)


def _registered_adjoint(type_a: type) -> Callable[..., Any] | None:
    return nearest(_ADJOINTS, type_a)


def _registered_cholesky(type_a: type) -> Callable[..., Any] | None:
    return nearest(_CHOLESKY_DECOMPS, type_a)


def _registered_inverse(type_a: type) -> Callable[..., Any] | None:
    return nearest(_INVERSES, type_a)


def _registered_matmul(type_a: type, type_b: type) -> Callable[..., Any] | None:
    return nearest(_MATMUL, type_a, type_b)


def _registered_solve(type_a: type, type_b: type) -> Callable[..., Any] | None:
    return nearest(_SOLVE, type_a, type_b)


def answer(table: Table, operators: Sequence[Any], otherwise: Callable[[], Any]) -> Any:
    """What the function for the operators' classes returns, or what is done without one."""
    function = nearest(table, *map(type, operators))
    return otherwise() if function is None else function(*operators)


class _Register:
    """A decorator of a function for a class of operators."""

    _table: ClassVar[Table]
    _says: ClassVar[str]

    def __init__(self, lin_op_cls_a: type) -> None:
        """Takes the class."""
        self._key: tuple[type, ...] = (lin_op_cls_a,)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Registers the function, and returns it.

        Raises:
          TypeError: It cannot be called.
          ValueError: There is one for the classes.
        """
        if not callable(function):
            raise TypeError(f"{self._says.lower()}_fn must be callable, received: {function}")
        if self._key in self._table:
            names = ", ".join(each.__name__ for each in self._key)
            raise ValueError(
                f"{self._says}({names}) has already been registered to: {self._table[self._key]}."
            )
        self._table[self._key] = function
        return function


class _RegisterPair(_Register):
    """A decorator of a function for two classes."""

    def __init__(self, lin_op_cls_a: type, lin_op_cls_b: type) -> None:
        """Takes the classes."""
        self._key = (lin_op_cls_a, lin_op_cls_b)


class RegisterAdjoint(_Register):
    """Registers a function for the adjoints of a class."""

    _table, _says = _ADJOINTS, "Adjoint"


class RegisterCholesky(_Register):
    """Registers a function for the factors of a class."""

    _table, _says = _CHOLESKY_DECOMPS, "Cholesky"


class RegisterInverse(_Register):
    """Registers a function for the inverses of a class."""

    _table, _says = _INVERSES, "Inverse"


class RegisterMatmul(_RegisterPair):
    """Registers a function for the products of two classes."""

    _table, _says = _MATMUL, "Matmul"


class RegisterSolve(_RegisterPair):
    """Registers a function that solves, for two classes."""

    _table, _says = _SOLVE, "Solve"
