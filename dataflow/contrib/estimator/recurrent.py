"""Estimators of recurrent nets on columns of sequences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.contrib.estimator.heads import clip_gradients_by_norm
from dataflow.estimation.canned.optimizers import get_optimizer_instance, parted
from dataflow.estimation.estimator import Estimator
from dataflow.estimation.heads.classes import class_head
from dataflow.feature_columns.models import input_layer
from dataflow.feature_columns.sequences import sequence_input_layer
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.library.check_types import assert_rank, assert_type
from dataflow.library.layers.dense import dense
from dataflow.library.losses.weighted import Reduction
from dataflow.library.rnn.basic import BasicRNNCell
from dataflow.library.rnn.cell import RNNCell
from dataflow.library.rnn.dynamic import dynamic_rnn
from dataflow.library.rnn.gru import GRUCell
from dataflow.library.rnn.lstm import BasicLSTMCell
from dataflow.library.rnn.multi import MultiRNNCell
from dataflow.library.summaries.values import histogram
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_
from dataflow.training.global_step import get_global_step
from dataflow.training.optimizer import Optimizer
from dataflow.values import dtypes
from dataflow.variables.scaled_initializers import GlorotUniform
from dataflow.variables.scope import variable_scope

_LEARNING_RATE: Final = 0.05
_CLIP_NORM: Final = 5.0
_CELLS: Final[Mapping[str, type]] = {
    "basic_rnn": BasicRNNCell,
    "lstm": BasicLSTMCell,
    "gru": GRUCell,
}
USE_DEFAULT: Final = object()
"""A `cell_type` that nobody has chosen: "basic_rnn"."""

CellFn = Callable[[Any], Any]


class RNNEstimator(Estimator):
    """A recurrent net with any head, on the last step of each sequence."""

    def __init__(
        self,
        head: Any,
        sequence_feature_columns: Any,
        context_feature_columns: Any = None,
        num_units: Sequence[int] | None = None,
        cell_type: Any = USE_DEFAULT,
        rnn_cell_fn: CellFn | None = None,
        return_sequences: bool = False,
        model_dir: Any = None,
        optimizer: Any = "Adagrad",
        input_layer_partitioner: Any = None,
        config: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          head: What makes loss and predictions of logits.
          sequence_feature_columns: Columns of sequences.
          context_feature_columns: Columns of numbers that are beside each step.
          num_units: How many numbers each layer has.
          cell_type: "basic_rnn", "lstm", "gru" or a class of cells.
          rnn_cell_fn: Makes the cell of the mode, in place of the last two.
          return_sequences: Not offered: False.
          model_dir: Folder of checkpoints and summaries.
          optimizer: An optimizer, or the name of one, whose gradients are then bounded.
          input_layer_partitioner: Cuts the tables of embeddings into parts.
          config: How to run.

        Raises:
          ValueError: Cells are described twice or unknown, or there is no head for all steps.
        """
        if return_sequences:
            raise ValueError(
                "Provided head must be a `_SequentialHead` object when `return_sequences` is set "
                "to True."
            )
        cell_fn = _cell_fn(rnn_cell_fn, num_units, cell_type)
        sequences = tuple(sequence_feature_columns or ())
        contexts = tuple(context_feature_columns or ())

        def model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
            if not isinstance(features, dict):
                raise ValueError(
                    f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
                )
            trains = optimizer
            if not isinstance(optimizer, Optimizer):
                trains = get_optimizer_instance(optimizer, _LEARNING_RATE)
                trains = clip_gradients_by_norm(trains, _CLIP_NORM)
            values = tuple(features.values())
            with variable_scope("rnn", values=values, partitioner=parted(config)):
                cuts = input_layer_partitioner or parted(config, 64 << 20)
                inputs, lengths = _inputs(features, sequences, contexts, cuts)
                outputs, _ = dynamic_rnn(
                    cell_fn(mode), inputs, sequence_length=lengths, dtype=dtypes.float32
                )
                last = _last_steps(outputs, lengths)
                with variable_scope("logits", values=(last,)):
                    logits = dense(last, head.logits_dimension, kernel_initializer=GlorotUniform())
                return head.create_estimator_spec(
                    features=features,
                    mode=mode,
                    labels=labels,
                    train_op_fn=lambda loss: trains.minimize(loss, global_step=get_global_step()),
                    logits=logits,
                )

        super().__init__(model_fn, model_dir, config)


