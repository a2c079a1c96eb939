"""Samples of distributions that tensors give the probabilities of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.array.pad import pad
from dataflow.ops.array.shape import rank, reshape, shape
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import equal, less
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.random.stateful import multinomial, random_uniform
from dataflow.ops.reductions.reduce import reduce_prod
from dataflow.values import dtypes


def bernoulli_sample(
    probs: Any = None,
    logits: Any = None,
    dtype: Any = dtypes.int32,
    sample_shape: Any = (),
    seed: int | None = None,
) -> Tensor:
    """Ones and zeros.

    Args:
      probs: How probable ones are.
      logits: Their log-odds, instead.
      dtype: Element type of the result.
      sample_shape: How many samples: a shape, which goes before that of `probs`.
      seed: Of the samples.
    """
    if probs is None:
        likely = sigmoid(logits, name="probs")
    else:
        likely = convert_to_tensor(probs, name="probs")
    single = shape(likely)

    def draw(count: Tensor) -> Tensor:
        wanted = concat([[count], single], 0)
        drawn = random_uniform(wanted, seed=seed, dtype=likely.dtype)
        found: Tensor = cast(less(drawn, likely), dtype)
        return found

    return _shaped(draw, sample_shape)


def categorical_sample(
    logits: Any, dtype: Any = dtypes.int32, sample_shape: Any = (), seed: int | None = None
) -> Tensor:
    """Classes.

    Args:
      logits: Logarithms of how probable they are, [..., classes].
      dtype: Element type of the result.
      sample_shape: How many samples: a shape, which goes before that of the rest of `logits`.
      seed: Of the samples.
    """
    logits = convert_to_tensor(logits, name="logits")
    classes = shape(logits)[-1]
    single = shape(logits)[:-1]

    def draw(count: Tensor) -> Tensor:
        rows = logits if logits.shape.rank == 2 else reshape(logits, [-1, classes])
        kind = dtypes.int64 if logits.dtype.size > 4 else dtypes.int32
        drawn = multinomial(rows, count, seed=seed, output_dtype=kind)
        found: Tensor = cast(reshape(transpose(drawn), concat([[count], single], 0)), dtype)
        return found

    return _shaped(draw, sample_shape)


def _shaped(draw: Callable[[Tensor], Tensor], sample_shape: Any) -> Tensor:
    """Samples of a shape; `draw` makes as many as it is told along a first dimension."""
    with name_scope(None, "call_sampler", [sample_shape]):
        wanted = convert_to_tensor(sample_shape, dtype=dtypes.int32, name="sample_shape")
        # A number stands for a shape of one dimension.
        missing = cast(equal(rank(wanted), 0), dtypes.int32)
        wanted = reshape(wanted, pad(shape(wanted), [[missing, 0]], constant_values=1))
        samples = draw(reduce_prod(wanted))
        return reshape(samples, concat([wanted, shape(samples)[1:]], 0))
