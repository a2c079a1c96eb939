"""Helpers of inference: the next inputs are made of what the decoder has said."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from dataflow.contrib.seq2seq.training_inputs import Helper, TokenHelper
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.embedding import embedding_lookup
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.shape import shape, size, squeeze
from dataflow.ops.math.compare import equal
from dataflow.ops.random.stateful import multinomial
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.reductions.reduce import reduce_all
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


class GreedyEmbeddingHelper(TokenHelper):
    """Feeds back the likeliest token.

    Args:
      embedding: Makes vectors of tokens (int32 [batch]): a function, or the `params` of
        `tf.nn.embedding_lookup`.
      start_tokens: First tokens, int32 [batch].
      end_token: Token behind which a sequence has ended, an int32 scalar.

    Raises:
      ValueError: `start_tokens` is no vector, or `end_token` no scalar.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embedding_fn = embedding_of(embedding)
        self._start_tokens = convert_to_tensor(
            start_tokens, dtype=dtypes.int32, name="start_tokens"
        )
        self._end_token = convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
        if self._start_tokens.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    def initialize(self, name: Any = None) -> Any:
        """The first tokens."""
        return tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: Any = None) -> Any:
        """The likeliest token of each sequence.

        Raises:
          TypeError: The outputs are no tensor.
        """
        _check_logits(outputs)
        return argmax(outputs, axis=-1, output_type=dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Any = None
    ) -> Any:
        """The vectors of the samples."""
        finished = equal(sample_ids, self._end_token)
        next_inputs = cond(
            reduce_all(finished),
            lambda: self._start_inputs,
            lambda: self._embedding_fn(sample_ids),
        )
        return finished, next_inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Feeds back tokens drawn at random.

    Args:
      embedding: See `GreedyEmbeddingHelper`.
      start_tokens: See above.
      end_token: See above.
      softmax_temperature: By what logits are divided; near 0, the likeliest are drawn. 1 if None.
      seed: Of the random numbers.

    Raises:
      ValueError: See above.
    """

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature = softmax_temperature
        self._seed = seed

    def sample(self, time: Any, outputs: Any, state: Any, name: Any = None) -> Any:
        """A token of each sequence.

        Raises:
          TypeError: The outputs are no tensor.
        """
        _check_logits(outputs)
        if self._softmax_temperature is not None:
            outputs = outputs / self._softmax_temperature
        return draw_tokens(outputs, self._seed)


class InferenceHelper(Helper):
    """Feeds back what functions make of the outputs.

    Args:
      sample_fn: Of the outputs, returns samples.
      sample_shape: Shape of each sequence's sample, or None for that of a scalar.
      sample_dtype: Element type of samples.
      start_inputs: First inputs, [batch, ...].
      end_fn: Of the samples, returns which sequences have ended.
      next_inputs_fn: Of the samples, returns the next inputs, which are the samples if None.
    """

    def __init__(
        self,
        sample_fn: Any,
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Any,
        next_inputs_fn: Any = None,
    ) -> None:
        self._sample_fn = sample_fn
        self._end_fn = end_fn
        self._sample_shape = TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._next_inputs_fn = next_inputs_fn
        self._start_inputs = convert_to_tensor(start_inputs, name="start_inputs")
        self._batch_size = shape(self._start_inputs)[0]

    @property
    def batch_size(self) -> Any:
        """Number of sequences, a scalar."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """As given."""
        return self._sample_shape

    @property
    def sample_ids_dtype(self) -> Any:
        """As given."""
        return self._sample_dtype

    def initialize(self, name: Any = None) -> Any:
        """The first inputs."""
        return tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: Any = None) -> Any:
        """What `sample_fn` returns."""
        return self._sample_fn(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Any = None
    ) -> Any:
        """What `next_inputs_fn` returns, or the samples."""
        made = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), made, state


def embedding_of(embedding: Any) -> Callable[[Any], Any]:
    """A function that makes vectors of tokens, of one or of what `embedding_lookup` takes."""
    return embedding if callable(embedding) else partial(embedding_lookup, embedding)


def draw_tokens(logits: Tensor, seed: int | None) -> Tensor:
    """A token for each row of logits."""
    drawn = multinomial(logits, 1, seed=seed, output_dtype=dtypes.int32)
    return squeeze(drawn, [1])


def _check_logits(outputs: Any) -> None:
    if not isinstance(outputs, Tensor):
        raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
