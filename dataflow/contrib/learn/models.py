"""tf.contrib.learn.models: linear and recurrent models as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.learn.ops.losses_ops import mean_squared_error_regressor, softmax_classifier
from dataflow.contrib.rnn.attention_cell import AttentionCellWrapper
from dataflow.graph.scopes import get_default_graph
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.rnn.basic import BasicRNNCell
from dataflow.library.rnn.cell import RNNCell
from dataflow.library.rnn.gru import GRUCell
from dataflow.library.rnn.lstm import BasicLSTMCell
from dataflow.library.rnn.multi import MultiRNNCell
from dataflow.library.rnn.static import static_rnn
from dataflow.library.summaries.values import histogram
from dataflow.ops.array.concat import concat, stack, unstack
from dataflow.ops.array.transpose import reverse_sequence
from dataflow.values import dtypes
from dataflow.variables.initializers import RandomNormal
from dataflow.variables.scope import get_variable, variable_scope


def linear_regression_zero_init(x: Any, y: Any) -> tuple[Any, Any]:
    """`linear_regression` that begins at zero."""
    return linear_regression(x, y, init_mean=0.0, init_stddev=0.0)


def logistic_regression_zero_init(x: Any, y: Any) -> tuple[Any, Any]:
    """`logistic_regression` that begins at zero."""
    return logistic_regression(x, y, init_mean=0.0, init_stddev=0.0)


def linear_regression(
    x: Any, y: Any, init_mean: float | None = None, init_stddev: float = 1.0
) -> tuple[Any, Any]:
    """Predicts numbers by a linear layer, with its variables and summaries.

    Args:
      x: Features, [batch, size].
      y: Numbers, [batch] or [batch, outputs].
      init_mean: Mean of the normal numbers that the variables begin with; `get_variable`'s
        initializer if None.
      init_stddev: Their standard deviation.

    Returns:
      Predictions and mean squared error.
    """
    with variable_scope("linear_regression"):
        outputs = 1 if len(y.shape) == 1 else y.shape[1]
        weights, bias = _layer(x, y, outputs, init_mean, init_stddev)
        return mean_squared_error_regressor(x, y, weights, bias)


def logistic_regression(
    x: Any,
    y: Any,
    class_weight: Any = None,
    init_mean: float | None = None,
    init_stddev: float = 1.0,
) -> tuple[Any, Any]:
    """Predicts classes by a linear layer, with its variables and summaries.

    Args:
      x: Features, [batch, size].
      y: Chances of classes, [batch, classes].
      class_weight: What logits are multiplied with, [classes]; the graph's tensor
        `class_weight:0`, if it has one, where None.
      init_mean: See `linear_regression`.
      init_stddev: See `linear_regression`.

    Returns:
      Chances and cross entropy.
    """
    with variable_scope("logistic_regression"):
        weights, bias = _layer(x, y, y.shape[-1], init_mean, init_stddev)
        if class_weight is None:
            try:
                class_weight = get_default_graph().get_tensor_by_name("class_weight:0")
            except KeyError:
                pass
        return softmax_classifier(x, y, weights, bias, class_weight=class_weight)


def _layer(x: Any, y: Any, outputs: Any, mean: float | None, stddev: float) -> tuple[Any, Any]:
    scope = get_variable_scope().name
    histogram(f"{scope}.x", x)
    histogram(f"{scope}.y", y)
    dtype = x.dtype.base_dtype
    initializer = None if mean is None else RandomNormal(mean, stddev, dtype=dtype)
    found = []
    for name, size in (("weights", [x.shape[1], outputs]), ("bias", [outputs])):
        found.append(get_variable(name, size, initializer=initializer, dtype=dtype))
    histogram(f"{scope}.weights", found[0])
    histogram(f"{scope}.bias", found[1])
    return found[0], found[1]


def bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Two nets over a list of inputs, one of which reads it from the end.

    Args:
      cell_fw: The `RNNCell` of that which begins at the start.
      cell_bw: The other's.
      inputs: Inputs of each step, [batch, size], in a list.
      initial_state_fw: The first state; zeros if None.
      initial_state_bw: The other's.
      dtype: Element type of states that are not given.
      sequence_length: How long each sequence is, [batch]; all are whole if None.
      scope: What the variable scopes' names begin with; "BiRNN" by default.

    Returns:
      Outputs of each step side by side, [batch, sum of sizes], in a list; and the last states,
      which must be tensors, side by side.

    Raises:
      TypeError: A cell is no `RNNCell`, or the inputs are no list.
      ValueError: There are no inputs.
    """
    if not isinstance(cell_fw, RNNCell):
        raise TypeError("cell_fw must be an instance of RNNCell")
    if not isinstance(cell_bw, RNNCell):
        raise TypeError("cell_bw must be an instance of RNNCell")
    if not isinstance(inputs, list):
        raise TypeError("inputs must be a list")
    if not inputs:
        raise ValueError("inputs must not be empty")
    name = scope or "BiRNN"
    with variable_scope(f"{name}_FW"):
        forward, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length)
    with variable_scope(f"{name}_BW"):
        turned = _reversed(inputs, sequence_length)
        backward, state_bw = static_rnn(cell_bw, turned, initial_state_bw, dtype, sequence_length)
    pairs = zip(forward, _reversed(backward, sequence_length), strict=True)
    return [concat(list(pair), 1) for pair in pairs], concat([state_fw, state_bw], 1)