class RNNClassifier(RNNEstimator):
    """A recurrent net that tells classes of sequences."""

    def __init__(
        self,
        sequence_feature_columns: Any,
        context_feature_columns: Any = None,
        num_units: Sequence[int] | None = None,
        cell_type: Any = USE_DEFAULT,
        rnn_cell_fn: CellFn | None = None,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Adagrad",
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        input_layer_partitioner: Any = None,
        config: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          sequence_feature_columns: See `RNNEstimator`, as for all but the following.
          context_feature_columns: See there.
          num_units: See there.
          cell_type: See there.
          rnn_cell_fn: See there.
          model_dir: See there.
          n_classes: How many classes.
          weight_column: The weights of examples.
          label_vocabulary: The classes, if labels are texts.
          optimizer: See there.
          loss_reduction: How losses of examples become one.
          input_layer_partitioner: See there.
          config: See there.

        Raises:
          ValueError: Cells are described twice, or unknown.
        """
        super().__init__(
            class_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            sequence_feature_columns,
            context_feature_columns,
            num_units,
            cell_type,
            rnn_cell_fn,
            model_dir=model_dir,
            optimizer=optimizer,
            input_layer_partitioner=input_layer_partitioner,
            config=config,
        )


def _cell_fn(given: CellFn | None, num_units: Any, cell_type: Any) -> CellFn:
    if given is not None:
        if num_units or cell_type is not USE_DEFAULT:
            raise ValueError("num_units and cell_type must not be specified when using rnn_cell_fn")
        return given
    named = "basic_rnn" if cell_type is USE_DEFAULT else cell_type
    kind = _CELLS.get(named, named) if isinstance(named, str) else named
    if not isinstance(kind, type) or not issubclass(kind, RNNCell):
        raise ValueError(f"Supported cell types are {list(_CELLS)}; got {kind}")

    def make(_: Any) -> Any:
        cells: list[Any] = [kind(num_units=each) for each in num_units]
        return cells[0] if len(cells) == 1 else MultiRNNCell(cells)

    return make


def _inputs(features: Any, sequences: Any, contexts: Any, cuts: Any) -> tuple[Any, Any]:
    """What each step is given, `[batch, steps, numbers]`, and the lengths of sequences."""
    values = tuple(features.values())
    with variable_scope("sequence_input_layer", values=values, partitioner=cuts):
        inputs, lengths = sequence_input_layer(features, sequences)
        histogram("sequence_length", lengths)
        if not contexts:
            return inputs, lengths
        beside = input_layer(features, contexts)
        checks = [
            assert_rank(inputs, 3, message="sequence_input must have rank 3"),
            assert_type(inputs, dtypes.float32),
            assert_rank(beside, 2, message="context_input must have rank 2"),
            assert_type(beside, dtypes.float32),
        ]
        with control_dependencies(checks):
            sizes: Any = array_shape.shape(inputs)
            times = array_concat.stack([1, sizes[1], 1])
            repeated = tile(array_shape.expand_dims(beside, 1), times)
        return array_concat.concat([inputs, repeated], 2), lengths


def _last_steps(outputs: Any, lengths: Any) -> Any:
    with name_scope("select_last_activations", values=[outputs, lengths]):
        sizes: Any = array_shape.shape(outputs)
        first: Any = cast(range_(sizes[0]) * sizes[1], dtypes.int64)
        rows = array_shape.reshape(outputs, [sizes[0] * sizes[1], sizes[2]])
        last: Any = gather(rows, first + lengths - 1)
        last.set_shape([outputs.shape[0], outputs.shape[2]])
        return last
