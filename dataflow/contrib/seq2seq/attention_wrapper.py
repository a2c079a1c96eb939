"""AttentionWrapper: a cell that sees its inputs with what it attends to."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.seq2seq.attention import AttentionMechanism
from dataflow.contrib.seq2seq.attention_state import AttentionWrapperState
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.library.check_values import assert_equal
from dataflow.library.layers.dense import Dense
from dataflow.library.rnn.cell import RNNCell, assert_like_rnncell
from dataflow.library.rnn.sizes import zero_states
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import expand_dims, shape, squeeze
from dataflow.ops.basic.identity import identity
from dataflow.ops.linalg.matmul import matmul
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape, dimension_value


class AttentionWrapper(RNNCell):
    """A cell around a cell, with attention to memories.

    In each step the cell sees its inputs joined with the last attention; its outputs are the
    mechanisms' queries; what they find, joined with the outputs and put through a layer if there is
    one, is the new attention.

    For beam search, memories and initial state must have been tiled with `tile_batch`.

    Args:
      cell: An `RNNCell`.
      attention_mechanism: An `AttentionMechanism`, or a list of them.
      attention_layer_size: Size, or list of sizes, of the layers; None for no layers.
      alignment_history: Whether the state keeps the alignments of all steps in a TensorArray.
      cell_input_fn: Makes the cell's inputs of inputs and attention; joins them if None.
      output_attention: Whether the attention is the output, not what the cell gave.
      initial_cell_state: The cell's state in `zero_state`; zero if None.
      name: Name of the cell and of its variable scope.
      attention_layer: Layer, or list of layers, in place of those of `attention_layer_size`.
      attention_fn: Of mechanism, cell outputs, the mechanism's state and layer (or None), returns
        attention, alignments and the next state of the mechanism; None for the usual one.
      dtype: Element type of layers that are made here.

    Raises:
      TypeError: `cell` is no cell, a mechanism is none or `cell_input_fn` no function.
      ValueError: There are not as many layers as mechanisms, sizes and layers are both given, or
        the batch of `initial_cell_state` has no size.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Any = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: Any = None,
        attention_layer: Any = None,
        attention_fn: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        assert_like_rnncell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, list | tuple)
        mechanisms = tuple(attention_mechanism) if self._is_multi else (attention_mechanism,)
        for each in mechanisms:
            if not isinstance(each, AttentionMechanism):
                what = (
                    "must contain only instances of AttentionMechanism"
                    if self._is_multi
                    else "must be an AttentionMechanism or list of multiple AttentionMechanism "
                    "instances"
                )
                raise TypeError(f"attention_mechanism {what}, saw type: {type(each).__name__}")
        if cell_input_fn is None:
            cell_input_fn = _joined
        elif not callable(cell_input_fn):
            raise TypeError(
                f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}"
            )
        self._attention_layers = _layers(
            attention_layer_size, attention_layer, len(mechanisms), dtype
        )
        self._cell = cell
        self._attention_mechanisms = mechanisms
        self._cell_input_fn = cell_input_fn
        self._attention_fn = attention_fn or _attend
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        self._attention_layer_size = self._size_of_attention()
        with name_scope(name, "AttentionWrapperInit"):
            self._initial_cell_state = _checked_initial(initial_cell_state, mechanisms)

    def _size_of_attention(self) -> Any:
        sizes = [dimension_value(each.values.shape[-1]) for each in self._attention_mechanisms]
        if self._attention_layers is None:
            return sum(sizes)
        return sum(
            dimension_value(layer.compute_output_shape([None, self._cell.output_size + size])[-1])
            for layer, size in zip(self._attention_layers, sizes, strict=True)
        )

    def _item_or_tuple(self, values: Any) -> Any:
        """One value, or a tuple of one for each mechanism."""
        found = tuple(values)
        return found if self._is_multi else found[0]

    @property
    def output_size(self) -> Any:
        """Size of the attention, or of the cell's outputs."""
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:
        """An `AttentionWrapperState` of sizes."""
        mechanisms = self._attention_mechanisms
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(each.alignments_size for each in mechanisms),
            attention_state=self._item_or_tuple(each.state_size for each in mechanisms),
            alignment_history=self._item_or_tuple(
                each.alignments_size if self._alignment_history else () for each in mechanisms
            ),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state before the first step.

        Args:
          batch_size: Number of sequences; of beams as well, in beam search.
          dtype: Element type.

        Returns:
          An `AttentionWrapperState`, with the `initial_cell_state` if there is one.
        """
        with name_scope(f"{type(self).__name__}ZeroState"):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            checks = self._batch_checks(
                batch_size,
                f"When calling zero_state of AttentionWrapper {self.name}: Non-matching batch "
                "sizes between the memory (encoder output) and the requested batch size.  "
                "Are you using the BeamSearchDecoder?  If so, make sure your encoder output "
                "has been tiled to beam_width via tf.contrib.seq2seq.tile_batch, and the "
                "batch_size= argument passed to zero_state is batch_size * beam_width.",
            )
            with control_dependencies(checks):
                cell_state = nest.map_structure(
                    lambda each: identity(each, name="checked_cell_state"), cell_state
                )
            alignments = [
                each.initial_alignments(batch_size, dtype) for each in self._attention_mechanisms
            ]
            return AttentionWrapperState(
                cell_state=cell_state,
                time=zeros([], dtype=dtypes.int32),
                attention=zero_states(self._attention_layer_size, batch_size, dtype),
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(
                    each.initial_state(batch_size, dtype) for each in self._attention_mechanisms
                ),
                alignment_history=self._item_or_tuple(
                    TensorArray(dtype, size=0, dynamic_size=True, element_shape=each.shape)
                    if self._alignment_history
                    else ()
                    for each in alignments
                ),
            )

    def _batch_checks(self, batch_size: Any, message: str) -> list[Any]:
        return [
            assert_equal(batch_size, each.batch_size, message=message)
            for each in self._attention_mechanisms
        ]

    def call(self, inputs: Any, state: Any) -> tuple[Any, AttentionWrapperState]:
        """The attention, or the cell's outputs, and the next state.

        Raises:
          TypeError: `state` is no `AttentionWrapperState`.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. "
                f"Received type {type(state)} instead."
            )
        outputs, cell_state = self._cell(
            self._cell_input_fn(inputs, state.attention), state.cell_state
        )
        batch = dimension_value(outputs.shape[0]) or shape(outputs)[0]
        checks = self._batch_checks(
            batch,
            f"When applying AttentionWrapper {self.name}: Non-matching batch sizes between the "
            "memory (encoder output) and the query (decoder output).  Are you using the "
            "BeamSearchDecoder?  You may need to tile your memory input via the "
            "tf.contrib.seq2seq.tile_batch function with argument multiple=beam_width.",
        )
        with control_dependencies(checks):
            outputs = identity(outputs, name="checked_cell_output")
        attended = []
        for index, mechanism in enumerate(self._attention_mechanisms):
            layer = self._attention_layers[index] if self._attention_layers else None
            last = state.attention_state[index] if self._is_multi else state.attention_state
            attended.append(self._attention_fn(mechanism, outputs, last, layer))
        attentions, alignments, states = zip(*attended, strict=True)
        history = state.alignment_history if self._is_multi else (state.alignment_history,)
        attention = concat(list(attentions), 1)
        next_state = AttentionWrapperState(
            time=state.time + 1,
            cell_state=cell_state,
            attention=attention,
            attention_state=self._item_or_tuple(states),
            alignments=self._item_or_tuple(alignments),
            alignment_history=self._item_or_tuple(
                array.write(state.time, each) if self._alignment_history else ()
                for array, each in zip(history, alignments, strict=True)
            ),
        )
        return attention if self._output_attention else outputs, next_state


