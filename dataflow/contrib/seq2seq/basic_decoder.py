"""BasicDecoder: a cell whose outputs a helper samples from."""

from __future__ import annotations

from typing import Any, NamedTuple

from dataflow.contrib.seq2seq.decoder import Decoder
from dataflow.contrib.seq2seq.training_inputs import Helper
from dataflow.graph.scopes import name_scope
from dataflow.library.layers.base import BaseLayer
from dataflow.library.rnn.cell import assert_like_rnncell
from dataflow.library.rnn.sizes import shape_of_size
from dataflow.values import nest
from dataflow.values.shapes import TensorShape


class BasicDecoderOutput(NamedTuple):
    """Outputs of a step: what the cell gave, and what was drawn of it."""

    rnn_output: Any
    sample_id: Any


class BasicDecoder(Decoder):
    """Runs a cell; a helper draws samples of its outputs and makes the next inputs.

    Args:
      cell: An `RNNCell`.
      helper: A `Helper`.
      initial_state: The cell's state before the first step.
      output_layer: A `tf.layers.Layer` put on the outputs before samples are drawn, or None.

    Raises:
      TypeError: `cell` is no cell, `helper` no helper or `output_layer` no layer.
    """

    def __init__(
        self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None
    ) -> None:
        assert_like_rnncell("cell", cell)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        check_layer(output_layer)
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self) -> Any:
        """The helper's."""
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:
        """Sizes of outputs and samples."""
        return BasicDecoderOutput(
            rnn_output=self._rnn_output_size(),
            sample_id=self._helper.sample_ids_shape,
        )

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """The state's element type, and the helper's."""
        dtype = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            nest.map_structure(lambda _: dtype, self._rnn_output_size()),
            self._helper.sample_ids_dtype,
        )

    def _rnn_output_size(self) -> Any:
        return size_behind(self._output_layer, self._cell.output_size)

    def initialize(self, name: Any = None) -> Any:
        """What the helper begins with, and the first state."""
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Any, inputs: Any, state: Any, name: Any = None) -> Any:
        """One step of the cell."""
        with name_scope(name, "BasicDecoderStep", (time, inputs, state)):
            outputs, new_state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            sample_ids = self._helper.sample(time=time, outputs=outputs, state=new_state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=new_state, sample_ids=sample_ids
            )
        return BasicDecoderOutput(outputs, sample_ids), next_state, next_inputs, finished


def check_layer(layer: Any) -> None:
    """Fails unless an argument is a layer or None.

    Raises:
      TypeError: It is something else.
    """
    if layer is not None and not isinstance(layer, BaseLayer):
        raise TypeError(f"output_layer must be a Layer, received: {type(layer)}")


def size_behind(layer: Any, size: Any) -> Any:
    """The size of a cell's outputs when a layer, or None, has been put on them."""
    if layer is None:
        return size

    def behind(each: Any) -> Any:
        return layer.compute_output_shape(TensorShape([None]).concatenate(shape_of_size(each)))[1:]

    return nest.map_structure(behind, size)
