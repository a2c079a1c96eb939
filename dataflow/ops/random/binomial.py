"""Numbers of binomial distributions, and words that nothing decides."""

from __future__ import annotations

from typing import Any

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.random.stateful import shape_tensor
from dataflow.ops.random.stateless import check_seed
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_NUMBERS = "{half, float32, float64, int32, int64}"
_TYPES = (f"T: {_NUMBERS} = float64", f"dtype: {_NUMBERS} = int64")


def _of_seed(c: InferenceContext) -> TensorShape:
    check_seed(c, 1)
    return _drawn(c, 0)


def _of_generator(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    return _drawn(c, 2)


def _drawn(c: InferenceContext, place: int) -> TensorShape:
    with_rank(c.input(place), 1)
    return c.constant_as_shape(place)


def _words(c: InferenceContext) -> TensorShape:
    return _drawn(c, 0)


define_op(
    "StatelessRandomBinomial",
    inputs="shape: S, seed: Tseed, counts: T, probs: T",
    outputs="output: dtype",
    attrs=["S: {int32, int64}", "Tseed: {int32, int64} = int64", *_TYPES],
    shape=_of_seed,
    gradient=NOT_DIFFERENTIABLE,
    doc="Numbers of binomial distributions, of two seeds.",
)
define_op(
    "StatefulRandomBinomial",
    inputs="resource: resource, algorithm: int64, shape: S, counts: T, probs: T",
    outputs="output: dtype",
    attrs=["S: {int32, int64}", *_TYPES],
    shape=_of_generator,
    gradient=MISSING_GRADIENT,
    doc="Numbers of binomial distributions, of a generator.",
    stateful=True,
)
define_op(
    "NonDeterministicInts",
    inputs="shape: shape_dtype",
    outputs="output: dtype",
    attrs=["dtype: type = int64", "shape_dtype: type = int64"],
    shape=_words,
    gradient=MISSING_GRADIENT,
    doc="Integers spread evenly over all of a type, of the system's source of randomness.",
    stateful=True,
)


def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Numbers of binomial distributions, the same ones for the same two seeds.

    Args:
      shape: Shape of the result, which ends with that of the parameters.
      seed: Two integers.
      counts: How many trials there are.
      probs: How likely each succeeds, which broadcasts against `counts`.
      output_dtype: float16, float32, float64, int32 or int64.
      name: Name of the scope of the operations.
    """
    with scopes.name_scope(name, "stateless_random_binomial", [shape, seed, counts, probs]) as own:
        sizes = shape_tensor(shape)
        probs = convert_to_tensor(probs, preferred_dtype=dtypes.float32, name="probs")
        counts = convert_to_tensor(counts, preferred_dtype=probs.dtype, name="counts")
        return single(
            "StatelessRandomBinomial", sizes, seed, counts, probs, dtype=output_dtype, name=own
        )
