"""Grid LSTMs: one LSTM in time and one along the frequencies (Kalchbrenner et al., 2015)."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

from dataflow.contrib.rnn.grid_step import GridBlock
from dataflow.contrib.rnn.parts import input_size
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.rnn.cell import RNNCell
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.array.pad import pad
from dataflow.variables.scope import variable_scope


class GridLSTMCell(RNNCell):
    """LSTMs in time and along the frequencies, over windows of the inputs (arXiv:1507.01526).

    Args:
      num_units: Size of memory and output of a window.
      use_peepholes: Whether the gates see the memories.
      share_time_frequency_weights: Whether both LSTMs have the same weights.
      cell_clip: Memories stay between this and its negative; None for no limits.
      initializer: Initial value of the weights; the variable scope's default if None.
      num_unit_shards: In how many variables each kernel is.
      forget_bias: What is added to the sums of the forget gates.
      feature_size: Size of a window.
      frequency_skip: By how much windows are shifted.
      num_frequency_blocks: A list: how many windows each block has.
      start_freqindex_list: Where each block begins; None if there is one block.
      end_freqindex_list: Where each block ends.
      couple_input_forget_gates: Whether what is forgotten is what is admitted.
      state_is_tuple: Whether the state is a tuple, not joined.
      reuse: Whether variables that exist in the cell's scope are shared.

    Raises:
      ValueError: `num_frequency_blocks` is not given.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: Any = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Any = None,
        frequency_skip: Any = None,
        num_frequency_blocks: Any = None,
        start_freqindex_list: Any = None,
        end_freqindex_list: Any = None,
        couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if num_frequency_blocks is None:
            raise ValueError("Must specify num_frequency_blocks")
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._share_time_frequency_weights = share_time_frequency_weights
        self._couple_input_forget_gates = couple_input_forget_gates
        self._state_is_tuple = state_is_tuple
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip
        self._start_freqindex_list = start_freqindex_list
        self._end_freqindex_list = end_freqindex_list
        self._num_frequency_blocks = num_frequency_blocks
        self._total_blocks = sum(map(int, num_frequency_blocks))
        self._state_tuple_type: Any = self._tuple_type() if state_is_tuple else None

    def _tuple_type(self) -> Any:
        return collections.namedtuple("GridLSTMStateTuple", self._state_names("state"))

    def _state_names(self, prefix: str) -> list[str]:
        return [
            f"{prefix}_f{window:02d}_b{block:02d}_{part}"
            for block, count in enumerate(self._num_frequency_blocks)
            for window in range(count)
            for part in "cm"
        ]

    @property
    def output_size(self) -> Any:
        """Size of the outputs of all windows."""
        return 2 * self._num_units * self._total_blocks

    @property
    def state_size(self) -> Any:
        """Sizes of memory and output of each window, or their sum."""
        if self._state_tuple_type is None:
            return 2 * self._num_units * self._total_blocks
        return self._state_tuple_type(*[self._num_units] * len(self._state_tuple_type._fields))

    @property
    def state_tuple_type(self) -> Any:
        """The type of states, if they are tuples."""
        return self._state_tuple_type

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """Outputs of all windows, in time and along the frequencies, and the next state.

        Raises:
          ValueError: The blocks do not fit the inputs.
        """
        outputs, states = self._computed(self._windows(inputs), state, "state")
        joined = concat(outputs, 1)
        if self._state_tuple_type is None:
            return joined, concat(states, 1)
        return joined, self._state_tuple_type(*states)

    def _computed(self, blocks: Sequence[Any], state: Any, prefix: str) -> tuple[Any, Any]:
        outputs: list[Any] = []
        states: list[Any] = []
        with variable_scope(
            get_variable_scope(), initializer=self._initializer, auxiliary_name_scope=False
        ):
            for number, windows in enumerate(blocks):
                weights = GridBlock(
                    block=number,
                    size=self._feature_size,
                    units=self._num_units,
                    dtype=windows[0].dtype,
                    shards=self._num_unit_shards,
                    peepholes=self._use_peepholes,
                    shared=self._share_time_frequency_weights,
                    coupled=self._couple_input_forget_gates,
                    forget_bias=self._forget_bias,
                    clip=self._cell_clip,
                )
                m_freq = c_freq = None
                for index, window in enumerate(windows):
                    c_time, m_time = self._state_of(state, prefix, number, index)
                    if m_freq is None:
                        m_freq = c_freq = zeros_like(c_time)
                    joined = concat([window, m_time, m_freq], 1)
                    along, through = weights.sums("f", joined), weights.sums("t", joined)
                    new_freq = weights.memory("f", along, c_freq, c_freq, c_time)
                    new_time = weights.memory("t", through, c_time, c_freq, c_time)
                    m_freq = weights.output("f", along, new_freq, new_freq, new_time)
                    m_time = weights.output("t", through, new_time, new_freq, new_time)
                    c_freq = new_freq
                    states += [new_time, m_time]
                    outputs += [m_time, m_freq]
        return outputs, states

    def _state_of(self, state: Any, prefix: str, block: int, index: int) -> tuple[Any, Any]:
        """Memory and output of a window."""
        if self._state_is_tuple:
            name = f"{prefix}_f{index:02d}_b{block:02d}"
            return getattr(state, f"{name}_c"), getattr(state, f"{name}_m")
        before = sum(self._num_frequency_blocks[:block]) + index
        start, units = 2 * before * self._num_units, self._num_units
        return state[:, start : start + units], state[:, start + units : start + 2 * units]

    def _windows(self, inputs: Tensor, offset: int = 0) -> list[list[Any]]:
        """The windows of each block; with an offset, those that many places further on."""
        total = input_size(inputs)
        if offset:
            inputs = pad(inputs, [[0, 0], [max(-offset, 0), max(offset, 0)]])
        shift = max(offset, 0)
        starts, ends = self._start_freqindex_list, self._end_freqindex_list
        blocks = self._num_frequency_blocks
        if not starts:
            if len(blocks) != 1:
                raise ValueError(
                    f"Length of num_frequency_blocks is not 1, but instead is {len(blocks)}"
                )
            starts, ends = [0], [total]
        if len(starts) != len(ends):
            raise ValueError(
                f"Length of start and end freqindex_list does not match {len(starts)} {len(ends)}"
            )
        if len(blocks) != len(starts):
            raise ValueError(
                "Length of num_frequency_blocks is not equal to start_freqindex_list "
                f"{len(blocks)} {len(starts)}"
            )
        found = []
        for count, start, end in zip(blocks, starts, ends, strict=True):
            fits = int((end - start - self._feature_size) / self._frequency_skip) + 1
            if fits != count:
                raise ValueError(
                    f"Invalid num_frequency_blocks, requires {count} but gets {fits}, please check "
                    "the input size and filter config are correct."
                )
            places = [start + shift + index * self._frequency_skip for index in range(count)]
            found.append([inputs[:, place : place + self._feature_size] for place in places])
        return found