def _reversed(steps: list[Any], lengths: Any) -> list[Any]:
    if lengths is None:
        return list(reversed(steps))
    return list(unstack(reverse_sequence(stack(steps), lengths, seq_axis=0, batch_axis=1)))


def get_rnn_model(
    rnn_size: int,
    cell_type: str,
    num_layers: int,
    input_op_fn: Callable[[Any], Any],
    bidirectional: bool,
    target_predictor_fn: Callable[[Any, Any], Any],
    sequence_length: Any,
    initial_state: Any,
    attn_length: int | None,
    attn_size: int | None,
    attn_vec_size: int | None,
) -> Callable[[Any, Any], Any]:
    """A function of features and labels that makes a recurrent net.

    Args:
      rnn_size: Size of a cell.
      cell_type: "rnn", "gru" or "lstm".
      num_layers: How many cells lie above each other.
      input_op_fn: The list of inputs for the features.
      bidirectional: Whether another net reads the inputs from the end.
      target_predictor_fn: Takes the last state and the labels; what it gives is given.
      sequence_length: How long each sequence is, or None.
      initial_state: The first state, or None.
      attn_length: How many steps each cell attends to; there is no attention if None.
      attn_size: Size of the attention.
      attn_vec_size: Size of its hidden layer.

    Returns:
      The function. It raises ValueError for another `cell_type`.
    """

    def model(x: Any, y: Any) -> Any:
        steps = input_op_fn(x)
        if bidirectional:
            _, state = bidirectional_rnn(
                cells(),
                cells(),
                steps,
                dtype=dtypes.float32,
                sequence_length=sequence_length,
                initial_state_fw=initial_state,
                initial_state_bw=initial_state,
            )
        else:
            _, state = static_rnn(
                cells(),
                steps,
                dtype=dtypes.float32,
                sequence_length=sequence_length,
                initial_state=initial_state,
            )
        return target_predictor_fn(state, y)

    def cells() -> MultiRNNCell:
        return MultiRNNCell([cell() for _ in range(num_layers)], state_is_tuple=False)

    def cell() -> Any:
        found: Any
        if cell_type == "rnn":
            found = BasicRNNCell(rnn_size)
        elif cell_type == "gru":
            found = GRUCell(rnn_size)
        elif cell_type == "lstm":
            found = BasicLSTMCell(rnn_size, state_is_tuple=False)
        else:
            raise ValueError(f"cell_type {cell_type} is not supported. ")
        if attn_length is None:
            return found
        return AttentionCellWrapper(
            found,
            attn_length=attn_length,
            attn_size=attn_size,
            attn_vec_size=attn_vec_size,
            state_is_tuple=False,
        )

    return model
