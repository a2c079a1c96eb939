"""Weighted alternating least squares: factors of a sparse matrix, and the graph that finds them."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

import numpy as np

from dataflow.contrib.factorization.wals_equations import Side, solved
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import colocate_with, control_dependencies, name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.linalg.diag import eye
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.random.stateful import random_normal
from dataflow.ops.reductions.sum import add_n
from dataflow.ops.state.reference import assign
from dataflow.values import dtypes
from dataflow.variables.variable import Variable, variables_initializer


class WALSModel:
    """Factors U and V of a sparse matrix A, so that the sum of w[i, j] (A - U V')[i, j]^2 and of
    the factors' squares times `regularization` is small (Hu et al., Collaborative Filtering for
    Implicit Feedback Datasets, 2008).

    Weights are `unobserved_weight + row_weights[i] * col_weights[j]` where A has a value, and
    `unobserved_weight` elsewhere. Sweeps over rows and over columns come in turns. Before a sweep,
    `row_update_prep_gramian_op` and `initialize_row_update_op` run, or those of columns;
    `initialize_op` and `worker_init` before the first.
    """

    def __init__(
        self,
        input_rows: int,
        input_cols: int,
        n_components: int,
        unobserved_weight: float = 0.1,
        regularization: float | None = None,
        row_init: Any = "random",
        col_init: Any = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: Any = 1,
        col_weights: Any = 1,
        use_factors_weights_cache: bool = True,
        use_gramian_cache: bool = True,
        use_scoped_vars: bool = False,
    ) -> None:
        """Adds variables.

        Args:
          input_rows: Rows of the matrix.
          input_cols: Its columns.
          n_components: Columns of the factors.
          unobserved_weight: See above.
          regularization: See above; none if None.
          row_init: U at first: "random", a tensor, a list of one for each part, or a function that
            gives them.
          col_init: V at first.
          num_row_shards: How many parts U has.
          num_col_shards: How many parts V has.
          row_weights: A number, numbers for each row, or a list of these for each part; None for
            `unobserved_weight` everywhere, then for columns, too.
          col_weights: The same for columns.
          use_factors_weights_cache: Whether steps read copies that are made before a sweep.
          use_gramian_cache: The same for U' U and V' V.
          use_scoped_vars: Whether variables are made in name scopes.

        Raises:
          ValueError: Weights have another form, or are given for rows or columns only.
        """
        if (row_weights is None) != (col_weights is None):
            raise ValueError("row_weights and col_weights must both be None, or neither.")
        self._unobserved_weight = unobserved_weight
        self._regularization = regularization
        self._ridge = None if regularization is None else regularization * eye(n_components)
        self._rows, self._cols = self._sides(
            n_components,
            use_scoped_vars,
            ("row", input_rows, num_row_shards, row_init, row_weights),
            ("col", input_cols, num_col_shards, col_init, col_weights),
        )
        with name_scope("row_prepare_gramian"):
            self._row_update_prep_gramian = _summed(self._cols)
        with name_scope("col_prepare_gramian"):
            self._col_update_prep_gramian = _summed(self._rows)
        with name_scope("transient_vars"):
            self._add_copies(use_factors_weights_cache, use_gramian_cache)

    @property
    def row_factors(self) -> list[Any]:
        """The parts of U."""
        return self._rows.factors

    @property
    def col_factors(self) -> list[Any]:
        """The parts of V."""
        return self._cols.factors

    @property
    def row_weights(self) -> list[Any] | None:
        """Parts of the weights of rows."""
        return self._rows.weights

    @property
    def col_weights(self) -> list[Any] | None:
        """Parts of the weights of columns."""
        return self._cols.weights

    @property
    def initialize_op(self) -> Any:
        """Gives factors and weights their first values."""
        held = [*self.row_factors, *self.col_factors, self._rows.gramian, self._cols.gramian]
        return variables_initializer([*held, *(self.row_weights or []), *(self.col_weights or [])])

    @property
    def worker_init(self) -> Any:
        """Copies weights; each worker runs it once."""
        return self._worker_init

    @property
    def row_update_prep_gramian_op(self) -> Any:
        """Sums V' V before rows are swept; one worker runs it."""
        return self._row_update_prep_gramian

    @property
    def col_update_prep_gramian_op(self) -> Any:
        """Sums U' U before columns are swept; one worker runs it."""
        return self._col_update_prep_gramian

    @property
    def initialize_row_update_op(self) -> Any:
        """Copies what a sweep over rows reads; each worker runs it."""
        return self._row_updates_init

    @property
    def initialize_col_update_op(self) -> Any:
        """Copies what a sweep over columns reads; each worker runs it."""
        return self._col_updates_init

    def update_row_factors(
        self, sp_input: Any = None, transpose_input: bool = False
    ) -> tuple[Any, Any, Any, Any, Any]:
        """Finds new rows of U.

        Args:
          sp_input: Some rows of A, a SparseTensor in which they have their numbers.
          transpose_input: Whether it is transposed.

        Returns:
          The rows in the order in which their numbers come first, the operation that writes them,
          the loss without and with only the regularization, and the sum of weights, these three
          scaled as if all rows were there.

        Raises:
          TypeError: The input is not sparse.
        """
        return self._step(self._rows, self._cols, sp_input, transpose_input, None)

    def update_col_factors(
        self, sp_input: Any = None, transpose_input: bool = False
    ) -> tuple[Any, Any, Any, Any, Any]:
        """Finds new rows of V, for columns of A; see `update_row_factors`."""
        return self._step(self._cols, self._rows, sp_input, not transpose_input, None)

    def project_row_factors(
        self, sp_input: Any = None, transpose_input: bool = False, projection_weights: Any = None
    ) -> Any:
        """Rows of U for rows that A need not have.

        Args:
          sp_input: The rows, a SparseTensor.
          transpose_input: Whether it is transposed.
          projection_weights: Their weights, a number or a vector; 1 if None.
        """
        weights = 1 if projection_weights is None else projection_weights
        return self._step(self._rows, self._cols, sp_input, transpose_input, weights)[0]

    def project_col_factors(
        self, sp_input: Any = None, transpose_input: bool = False, projection_weights: Any = None
    ) -> Any:
        """Rows of V for columns that A need not have; see `project_row_factors`."""
        weights = 1 if projection_weights is None else projection_weights
        return self._step(self._cols, self._rows, sp_input, not transpose_input, weights)[0]

    def _step(
        self, left: Side, right: Side, sp_input: Any, transposed: bool, weights: Any
    ) -> tuple[Any, Any, Any, Any, Any]:
        if not isinstance(sp_input, SparseTensor):
            raise TypeError(f"sp_input must be a SparseTensor; got {sp_input}.")
        return solved(
            left,
            right,
            sp_input,
            transposed,
            self._unobserved_weight,
            self._regularization,
            self._ridge,
            weights,
        )

    def _sides(
        self, columns: int, scoped: bool, *each: tuple[str, int, int, Any, Any]
    ) -> list[Side]:
        # All weights first, then all factors, then what is summed: so variables are in order.
        def within(name: str) -> Any:
            return name_scope(name) if scoped else contextlib.nullcontext()

        weights, factors, gramians = [], [], []
        for name, rows, shards, _, given in each:
            with within(f"{name}_weights"):
                weights.append(_weights(given, rows, shards, f"{name}_weights"))
        for name, rows, shards, init, _ in each:
            with within(f"{name}_factors"):
                factors.append(_factors(init, rows, columns, shards, f"{name}_factors"))
        for name, *_ in each:
            first = zeros([columns, columns])
            gramians.append(Variable(first, dtype=dtypes.float32, name=f"{name}_gramian"))
        return [
            Side(name, rows, own, held, gramian)
            for (name, rows, *_), own, held, gramian in zip(
                each, factors, weights, gramians, strict=True
            )
        ]

    def _add_copies(self, of_factors: bool, of_gramians: bool) -> None:
        begins, clears, weights = {}, {}, []
        for side in (self._rows, self._cols):
            name = side.name
            side.read_factors, begin, clear = _copied(
                side.factors, f"{name}_factors_cache", of_factors
            )
            if side.weights is not None:
                side.read_weights, once, _ = _copied(side.weights, f"{name}_wt_cache", of_factors)
                weights.append(once)
            (side.read_gramian,), sums, clear_sums = _copied(
                [side.gramian], f"{name}_gramian_cache", of_gramians
            )
            begins[name] = [begin, sums]
            clears[name] = [clear, clear_sums]
        self._row_updates_init = group(*begins["col"], *clears["row"])
        self._col_updates_init = group(*begins["row"], *clears["col"])
        self._worker_init = group(*weights, name="worker_init")