class BidirectionalGridLSTMCell(GridLSTMCell):
    """A grid LSTM that moves along the frequencies in both directions, with weights for each.

    Args:
      num_units: See `GridLSTMCell`.
      use_peepholes: See above.
      share_time_frequency_weights: See above.
      cell_clip: See above.
      initializer: See above.
      num_unit_shards: See above.
      forget_bias: See above.
      feature_size: See above.
      frequency_skip: See above.
      num_frequency_blocks: See above.
      start_freqindex_list: See above.
      end_freqindex_list: See above.
      couple_input_forget_gates: See above.
      backward_slice_offset: How much further on the windows of the way back begin.
      reuse: See above.

    Raises:
      ValueError: `num_frequency_blocks` is not given.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: Any = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Any = None,
        frequency_skip: Any = None,
        num_frequency_blocks: Any = None,
        start_freqindex_list: Any = None,
        end_freqindex_list: Any = None,
        couple_input_forget_gates: bool = False,
        backward_slice_offset: int = 0,
        reuse: Any = None,
    ) -> None:
        super().__init__(
            num_units,
            use_peepholes,
            share_time_frequency_weights,
            cell_clip,
            initializer,
            num_unit_shards,
            forget_bias,
            feature_size,
            frequency_skip,
            num_frequency_blocks,
            start_freqindex_list,
            end_freqindex_list,
            couple_input_forget_gates,
            True,
            reuse,
        )
        self._backward_slice_offset = int(backward_slice_offset)

    def _tuple_type(self) -> Any:
        names = self._state_names("fwd_state") + self._state_names("bwd_state")
        return collections.namedtuple("BidirectionalGridLSTMStateTuple", names)

    @property
    def output_size(self) -> Any:
        """Size of the outputs of all windows in both directions."""
        return 4 * self._num_units * self._total_blocks

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """Outputs of all windows in both directions, and the next state.

        Raises:
          ValueError: The blocks do not fit the inputs.
        """
        forward = self._windows(inputs)
        backward = self._windows(inputs, self._backward_slice_offset)
        with variable_scope("fwd"):
            outputs, states = self._computed(forward, state, "fwd_state")
        with variable_scope("bwd"):
            from_end = [windows[::-1] for windows in backward]
            more_outputs, more_states = self._computed(from_end, state, "bwd_state")
        return concat(outputs + more_outputs, 1), self._state_tuple_type(*states, *more_states)
