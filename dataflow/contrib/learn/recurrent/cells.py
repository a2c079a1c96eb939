"""The cells of estimators of sequences, and the names of what they take and give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from dataflow.library.rnn.basic import BasicRNNCell
from dataflow.library.rnn.cell import RNNCell
from dataflow.library.rnn.dropout import DropoutWrapper
from dataflow.library.rnn.gru import GRUCell
from dataflow.library.rnn.lstm import LSTMCell
from dataflow.library.rnn.multi import MultiRNNCell

_CELLS: Final[dict[Any, Any]] = {"basic_rnn": BasicRNNCell, "lstm": LSTMCell, "gru": GRUCell}


class RNNKeys:
    """Names of features and predictions."""

    FINAL_STATE_KEY: ClassVar[str] = "final_state"
    LABELS_KEY: ClassVar[str] = "__labels__"
    SEQUENCE_LENGTH_KEY: ClassVar[str] = "sequence_length"
    STATE_PREFIX: ClassVar[str] = "rnn_cell_state"


class PredictionType:
    """Whether a sequence has one prediction or each step has."""

    SINGLE_VALUE: ClassVar[int] = 1
    MULTIPLE_VALUE: ClassVar[int] = 2


def construct_rnn_cell(
    num_units: int | Sequence[int],
    cell_type: Any = "basic_rnn",
    dropout_keep_probabilities: Sequence[float | None] | None = None,
) -> RNNCell:
    """The cell that estimators of sequences make of these options.

    Args:
      num_units: The size of a cell, or of each that lie above each other.
      cell_type: "basic_rnn", "lstm", "gru" or a class.
      dropout_keep_probabilities: See `apply_dropout`; no dropout if None.

    Raises:
      TypeError: The type is none of these names, and no class.
      ValueError: The class is none of cells.
    """
    sizes = num_units if isinstance(num_units, (list, tuple)) else (num_units,)
    made = _CELLS.get(cell_type, cell_type)
    if not made or not issubclass(made, RNNCell):
        raise ValueError(f"The supported cell types are {list(_CELLS)}; got {made}")
    cells = [made(num_units=size) for size in sizes]
    if dropout_keep_probabilities:
        cells = apply_dropout(cells, dropout_keep_probabilities)
    return cells[0] if len(cells) == 1 else MultiRNNCell(cells)


def apply_dropout(
    cells: Sequence[Any],
    dropout_keep_probabilities: Sequence[float | None],
    random_seed: int | None = None,
) -> list[Any]:
    """Cells that drop some of their inputs; the last one drops some of its outputs, too.

    Args:
      cells: The cells, from the lowest to the highest.
      dropout_keep_probabilities: What share of each cell's inputs is kept, and of the outputs.
      random_seed: Seed of all but the last.

    Raises:
      ValueError: They are not one more than the cells.
    """
    if len(dropout_keep_probabilities) != len(cells) + 1:
        raise ValueError(
            "The number of dropout probabilities must be one greater than the number of cells. Got "
            f"{len(cells)} cells and {len(dropout_keep_probabilities)} dropout probabilities."
        )
    *lower, last = cells
    *shares, of_last, of_outputs = dropout_keep_probabilities
    found = [
        DropoutWrapper(cell, share, 1.0, seed=random_seed)
        for cell, share in zip(lower, shares, strict=True)
    ]
    return [*found, DropoutWrapper(last, of_last, of_outputs)]