def _sizes(rows: int, shards: int) -> list[int]:
    size, more = divmod(rows, shards)
    return [size + 1] * more + [size] * (shards - more)


def _held(init: Callable[[], Any], name: str) -> Any:
    return Variable(init, dtype=dtypes.float32, name=name)


def _factors(init: Any, rows: int, columns: int, shards: int, name: str) -> list[Any]:
    init = init() if callable(init) else init
    is_random = isinstance(init, str) and init == "random"
    parts = init if isinstance(init, list) else [init]
    if not is_random and len(parts) != shards:
        raise ValueError(f"{name} must be given by {shards} parts; got {len(parts)}.")

    def first(number: int, size: int) -> Any:
        return random_normal([size, columns]) if is_random else parts[number]

    return [
        _held(functools.partial(first, number, size), f"{name}_shard_{number}")
        for number, size in enumerate(_sizes(rows, shards))
    ]


def _weights(init: Any, count: int, shards: int, name: str) -> list[Any] | None:
    if init is None:
        return None
    if isinstance(init, Real) and float(init) >= 0:
        parts: list[Any] = [np.full(size, init) for size in _sizes(count, shards)]
    elif isinstance(init, Iterable):
        parts = list(init)
        parts = [parts] if shards == 1 and len(parts) == count else parts
    else:
        raise ValueError(
            "Invalid weight initialization argument. Must be one of these: None, a real "
            "non-negative real number, or a list of lists of non-negative real numbers (or "
            "equivalent iterables) corresponding to sharded factors."
        )
    if len(parts) != shards:
        raise ValueError(f"{name} must be given by {shards} parts; got {len(parts)}.")
    return [
        _held(functools.partial(constant, part, dtypes.float32), f"{name}_shard_{number}")
        for number, part in enumerate(parts)
    ]


def _summed(side: Side) -> Any:
    parts = []
    for factor in side.factors:
        with colocate_with(factor):
            parts.append(matmul(factor, factor, transpose_a=True))
    with colocate_with(side.gramian):
        return assign(side.gramian, add_n(parts)).op


def _copied(held: list[Any], name: str, copies: bool) -> tuple[list[Any], Any, Any]:
    """What is read, and the operations that copy it and that let the copies go."""
    if not copies:
        return held, no_op(), no_op()
    found, clears = [], []
    begin: Any = None
    for number, each in enumerate(held):
        copy = Variable(
            1.0,
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            validate_shape=False,
            name=name if len(held) == 1 else f"{name}_shard_{number}",
        )
        # One after the other, so that only one part at a time is in memory twice.
        with colocate_with(copy), control_dependencies([] if begin is None else [begin]):
            begin = assign(copy, each, validate_shape=False)
            clears.append(assign(copy, 1.0, validate_shape=False))
        found.append(copy)
    return found, begin, group(*clears)
