"""CuDNNGRU and CuDNNLSTM: the same numbers as on a GPU, computed by the cells."""

from __future__ import annotations

import inspect
from typing import Any

from dataflow.keras import ops
from dataflow.keras.arguments import takes_arguments
from dataflow.keras.layers.recurrent.cells import GRUCell, LSTMCell
from dataflow.keras.layers.recurrent.layers import GRU, LSTM
from dataflow.keras.layers.recurrent.rnn import RNN
from dataflow.library.layers.input_spec import InputSpec

_NOT_TAKEN = ("activation", "recurrent_activation", "use_bias", "dropout", "recurrent_dropout",
              "implementation", "unroll", "reset_after")  # fmt: skip


class _CuDNNCell:
    """The part of both cells that knows how CuDNN takes a kernel: by its place in memory.

    The numbers of each gate's part, row after row, are those of a matrix of `units` rows.
    """

    units: int
    _gates: int

    def _product(self, inputs: Any, kernel: Any, bias: Any, recurrent: bool) -> Any:
        inner = kernel.shape.as_list()[0]
        parts = ops.transpose(ops.reshape(kernel, [inner, self._gates, self.units]), [1, 0, 2])
        rows = ops.reshape(parts, [self._gates, self.units, inner])
        columns = ops.reshape(ops.transpose(rows, [2, 0, 1]), [inner, -1])
        product = ops.matmul(inputs, columns)
        return product if bias is None else ops.bias_add(product, bias)


class _CuDNNGRUCell(_CuDNNCell, GRUCell):
    """A unit whose reset gate applies behind the product, with both biases in a row."""

    @property
    def _bias_shape(self) -> tuple[int, ...]:
        return (6 * self.units,)

    def _biases(self) -> tuple[Any, Any]:
        first, second = ops.split(self.bias, 2)
        return first, second


class _CuDNNLSTMCell(_CuDNNCell, LSTMCell):
    """A unit with one bias for the inputs and one for the state, in a row."""

    @property
    def _bias_shape(self) -> tuple[int, ...]:
        return (8 * self.units,)

    @property
    def _bias_start(self) -> Any:
        if not self.unit_forget_bias:
            return self.bias_initializer
        rest = self.bias_initializer

        def start(shape: Any, dtype: Any = None, **_: Any) -> Any:
            first = rest((self.units * 5,), dtype=dtype)
            ones = ops.ones((self.units,), dtype=dtype)
            return ops.concat([first, ones, rest((self.units * 2,), dtype=dtype)], axis=0)

        return start

    def _products(self, inputs: list[Any], kernel: Any, bias: Any) -> list[Any]:
        first, second = ops.split(self.bias, 2)
        return super()._products(inputs, kernel, first if bias is not None else second)


def _layer(name: str, base: Any, cell: Any, fixed: dict[str, Any], doc: str) -> Any:
    parameters = [
        each
        for each in inspect.signature(base.__init__).parameters.values()
        if each.name not in _NOT_TAKEN
    ]
    signature = inspect.Signature(parameters)
    taken = set(inspect.signature(cell.__init__).parameters)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs).arguments
        further = given.pop("kwargs", {})
        own = {key: value for key, value in given.items() if key in taken and key != "self"}
        loop = {key: value for key, value in given.items() if key not in taken}
        RNN.__init__(self, cell(**own, **fixed), **loop, **further)
        self.input_spec = InputSpec(ndim=3)

    def get_config(self: Any) -> dict[str, Any]:
        config: dict[str, Any] = base.get_config(self)
        return config

    members = {
        "__init__": takes_arguments(__init__, signature),
        "get_config": get_config,
        "__doc__": doc,
        "__module__": __name__,
    }
    return type(name, (base,), members)


_GATES = {"recurrent_activation": "sigmoid"}
CuDNNGRU = _layer(
    "CuDNNGRU", GRU, _CuDNNGRUCell, {**_GATES, "reset_after": True}, "`GRU` as CuDNN computes it."
)
CuDNNLSTM = _layer("CuDNNLSTM", LSTM, _CuDNNLSTMCell, _GATES, "`LSTM` as CuDNN computes it.")
