"""LSTMs as one op: a step of them (LSTMBlockCell), or all steps (BlockLSTM)."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.ops.basic.shape_parts import divide_evenly, multiply, size_at, vector
from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    InferenceContext,
    define_op,
)
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape

_TYPES = "T: {half, float}"
_STATE = "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T"
_PARTS = "i: T, cs: T, f: T, o: T, ci: T, co: T, h: T"
_SEEN = "i: T, cs: T, f: T, o: T, ci: T, co: T"
_GRADS = (
    "x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, "
    "wco_grad: T, b_grad: T"
)


def _sizes(c: InferenceContext) -> tuple[int | None, int | None]:
    """Batch and units, as inputs and memory of a step have them."""
    return size_at(with_rank(c.input(0), 2), 0), size_at(with_rank(c.input(1), 2), 1)


def _step_shape(c: InferenceContext) -> list[TensorShape]:
    return [TensorShape.of(_sizes(c))] * 7


def _step_grad_shape(c: InferenceContext) -> list[TensorShape]:
    batch, units = _sizes(c)
    matrices = [TensorShape.of((batch, units)), TensorShape.of((batch, multiply(units, 4)))]
    return [*matrices, vector(units), vector(units), vector(units)]


def _steps_shape(c: InferenceContext) -> list[TensorShape]:
    x, b = with_rank(c.input(1), 3), with_rank(c.input(8), 1)
    units = divide_evenly(size_at(b, 0), 4)
    return [TensorShape.of((size_at(x, 0), size_at(x, 1), units))] * 7


def _steps_grad_shape(c: InferenceContext) -> list[TensorShape]:
    ranks = (3, 2, 2, 2, 1, 1, 1, 1)
    return [with_rank(c.input(index + 1), rank) for index, rank in enumerate(ranks)]


def _gradient(op: Operation, *grads: Any) -> list[Any]:
    """The kernel walks back through the steps."""
    of_op = "BlockLSTMGrad" if op.type == "BlockLSTM" else "BlockLSTMGradV2"
    found: Any = apply_op(
        of_op,
        *op.inputs,
        *op.outputs,
        grads[1],
        grads[6],
        use_peephole=op.get_attr("use_peephole"),
    )
    return [None, *found]


define_op(
    "LSTMBlockCell",
    inputs=_STATE,
    outputs=_PARTS,
    attrs=[
        "forget_bias: float = 1.0",
        "cell_clip: float = 3.0",
        "use_peephole: bool = false",
        _TYPES,
    ],
    shape=_step_shape,
    gradient=MISSING_GRADIENT,
    doc="A step of an LSTM: gates, memories before and behind tanh, and output.",
)
define_op(
    "LSTMBlockCellGrad",
    inputs=f"{_STATE}, {_SEEN}, cs_grad: T, h_grad: T",
    outputs="cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T",
    attrs=["use_peephole: bool", _TYPES],
    shape=_step_grad_shape,
    gradient=MISSING_GRADIENT,
    doc="The gradients of a step of an LSTM with respect to memory, sums and peepholes.",
)
define_op(
    "BlockLSTM",
    inputs=f"seq_len_max: int64, {_STATE}",
    outputs=_PARTS,
    attrs=[
        "forget_bias: float = 1.0",
        "cell_clip: float = 3.0",
        "use_peephole: bool = false",
        _TYPES,
    ],
    shape=_steps_shape,
    gradient=_gradient,
    doc="All steps of an LSTM; behind seq_len_max there are zeros.",
)
define_op(
    "BlockLSTMV2",
    inputs=f"seq_len_max: int64, {_STATE}",
    outputs=_PARTS,
    attrs=["cell_clip: float = 0.0", "use_peephole: bool = false", _TYPES],
    shape=_steps_shape,
    gradient=_gradient,
    doc="All steps of an LSTM whose forget gate comes before the new values; no forget bias.",
)
for _op in ("BlockLSTMGrad", "BlockLSTMGradV2"):
    define_op(
        _op,
        inputs=f"seq_len_max: int64, {_STATE}, {_PARTS}, cs_grad: T, h_grad: T",
        outputs=_GRADS,
        attrs=["use_peephole: bool", _TYPES],
        shape=_steps_grad_shape,
        gradient=MISSING_GRADIENT,
        doc="The gradients of all steps of an LSTM.",
    )


def lstm_block_cell(
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    forget_bias: float = 1.0,
    cell_clip: float = 3.0,
    use_peephole: bool = False,
    name: str | None = None,
) -> Any:
    """A step of an LSTM.

    Args:
      x: Inputs, floats [batch, size].
      cs_prev: Memory, [batch, units].
      h_prev: Last output, [batch, units].
      w: Weights [size + units, 4 * units] of input gate, new values, forget gate, output gate.
      wci: How the input gate sees the memory, [units].
      wcf: The same of the forget gate.
      wco: The same of the output gate.
      b: Bias, [4 * units].
      forget_bias: What is added to the sums of the forget gate.
      cell_clip: The memory stays between this and its negative, if it is positive.
      use_peephole: Whether gates see the memory.
      name: Name of the operation.

    Returns:
      Input gate, memory, forget gate, output gate, new values, tanh of the memory, output.
    """
    return apply_op(
        "LSTMBlockCell",
        *(x, cs_prev, h_prev, w, wci, wcf, wco, b),
        name=name,
        forget_bias=forget_bias,
        cell_clip=cell_clip,
        use_peephole=use_peephole,
    )


def block_lstm(
    seq_len_max: Any,
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    forget_bias: float = 1.0,
    cell_clip: float = 3.0,
    use_peephole: bool = False,
    name: str | None = None,
) -> Any:
    """All steps of an LSTM; see `lstm_block_cell`.

    Args:
      seq_len_max: int64 scalar; steps from there on are not computed.
      x: Inputs, floats [time, batch, size].
      cs_prev: Memory before the first step, [batch, units].
      h_prev: Output before the first step, [batch, units].
      w: See `lstm_block_cell`, as for the rest.
      wci: See above.
      wcf: See above.
      wco: See above.
      b: See above.
      forget_bias: See above.
      cell_clip: See above.
      use_peephole: See above.
      name: Name of the operation.

    Returns:
      The same as `lstm_block_cell`, each [time, batch, units].
    """
    return apply_op(
        "BlockLSTM",
        *(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b),
        name=name,
        forget_bias=forget_bias,
        cell_clip=cell_clip,
        use_peephole=use_peephole,
    )
