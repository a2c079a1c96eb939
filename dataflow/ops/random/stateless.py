"""Random numbers that depend on their seeds alone: the ops."""

from __future__ import annotations

from typing import Final

from dataflow.ops.basic.shape_parts import scalar_size, size_at, vector, with_size
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, scalar, unchanged, with_rank
from dataflow.values.shapes import TensorShape

_SEED: Final = "Tseed: {int32, int64} = int64"
_FLOATS: Final = "dtype: {half, bfloat16, float32, float64} = float32"
_BITS: Final = "dtype: {int32, int64, uint32, uint64} = uint64"
_KEY: Final = "key: uint64, counter: uint64, alg: int32"


def check_seed(c: InferenceContext, index: int) -> None:
    """Refuses seeds that are known not to be two."""
    seed = with_rank(c.input(index), 1)
    with_size(size_at(seed, 0), 2)


def check_key(c: InferenceContext) -> None:
    """Refuses a key, a counter or an algorithm that are known to have wrong ranks."""
    key = with_rank(c.input(1), 1)
    with_rank(c.input(2), 1)
    with_rank(c.input(3), 0)
    with_size(size_at(key, 0), 1)


def shape_of_seed(c: InferenceContext) -> TensorShape:
    """The shape that the first input says; the second is the seed."""
    check_seed(c, 1)
    return _asked(c)


def shape_of_key(c: InferenceContext) -> TensorShape:
    """The shape that the first input says; key, counter and algorithm follow."""
    check_key(c)
    return _asked(c)


def _asked(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 1)
    return c.constant_as_shape(0)


def _bounded(c: InferenceContext, first: int) -> None:
    for name, index in (("minval", first), ("maxval", first + 1)):
        if c.input(index).rank not in (None, 0):
            sizes = str(c.input(index).as_list()).replace(" ", "")
            raise ValueError(f"{name} must be a scalar; got a tensor of shape {sizes}")


def _between_of_seed(c: InferenceContext) -> TensorShape:
    _bounded(c, 2)
    return shape_of_seed(c)


def _between_of_key(c: InferenceContext) -> TensorShape:
    _bounded(c, 4)
    return shape_of_key(c)


def _classes(c: InferenceContext) -> TensorShape:
    check_seed(c, 2)
    logits = with_rank(c.input(0), 2)
    with_rank(c.input(1), 0)
    return TensorShape.of((size_at(logits, 0), scalar_size(c, 1)))


def _key_and_counter(c: InferenceContext) -> list[TensorShape]:
    check_seed(c, 0)
    return [vector(1), vector(2), SCALAR][: c.num_outputs]


def _shuffled(c: InferenceContext) -> TensorShape:
    check_key(c)
    return unchanged(c)


for _name, _doc in (
    ("StatelessRandomUniform", "Numbers spread evenly over [0, 1)"),
    ("StatelessRandomNormal", "Numbers of the normal distribution with mean 0 and deviation 1"),
    ("StatelessTruncatedNormal", "Standard normal numbers, those beyond 2 drawn again"),
):
    define_op(
        _name,
        inputs="shape: T, seed: Tseed",
        outputs="output: dtype",
        attrs=[_FLOATS, "T: {int32, int64} = int32", _SEED],
        shape=shape_of_seed,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"{_doc}, of two seeds.",
    )
    define_op(
        f"{_name}V2",
        inputs=f"shape: Tshape, {_KEY}",
        outputs="output: dtype",
        attrs=[_FLOATS, "Tshape: {int32, int64} = int32"],
        shape=shape_of_key,
        gradient=NOT_DIFFERENTIABLE,
        doc=f"{_doc}, of a key and a counter.",
    )

define_op(
    "StatelessRandomUniformInt",
    inputs="shape: T, seed: Tseed, minval: dtype, maxval: dtype",
    outputs="output: dtype",
    attrs=["dtype: {int32, int64}", "T: {int32, int64}", _SEED],
    shape=_between_of_seed,
    gradient=NOT_DIFFERENTIABLE,
    doc="Integers spread evenly over [minval, maxval), of two seeds.",
)

define_op(
    "StatelessRandomUniformIntV2",
    inputs=f"shape: Tshape, {_KEY}, minval: dtype, maxval: dtype",
    outputs="output: dtype",
    attrs=["dtype: {int32, int64, uint32, uint64}", "Tshape: {int32, int64} = int32"],
    shape=_between_of_key,
    gradient=NOT_DIFFERENTIABLE,
    doc="Integers spread evenly over [minval, maxval), of a key and a counter.",
)

define_op(
    "StatelessRandomUniformFullInt",
    inputs="shape: T, seed: Tseed",
    outputs="output: dtype",
    attrs=[
        _BITS,
        "T: {int32, int64} = int32",
        "Tseed: {int32, int64, uint32, uint64} = int64",
    ],
    shape=shape_of_seed,
    gradient=NOT_DIFFERENTIABLE,
    doc="Integers spread evenly over all that there are of a type, of two seeds.",
)

define_op(
    "StatelessRandomUniformFullIntV2",
    inputs=f"shape: Tshape, {_KEY}",
    outputs="output: dtype",
    attrs=[_BITS, "Tshape: {int32, int64} = int32"],
    shape=shape_of_key,
    gradient=NOT_DIFFERENTIABLE,
    doc="Integers spread evenly over all that there are of a type, of a key and a counter.",
)

define_op(
    "StatelessMultinomial",
    inputs="logits: T, num_samples: int32, seed: Tseed",
    outputs="output: output_dtype",
    attrs=["T: realnumbertype", _SEED, "output_dtype: {int32, int64} = int64"],
    shape=_classes,
    gradient=NOT_DIFFERENTIABLE,
    doc="Draws classes with probabilities softmax(logits), for each row, of two seeds.",
)

define_op(
    "StatelessRandomGetKeyCounter",
    inputs="seed: Tseed",
    outputs="key: uint64, counter: uint64",
    attrs=[_SEED],
    shape=_key_and_counter,
    gradient=MISSING_GRADIENT,
    doc="The key and the counter that two seeds make.",
)

define_op(
    "StatelessRandomGetKeyCounterAlg",
    inputs="seed: Tseed",
    outputs="key: uint64, counter: uint64, alg: int32",
    attrs=[_SEED],
    shape=_key_and_counter,
    gradient=MISSING_GRADIENT,
    doc="The key and the counter that two seeds make, and the number of the algorithm.",
)

define_op(
    "StatelessRandomGetAlg",
    outputs="alg: int32",
    shape=scalar,
    gradient=MISSING_GRADIENT,
    doc="The number of the algorithm that this device prefers.",
    stateful=True,
)

define_op(
    "StatelessShuffle",
    inputs=f"value: T, {_KEY}",
    outputs="output: T",
    attrs=["T: type"],
    shape=_shuffled,
    gradient=MISSING_GRADIENT,
    doc="The rows of a tensor in the order that a key and a counter make.",
)