def _joined(inputs: Any, attention: Any) -> Any:
    return concat([inputs, attention], -1)


def _attend(mechanism: Any, outputs: Any, state: Any, layer: Any) -> tuple[Any, Any, Any]:
    """Attention, alignments and the mechanism's next state."""
    alignments, next_state = mechanism(outputs, state=state)
    context = squeeze(matmul(expand_dims(alignments, 1), mechanism.values), [1])
    if layer is not None:
        context = layer(concat([outputs, context], 1))
    return context, alignments, next_state


def _layers(sizes: Any, layers: Any, count: int, dtype: Any) -> tuple[Any, ...] | None:
    """The layers put on what mechanisms find, one for each, or None."""
    if sizes is not None and layers is not None:
        raise ValueError("Only one of attention_layer_size and attention_layer should be set")
    if sizes is None and layers is None:
        return None
    name, one, given = "attention_layer_size", "integer", sizes
    if sizes is None:
        name, one, given = "attention_layer", "layer", layers
    found = tuple(given) if isinstance(given, list | tuple) else (given,)
    if len(found) != count:
        raise ValueError(
            f"If provided, {name} must contain exactly one {one} per attention_mechanism, "
            f"saw: {len(found)} vs {count}"
        )
    if sizes is None:
        return found
    return tuple(
        Dense(
            size,
            name="attention_layer",
            use_bias=False,
            dtype=dtype,
        )
        for size in found
    )


def _checked_initial(state: Any, mechanisms: Any) -> Any:
    """The cell's first state, if it is given, which must have the memories' batch."""
    if state is None:
        return None
    last = nest.flatten(state)[-1]
    batch = dimension_value(last.shape[0]) or shape(last)[0]
    message = (
        "When constructing AttentionWrapper: Non-matching batch sizes between the memory (encoder "
        "output) and initial_cell_state.  Are you using the BeamSearchDecoder?  You may need to "
        "tile your initial state via the tf.contrib.seq2seq.tile_batch function with argument "
        "multiple=beam_width."
    )
    checks = [assert_equal(batch, each.batch_size, message=message) for each in mechanisms]
    with control_dependencies(checks):
        return nest.map_structure(
            lambda each: identity(each, name="check_initial_cell_state"), state
        )
