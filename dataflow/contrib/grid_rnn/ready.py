"""Grids of the usual cells, with inputs and outputs in the first dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.grid_rnn.cell import GridRNNCell
from dataflow.library.rnn.basic import BasicRNNCell
from dataflow.library.rnn.gru import GRUCell
from dataflow.library.rnn.lstm import BasicLSTMCell, LSTMCell


class _FirstInFirstOut(GridRNNCell):
    """A grid whose first dimension, computed last, has the inputs and outputs."""

    def __init__(
        self,
        num_units: int,
        num_dims: int,
        cell_fn: Callable[[int], Any],
        is_tuple: tuple[bool, bool],
        tied: bool = False,
        non_recurrent_fn: Any = None,
    ) -> None:
        super().__init__(
            num_units,
            num_dims,
            input_dims=0,
            output_dims=0,
            priority_dims=0,
            non_recurrent_dims=None if non_recurrent_fn is None else 0,
            tied=tied,
            cell_fn=cell_fn,
            non_recurrent_fn=non_recurrent_fn,
            state_is_tuple=is_tuple[0],
            output_is_tuple=is_tuple[1],
        )


class Grid1BasicRNNCell(_FirstInFirstOut):
    """One dimension of BasicRNNCells; see `GridRNNCell`."""

    def __init__(
        self, num_units: int, state_is_tuple: bool = True, output_is_tuple: bool = True
    ) -> None:
        super().__init__(num_units, 1, BasicRNNCell, (state_is_tuple, output_is_tuple))


class Grid2BasicRNNCell(_FirstInFirstOut):
    """Two dimensions of BasicRNNCells, the first one a layer if `non_recurrent_fn` is given."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        is_tuple = (state_is_tuple, output_is_tuple)
        super().__init__(num_units, 2, BasicRNNCell, is_tuple, tied, non_recurrent_fn)


class Grid1BasicLSTMCell(_FirstInFirstOut):
    """One dimension of BasicLSTMCells; see `GridRNNCell`."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        def made(size: int) -> Any:
            return BasicLSTMCell(size, forget_bias=forget_bias)

        super().__init__(num_units, 1, made, (state_is_tuple, output_is_tuple))


class Grid2BasicLSTMCell(_FirstInFirstOut):
    """Two dimensions of BasicLSTMCells, the first one a layer if `non_recurrent_fn` is given."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        def made(size: int) -> Any:
            return BasicLSTMCell(size, forget_bias=forget_bias)

        is_tuple = (state_is_tuple, output_is_tuple)
        super().__init__(num_units, 2, made, is_tuple, tied, non_recurrent_fn)


class _OfLSTMs(_FirstInFirstOut):
    """Dimensions of LSTMCells."""

    def __init__(
        self,
        num_units: int,
        num_dims: int,
        is_tuple: tuple[bool, bool],
        use_peepholes: bool,
        forget_bias: float,
        tied: bool = False,
        non_recurrent_fn: Any = None,
    ) -> None:
        def made(size: int) -> Any:
            return LSTMCell(size, use_peepholes=use_peepholes, forget_bias=forget_bias)

        super().__init__(num_units, num_dims, made, is_tuple, tied, non_recurrent_fn)


class Grid1LSTMCell(_OfLSTMs):
    """One dimension of LSTMCells; see `GridRNNCell`."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        is_tuple = (state_is_tuple, output_is_tuple)
        super().__init__(num_units, 1, is_tuple, use_peepholes, forget_bias)


class _OfSeveralLSTMs(_OfLSTMs):
    """Several dimensions of LSTMCells, the first one a layer if `non_recurrent_fn` is given."""

    _num_dims_made = 2

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(
            num_units,
            self._num_dims_made,
            (state_is_tuple, output_is_tuple),
            use_peepholes,
            forget_bias,
            tied,
            non_recurrent_fn,
        )


class Grid2LSTMCell(_OfSeveralLSTMs):
    """Two dimensions of LSTMCells, the first one a layer if `non_recurrent_fn` is given."""


class Grid3LSTMCell(_OfSeveralLSTMs):
    """Three dimensions of LSTMCells, the first one a layer if `non_recurrent_fn` is given."""

    _num_dims_made = 3


class Grid2GRUCell(_FirstInFirstOut):
    """Two dimensions of GRUCells, the first one a layer if `non_recurrent_fn` is given."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        is_tuple = (state_is_tuple, output_is_tuple)
        super().__init__(num_units, 2, GRUCell, is_tuple, tied, non_recurrent_fn)
