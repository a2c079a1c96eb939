"""SimpleRNN, GRU and LSTM: each a cell in a loop, with the cell's arguments as its own."""

from __future__ import annotations

import inspect
from typing import Any

from dataflow.keras.arguments import config_of, takes_arguments
from dataflow.keras.layers.recurrent.cells import GRUCell, LSTMCell, SimpleRNNCell
from dataflow.keras.layers.recurrent.rnn import RNN
from dataflow.library.layers.input_spec import InputSpec
from dataflow.values import logging

_LOOP = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll")


def _parameter(name: str, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)


def layer_of_cell(
    name: str, cell: Any, doc: str, base: Any = RNN, taken: tuple[str, ...] = _LOOP
) -> Any:
    """The layer of a cell: it takes what the cell does, then what a loop does.

    Args:
      name: Of the class.
      cell: The class of the cell.
      doc: Docstring of the layer.
      base: The class of the loop.
      taken: What it takes by position, in front of what the cell takes behind its constraints if
        that is not all.
    """
    own = list(inspect.signature(cell.__init__).parameters.values())[:-1]
    names = [each.name for each in own if each.name != "self"]
    own = [each.replace(annotation=inspect.Parameter.empty) for each in own]
    own.insert(
        [each.name for each in own].index("kernel_constraint"),
        _parameter("activity_regularizer", None),
    )
    loop = [_parameter(each, False) for each in taken]
    if own[-1].name == "reset_after":
        loop.append(own.pop())
    if taken is not _LOOP:
        loop += [own.pop() for _ in range(2)][::-1]
    last = inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)
    signature = inspect.Signature([*own, *loop, last])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs).arguments
        further = given.pop("kwargs", {})
        if given.get("implementation") == 0:
            given["implementation"] = 1
        if base is RNN and "implementation" not in names and "implementation" in further:
            del further["implementation"]
            logging.warning(
                "The `implementation` argument in `%s` has been deprecated. Please remove it from "
                "your layer call.",
                name,
            )
        made = {key: given[key] for key in names if key in given}
        if "dtype" in further:
            made["dtype"] = further["dtype"]
        inner = cell(**made, trainable=further.get("trainable", True))
        base.__init__(
            self,
            inner,
            **{key: given[key] for key in taken if key in given},
            activity_regularizer=given.get("activity_regularizer"),
            **further,
        )
        self.input_spec = InputSpec(ndim=base._input_rank)

    def get_config(self: Any) -> dict[str, Any]:
        config = {**self._base_config(), **self._loop_config(), **config_of(self)}
        if self.zero_output_for_mask:
            config["zero_output_for_mask"] = True
        return config

    def from_config(cls: Any, config: dict[str, Any]) -> Any:
        return cls(**config)

    members = {
        **{key: _of_cell(key) for key in names},
        "__init__": takes_arguments(__init__, signature),
        "get_config": get_config,
        "from_config": classmethod(from_config),
        "__doc__": doc,
        "__module__": cell.__module__,
    }
    return type(name, (base,), members)


def _of_cell(name: str) -> property:
    """What a layer tells of its cell."""

    def get(self: Any) -> Any:
        return getattr(self.cell, name)

    return property(get, doc=f"`{name}` of the cell.")


SimpleRNN = layer_of_cell("SimpleRNN", SimpleRNNCell, "A loop of `SimpleRNNCell`.")
GRU = layer_of_cell("GRU", GRUCell, "A loop of `GRUCell`.")
LSTM = layer_of_cell("LSTM", LSTMCell, "A loop of `LSTMCell`.")
