"""Attention mechanisms that never move back along the memory (Raffel et al., 2017)."""

from __future__ import annotations

from functools import partial
from typing import Any

from dataflow.contrib.seq2seq.attention import BaseAttentionMechanism
from dataflow.contrib.seq2seq.memory import bahdanau_score, luong_score
from dataflow.contrib.seq2seq.monotonic import choosing
from dataflow.graph.tensor import Tensor
from dataflow.library.layers.dense import Dense
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.select import one_hot
from dataflow.values import dtypes
from dataflow.variables.initializers import Constant
from dataflow.variables.scope import get_variable, variable_scope


class _MonotonicMechanism(BaseAttentionMechanism):
    """Begins at the first place."""

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """All attention on the first place, [batch, places]."""
        first = zeros([batch_size], dtype=dtypes.int32)
        return one_hot(first, self._alignments_size, dtype=dtype)

    def _biased(self, score: Tensor, start: float) -> Tensor:
        bias = get_variable(
            "attention_score_bias", dtype=score.dtype, shape=(), initializer=Constant(start)
        )
        return score + bias


class BahdanauMonotonicAttention(_MonotonicMechanism):
    """Monotonic attention with the scores of `BahdanauAttention`.

    Args:
      num_units: See `BahdanauAttention`.
      memory: See above.
      memory_sequence_length: See above.
      normalize: See above.
      score_mask_value: See above.
      sigmoid_noise: Size of the noise added to scores, which teaches them to be far from 0.
      sigmoid_noise_seed: Of the noise.
      score_bias_init: First value of what is added to scores.
      mode: See `monotonic_attention`.
      dtype: See `BahdanauAttention`.
      name: Name scope.

    Raises:
      ValueError: A size of the memory is not known.
    """

    def __init__(
        self,
        num_units: Any,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        dtype = dtypes.float32 if dtype is None else dtype
        super().__init__(
            query_layer=Dense(num_units, name="query_layer", use_bias=False, dtype=dtype),
            memory_layer=Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype),
            memory=memory,
            probability_fn=partial(
                choosing, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
            ),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name
        self._score_bias_init = score_bias_init

    def __call__(self, query: Any, state: Any) -> tuple[Tensor, Tensor]:
        """Alignments [batch, places], twice, of a query [batch, size] and the last state."""
        with variable_scope(None, "bahdanau_monotonic_attention", [query]):
            score = bahdanau_score(self._queried(query), self._keys, self._normalize, query.dtype)
            alignments = self._probability_fn(self._biased(score, self._score_bias_init), state)
        return alignments, alignments


class LuongMonotonicAttention(_MonotonicMechanism):
    """Monotonic attention with the scores of `LuongAttention`.

    Args:
      num_units: See `LuongAttention`.
      memory: See above.
      memory_sequence_length: See above.
      scale: See above.
      score_mask_value: See above.
      sigmoid_noise: See `BahdanauMonotonicAttention`.
      sigmoid_noise_seed: See above.
      score_bias_init: See above.
      mode: See above.
      dtype: See `LuongAttention`.
      name: Name scope.

    Raises:
      ValueError: A size of the memory is not known.
    """

    def __init__(
        self,
        num_units: Any,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        dtype = dtypes.float32 if dtype is None else dtype
        super().__init__(
            query_layer=None,
            memory_layer=Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype),
            memory=memory,
            probability_fn=partial(
                choosing, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
            ),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._name = name
        self._score_bias_init = score_bias_init

    def __call__(self, query: Any, state: Any) -> tuple[Tensor, Tensor]:
        """Alignments [batch, places], twice, of a query [batch, size] and the last state."""
        with variable_scope(None, "luong_monotonic_attention", [query]):
            score = luong_score(query, self._keys, self._scale, query.dtype)
            alignments = self._probability_fn(self._biased(score, self._score_bias_init), state)
        return alignments, alignments
