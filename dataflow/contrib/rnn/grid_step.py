"""One step of a grid LSTM along the frequencies, for one block of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.contrib.rnn.parts import sharded_variable
from dataflow.graph.tensor import Tensor
from dataflow.library.clipping import clip_by_value
from dataflow.library.layers.arguments import ZEROS
from dataflow.ops.array.split import split
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.bias import bias_add
from dataflow.variables.scope import get_variable


class GridBlock:
    """The weights of a block of frequencies, made in the open variable scope.

    Args:
      block: Number of the block.
      size: Size of a window.
      units: Size of memories and outputs.
      dtype: Element type.
      shards: In how many variables each kernel is.
      peepholes: Whether the gates see both memories.
      shared: Whether both LSTMs have the same weights.
      coupled: Whether what is forgotten is what is admitted.
      forget_bias: What is added to the sums of the forget gates.
      clip: Memories stay between this and its negative; None for no limits.
    """

    def __init__(
        self,
        block: int,
        size: int,
        units: int,
        dtype: Any,
        shards: int,
        peepholes: bool,
        shared: bool,
        coupled: bool,
        forget_bias: float,
        clip: Any,
    ) -> None:
        self._coupled = coupled
        self._gates = 3 if coupled else 4
        self._forget_bias = forget_bias
        self._clip = clip
        self._weights: dict[str, tuple[Any, Any]] = {}
        for way in "f" if shared else "ft":
            kernel = sharded_variable(
                f"W_{way}_{block}", [size + 2 * units, self._gates * units], dtype, shards
            )
            bias = get_variable(
                f"B_{way}_{block}", [self._gates * units], dtype=dtype, initializer=ZEROS
            )
            self._weights[way] = kernel, bias
        self._seen: dict[tuple[str, str], Any] = {}
        for way in ("freq",) if shared else ("freq", "time"):
            for gate in "IO" if coupled else "FIO":
                for memory in "ft":
                    name = f"W_{gate}_diag_{way}{memory}_{block}"
                    if peepholes:
                        variable = get_variable(name, [units], dtype=dtype)
                        self._seen[way[0] + memory, gate] = variable
        if shared:
            self._weights["t"] = self._weights["f"]
            self._seen |= {("t" + key[1], gate): v for (key, gate), v in self._seen.items()}

    def sums(self, way: str, joined: Tensor) -> list[Any]:
        """Of the LSTM along frequencies ("f") or time ("t"): admit, new, forget and show."""
        kernel, bias = self._weights[way]
        found: list[Any] = split(bias_add(matmul(joined, kernel), bias), self._gates, axis=1)
        return [*found[:2], None, found[2]] if self._coupled else found

    def memory(self, way: str, sums: Sequence[Any], last: Any, c_freq: Any, c_time: Any) -> Any:
        """The next memory of an LSTM, whose last one is `last`."""
        admit, new, forget, _ = sums
        admitted = sigmoid(self._peeping(way, "I", admit, c_freq, c_time))
        if self._coupled:
            kept = 1.0 - admitted
        else:
            seen = self._peeping(way, "F", forget + self._forget_bias, c_freq, c_time)
            kept = sigmoid(seen)
        c = kept * last + admitted * tanh(new)
        return c if self._clip is None else clip_by_value(c, -self._clip, self._clip)

    def output(self, way: str, sums: Sequence[Any], c: Any, c_freq: Any, c_time: Any) -> Any:
        """The output of an LSTM whose memory is `c`."""
        return sigmoid(self._peeping(way, "O", sums[3], c_freq, c_time)) * tanh(c)

    def _peeping(self, way: str, gate: str, sums: Any, c_freq: Any, c_time: Any) -> Any:
        if not self._seen:
            return sums
        return sums + self._seen[way + "f", gate] * c_freq + self._seen[way + "t", gate] * c_time
