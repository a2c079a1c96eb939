"""Attention mechanisms: how much a query attends to each place of a memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dataflow.contrib.seq2seq.memory import bahdanau_score, luong_score, masked_memory, masked_score
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.layers.base import BaseLayer
from dataflow.library.layers.dense import Dense
from dataflow.library.rnn.sizes import zero_states
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.shape import shape
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.reductions.arg import argmax
from dataflow.values import dtypes, nest
from dataflow.values.shapes import dimension_value
from dataflow.variables.scope import variable_scope


class AttentionMechanism:
    """What `AttentionWrapper` asks: called with a query and a state, it returns alignments."""

    @property
    def alignments_size(self) -> Any:
        """Number of places."""
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """Size of the state."""
        raise NotImplementedError


class BaseAttentionMechanism(AttentionMechanism):
    """A mechanism with a memory; subclasses are called with a query and the last alignments.

    Args:
      query_layer: Layer put on queries, or None.
      memory: What is attended to, [batch, places, ...].
      probability_fn: Makes alignments [batch, places] of scores and of the last alignments.
      memory_sequence_length: Lengths of the memory's sequences, int [batch], or None.
      memory_layer: Layer that makes keys of the memory; the memory itself if None.
      check_inner_dims_defined: Whether sizes of the memory behind the second must be known.
      score_mask_value: Score of places behind the end; minus infinity if None.
      custom_key_value_fn: Of keys and values, returns those that are used; or None.
      name: Name scope.

    Raises:
      TypeError: A layer is no layer, or `probability_fn` no function.
      ValueError: A size is not known.
    """

    def __init__(
        self,
        query_layer: Any,
        memory: Any,
        probability_fn: Any,
        memory_sequence_length: Any = None,
        memory_layer: Any = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: Any = None,
        custom_key_value_fn: Any = None,
        name: Any = None,
    ) -> None:
        for what, layer in (("query_layer", query_layer), ("memory_layer", memory_layer)):
            if layer is not None and not isinstance(layer, BaseLayer):
                raise TypeError(f"{what} is not a Layer: {type(layer).__name__}")
        if not callable(probability_fn):
            raise TypeError(
                f"probability_fn must be callable, saw type: {type(probability_fn).__name__}"
            )
        self._query_layer = query_layer
        self._memory_layer = memory_layer
        self.dtype = getattr(memory_layer, "dtype", None)
        with name_scope(name, "BaseAttentionMechanismInit", nest.flatten(memory)):
            self._values, lengths = masked_memory(
                memory, memory_sequence_length, check_inner_dims_defined
            )
            self._keys = self._values if memory_layer is None else memory_layer(self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            masked = -math.inf if score_mask_value is None else score_mask_value
            self._probability_fn: Callable[[Any, Any], Any] = lambda score, last: probability_fn(
                masked_score(score, lengths, masked), last
            )
            first = nest.flatten(self._keys)[0]
            self._batch_size = dimension_value(first.shape[0]) or shape(first)[0]
            self._alignments_size = dimension_value(first.shape[1]) or shape(first)[1]

    @property
    def memory_layer(self) -> Any:
        """As given."""
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        """As given."""
        return self._query_layer

    @property
    def values(self) -> Any:
        """What is averaged, [batch, places, ...]."""
        return self._values

    @property
    def keys(self) -> Any:
        """What queries are compared with, [batch, places, ...]."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """Number of sequences."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        """Number of places."""
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        """Number of places: the state is the last alignments."""
        return self._alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Alignments before the first step: zeros [batch, places]."""
        return zero_states(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state before the first step: the initial alignments."""
        return self.initial_alignments(batch_size, dtype)

    def _queried(self, query: Tensor) -> Tensor:
        return query if self._query_layer is None else self._query_layer(query)


def _softmax(score: Any, _: Any) -> Any:
    return softmax(score)


def _probability(probability_fn: Any) -> Any:
    return _softmax if probability_fn is None else lambda score, _: probability_fn(score)


def _dense(units: int, name: str, dtype: Any) -> Dense:
    return Dense(units, name=name, use_bias=False, dtype=dtype)


class BahdanauAttention(BaseAttentionMechanism):
    """Additive attention: `v . tanh(W query + U memory)` (Bahdanau et al., 2014).

    Args:
      num_units: Size of queries and keys when layers have been put on them.
      memory: See `AttentionWrapper`: [batch, places, size].
      memory_sequence_length: Lengths of the memory's sequences, int [batch], or None.
      normalize: Whether `v` is a direction and a length of its own.
      probability_fn: Makes probabilities of scores [batch, places]; softmax if None.
      score_mask_value: Score of places behind the end; minus infinity if None.
      dtype: Element type of the layers; float32 if None.
      custom_key_value_fn: Of keys and values, returns those that are used; or None.
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
        probability_fn: Any = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "BahdanauAttention",
    ) -> None:
        dtype = dtypes.float32 if dtype is None else dtype
        super().__init__(
            query_layer=_dense(num_units, "query_layer", dtype),
            memory_layer=_dense(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_probability(probability_fn),
            custom_key_value_fn=custom_key_value_fn,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name

    def __call__(self, query: Any, state: Any) -> tuple[Tensor, Tensor]:
        """Alignments [batch, places], twice, of a query [batch, size] and the last state."""
        with variable_scope(None, "bahdanau_attention", [query]):
            score = bahdanau_score(self._queried(query), self._keys, self._normalize, query.dtype)
            alignments = self._probability_fn(score, state)
        return alignments, alignments


class LuongAttention(BaseAttentionMechanism):
    """Multiplicative attention: `query . W memory` (Luong et al., 2015).

    Args:
      num_units: Size of queries, and of keys when a layer has been put on them.
      memory: See `AttentionWrapper`: [batch, places, size].
      memory_sequence_length: Lengths of the memory's sequences, int [batch], or None.
      scale: Whether scores are multiplied by a variable.
      probability_fn: Makes probabilities of scores [batch, places]; softmax if None.
      score_mask_value: Score of places behind the end; minus infinity if None.
      dtype: Element type of the layer; float32 if None.
      custom_key_value_fn: Of keys and values, returns those that are used; or None.
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
        probability_fn: Any = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "LuongAttention",
    ) -> None:
        dtype = dtypes.float32 if dtype is None else dtype
        super().__init__(
            query_layer=None,
            memory_layer=_dense(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_probability(probability_fn),
            custom_key_value_fn=custom_key_value_fn,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._name = name

    def __call__(self, query: Any, state: Any) -> tuple[Tensor, Tensor]:
        """Alignments [batch, places], twice, of a query [batch, size] and the last state."""
        with variable_scope(None, "luong_attention", [query]):
            score = luong_score(query, self._keys, self._scale, query.dtype)
            alignments = self._probability_fn(score, state)
        return alignments, alignments


def hardmax(logits: Any, name: Any = None) -> Tensor:
    """1 at the largest of each row, the first of equal ones, and 0 elsewhere.

    Args:
      logits: Floats [..., classes].
      name: Name scope.

    Returns:
      A tensor of the shape and element type of `logits`.
    """
    with name_scope(name, "Hardmax", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        depth = dimension_value(logits.shape[-1]) or shape(logits)[-1]
        return one_hot(argmax(logits, -1), depth, dtype=logits.dtype)
