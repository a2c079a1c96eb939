"""DropoutWrapper: a cell some of whose inputs, states and outputs are set to zero at random."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from dataflow.functions.flow import is_tensor_array
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library import shallow_nest
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.library.rnn.wrappers import RNNCellWrapper
from dataflow.ops.array.concat import concat
from dataflow.ops.math.rounding import floor
from dataflow.ops.nn.sparsity import dropout
from dataflow.ops.random.stateful import random_uniform
from dataflow.values.shapes import as_shape


class DropoutWrapper(RNNCellWrapper):
    """A cell with dropout of its inputs, new states and outputs.

    What is kept is divided by the probability that it is. The memory of an LSTM is left alone.

    Args:
      cell: The cell.
      input_keep_prob: Probability, a number or a scalar, that an input is kept.
      output_keep_prob: The same for outputs.
      state_keep_prob: The same for new states.
      variational_recurrent: Whether the same units are dropped in all steps and examples (Gal and
        Ghahramani, 2016).
      input_size: Size of the inputs, or a structure of sizes; needed for variational dropout of
        inputs.
      dtype: Element type; needed for variational dropout.
      seed: Seed of all random decisions.
      dropout_state_filter_visitor: Says of a part of the state whether it takes part: a boolean,
        or one for each of its parts.
      **kwargs: See `RNNCell`.

    Raises:
      TypeError: `cell` is no cell, or the visitor is no function.
      ValueError: A probability is not between 0 and 1, or what variational dropout needs is
        missing.
    """

    _arguments = (
        *("input_keep_prob", "output_keep_prob", "state_keep_prob", "variational_recurrent"),
        *("input_size", "seed", "dropout_state_filter_visitor"),
    )

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._dropout_state_filter_visitor = dropout_state_filter_visitor
        self._dropout_state_filter = dropout_state_filter_visitor or _all_but_memory
        self._input_size = input_size
        self._seed = seed
        self._variational_recurrent = variational_recurrent
        self._noise: dict[str, Any] = {}
        with name_scope("DropoutWrapperInit"):
            self._input_keep_prob = _probability(input_keep_prob, "input_keep_prob")
            self._state_keep_prob = _probability(state_keep_prob, "state_keep_prob")
            self._output_keep_prob = _probability(output_keep_prob, "output_keep_prob")
        if variational_recurrent:
            self._draw_noise(input_size, dtype)

    @property
    def wrapped_cell(self) -> Any:
        """The other cell."""
        return self.cell

    def _draw_noise(self, input_size: Any, dtype: Any) -> None:
        """What decides in all steps and examples which units are dropped."""
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        sizes = {"state": self.cell.state_size, "output": self.cell.output_size}
        if _drops(self._input_keep_prob):
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                    "input_size must be provided"
                )
            sizes = {"input": input_size, **sizes}
        for what, structure in sizes.items():

            def noise(index: int, size: Any, what: str = what) -> Tensor:
                shape = concat([[1], as_shape(size).as_list()], 0)
                return random_uniform(shape, dtype=dtype, seed=self._seed_of(what, index))

            self._noise[what] = _numbered_map(structure, noise, structure)

    def _seed_of(self, what: str, index: int) -> int | None:
        """The seed of the decisions about one tensor, unlike those of the others."""
        if self._seed is None:
            return None
        text = f"{self._seed}{what}_{index}".encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _step(
        self, inputs: Any, state: Any, step: Callable[..., Any], **kwargs: Any
    ) -> tuple[Any, Any]:
        if _drops(self._input_keep_prob):
            inputs = self._dropped(inputs, "input", self._input_keep_prob, inputs)
        outputs, new_state = step(inputs, state, **kwargs)
        if _drops(self._state_keep_prob):
            parts = shallow_nest.get_traverse_shallow_structure(
                self._dropout_state_filter, new_state
            )
            new_state = self._dropped(new_state, "state", self._state_keep_prob, parts)
        if _drops(self._output_keep_prob):
            outputs = self._dropped(outputs, "output", self._output_keep_prob, outputs)
        return outputs, new_state

    def _dropped(self, values: Any, what: str, keep_prob: Any, parts: Any) -> Any:
        """Values with dropout, but for those at which `parts` is False."""

        def dropped(index: int, part: Any, value: Any, *noise: Tensor) -> Any:
            if part is False:
                return value
            if not self._variational_recurrent:
                return dropout(value, rate=1.0 - keep_prob, seed=self._seed_of(what, index))
            kept = floor(keep_prob + noise[0])
            result = (value / keep_prob) * kept
            result.set_shape(value.shape)
            return result

        noise = [self._noise[what]] if self._variational_recurrent else []
        return _numbered_map(parts, dropped, parts, values, *noise)


def _drops(keep_prob: Any) -> bool:
    return not isinstance(keep_prob, float) or keep_prob < 1


def _probability(given: Any, name: str) -> Any:
    """A probability as a float, or as a tensor if it is not known while building."""
    tensor = convert_to_tensor(given)
    known = constant_value(tensor)
    if known is None:
        return tensor
    if known < 0 or known > 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {int(known)}")
    return float(known)


def _all_but_memory(part: Any) -> Any:
    if isinstance(part, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not is_tensor_array(part)


def _numbered_map(shallow: Any, function: Callable[..., Any], *structures: Any) -> Any:
    """`map_structure_up_to` whose function takes the number of the atom first."""
    number = -1

    def numbered(*atoms: Any) -> Any:
        nonlocal number
        number += 1
        return function(number, *atoms)

    return shallow_nest.map_structure_up_to(shallow, numbered, *structures)
